"""The tests; the tree mirrors `graph_evaluator/`."""

from pathlib import Path

REPOSITORY = Path(__file__).parents[1]
