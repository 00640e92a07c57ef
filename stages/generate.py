"""The stage `generate` of `dvc.yaml`: gets missing answers and writes responses."""

from graph_evaluator.__main__ import start

if __name__ == "__main__":
    start("generate")
