"""Graph Evaluator: the stages of `dvc.yaml`, the commands that people type, and what they share."""

import stages.shared.shell.process  # noqa: F401 - Ctrl-C is quiet from here on
