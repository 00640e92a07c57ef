"""Graph Evaluator: the code of the pipeline's stages and of the commands that people type."""
