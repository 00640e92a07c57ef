"""Logs of answers that were given elsewhere, as recorded models and briefs of this project."""
