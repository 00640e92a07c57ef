"""The stage `generate` of `dvc.yaml`: gets missing answers and writes responses."""

import sys

from graph_evaluator.__main__ import start

if __name__ == "__main__":
    start("generate", *sys.argv[1:])
