"""The tests; the tree mirrors `graph_evaluator/`."""
