"""Graph Evaluator: one folder per pipeline stage, two shared ones (`contracts`, `shell`)."""
