"""Tests of `graph_evaluator/compare`."""
