"""Tests of `graph_evaluator/ingest`."""
