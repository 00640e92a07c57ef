"""The stage `report` of `dvc.yaml`: writes the decision, the tables and the site."""

from graph_evaluator.__main__ import start

if __name__ == "__main__":
    start("report")
