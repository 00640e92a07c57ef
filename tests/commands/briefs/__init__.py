"""Mirrors `stages/commands/briefs`."""
