"""`python -m stages NAME`, as scripts of earlier versions call it: `graph-evaluator NAME`."""

from graph_evaluator.__main__ import start

start()
