"""Tests of `graph_evaluator/project`."""
