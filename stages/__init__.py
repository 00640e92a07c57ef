"""Graph Evaluator: one folder per pipeline stage, two shared ones (`contracts`, `shell`)."""

import stages.shell.interrupt
import stages.shell.orphan_watch  # noqa: F401 - Ctrl-C is quiet from here on
