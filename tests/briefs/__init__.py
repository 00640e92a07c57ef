"""Mirrors `graph_evaluator/briefs`."""
