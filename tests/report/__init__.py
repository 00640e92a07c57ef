"""Tests of `graph_evaluator/report`."""
