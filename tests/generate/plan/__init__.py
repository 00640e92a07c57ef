"""Tests of `graph_evaluator/generate/plan`."""
