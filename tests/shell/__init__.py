"""Tests of `graph_evaluator/shell`."""
