"""A kind of API is known by its name, its shape and nothing outside its module."""

import ast
from typing import get_args

import pytest

from stages.contracts.model_config import Api
from stages.generate.apis.kind import Turn
from stages.generate.apis.registry import API_KINDS, recognize
from tests.builders.api_bodies import completion_body, response_body
from tests.generate.workspace import REPOSITORY

CONVERSATION = (Turn("user", "a brief"), Turn("assistant", "{}"), Turn("user", "it is invalid"))
MESSAGES = [
    {"role": "user", "content": "a brief"},
    {"role": "assistant", "content": "{}"},
    {"role": "user", "content": "it is invalid"},
]


def test_every_api_that_a_model_config_may_name_has_its_module() -> None:
    assert set(API_KINDS) == set(get_args(Api))


@pytest.mark.parametrize(
    ("name", "body"), [("responses", response_body()), ("chat_completions", completion_body())]
)
def test_a_body_is_recognized_by_its_shape(name: Api, body: dict[str, object]) -> None:
    assert recognize(body) is API_KINDS[name]  # type: ignore[arg-type]


def test_a_conversation_is_sent_turn_by_turn() -> None:
    assert API_KINDS["responses"].messages("a prompt", CONVERSATION) == {
        "instructions": "a prompt",
        "input": MESSAGES,
    }
    assert API_KINDS["chat_completions"].messages("a prompt", CONVERSATION) == {
        "messages": [{"role": "system", "content": "a prompt"}, *MESSAGES]
    }


def test_no_other_module_asks_which_api_it_is() -> None:
    root = REPOSITORY / "stages" / "generate"
    asking: list[str] = []
    for file in sorted(root.rglob("*.py")):
        comparisons = [
            node for node in ast.walk(ast.parse(file.read_text())) if isinstance(node, ast.Compare)
        ]
        constants = {
            part.value
            for comparison in comparisons
            for part in ast.walk(comparison)
            if isinstance(part, ast.Constant)
        }
        if constants & set(API_KINDS):
            asking.append(file.relative_to(root).as_posix())
    assert asking == []
