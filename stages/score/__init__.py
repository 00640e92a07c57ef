"""Scores answers by fixed rules, with the evidence for each score. Never calls a model."""
