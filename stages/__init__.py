"""Graph Evaluator: one folder per pipeline stage, two shared ones (`contracts`, `shell`)."""

import stages.shared.shell.process  # noqa: F401 - Ctrl-C is quiet from here on
