"""Tests of `graph_evaluator/records`."""
