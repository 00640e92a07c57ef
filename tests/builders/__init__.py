"""Builders of the small records that tests are made of."""
