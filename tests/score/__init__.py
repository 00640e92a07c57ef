"""Tests of `graph_evaluator/score`."""
