"""A kind of API is known by its name, its shape and nothing outside its module."""

import ast
from typing import get_args

from graph_evaluator.generate.apis import API_KINDS
from graph_evaluator.records.model_config import Api
from tests.generate.workspace import REPOSITORY


def test_no_other_module_asks_which_api_it_is():
    assert set(API_KINDS) == set(get_args(Api))
    root = REPOSITORY / "graph_evaluator" / "generate"
    asking: list[str] = []
    for file in sorted(root.rglob("*.py")):
        nodes = ast.walk(ast.parse(file.read_text()))
        for comparison in (node for node in nodes if isinstance(node, ast.Compare)):
            parts = [part for part in ast.walk(comparison) if isinstance(part, ast.Constant)]
            if any(part.value in API_KINDS for part in parts):
                asking.append(file.relative_to(root).as_posix())
    assert asking == []
