"""Settles whether a prompt or a model is better, in planned interim analyses, within a cap."""
