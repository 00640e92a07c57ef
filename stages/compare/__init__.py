"""Compares two revisions: which prompt, model or setting is better, and is that more than noise."""
