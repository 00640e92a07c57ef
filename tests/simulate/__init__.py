"""Tests of `graph_evaluator/simulate`."""
