"""Mirrors `stages/briefs`."""
