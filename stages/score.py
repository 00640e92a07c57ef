"""The stage `score` of `dvc.yaml`: scores every response by fixed rules."""

from graph_evaluator.__main__ import start

if __name__ == "__main__":
    start("score")
