"""Graph Evaluator: one folder per pipeline stage, two shared ones (`contracts`, `shell`)."""

import stages.shell.ancestry
import stages.shell.interrupt  # noqa: F401 - Ctrl-C is quiet from here on
