"""Two branches that both ran are merged without a call: `graph-evaluator merge`."""
