"""The response of a cell states what should be known about its answer."""

from typing import Any

import pytest

from stages.generate.calls.faults import Fault
from stages.generate.plan.work import state_of
from stages.generate.responses.response import response_of
from tests.generate.asking import cells, config
from tests.generate.entries import answers_of, body

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {"nodes": {"type": "array", "items": {"type": "string"}}},
    "required": ["nodes"],
    "additionalProperties": False,
}


def warnings(text: str, **changed: Any) -> tuple[str, ...]:
    """The warnings of the response whose answer has this text."""
    (planned,) = cells(config(**changed), schema=SCHEMA)
    return response_of(state_of(planned, answers_of(planned, [body(text)]))).warnings


@pytest.mark.parametrize(
    ("text", "warned"),
    [
        ("<think>hm</think>{}", True),
        ("\n<think>\nhm {", True),
        ("hm</think>{}", True),
        ('{"label": "</think>"}', False),
    ],
)
def test_reasoning_that_the_server_left_in_the_text_is_warned_of(text: str, warned: bool) -> None:
    assert any("--reasoning-parser" in warning for warning in warnings(text)) == warned


@pytest.mark.parametrize("api", ["responses", "chat_completions"])
def test_an_answer_that_does_not_follow_the_schema_is_warned_of_with_the_path(api: str) -> None:
    structured: dict[str, Any] = {"params": {"response_format": "json_schema"}, "api": api}
    assert warnings('{"nodes": ["a"]}', **structured) == ()
    (warning,) = warnings('{"nodes": ["a", 1]}', **structured)
    assert warning == "the answer does not follow the schema that was sent, first at $.nodes[1]"
    assert warnings("I would rather not.", **structured) == ()
    assert warnings('{"nodes": ["a", 1]}', api=api) == ()


def test_a_draw_that_failed_is_a_warning_of_the_response_that_the_cell_has() -> None:
    (planned,) = cells(config(), unparsed_draws=2)
    failure = Fault(status="server_error", code="c", message="HTTP 500", attempts=8)
    found = response_of(state_of(planned, answers_of(planned, [body("no")])), failure)
    assert found.answer.status == "parse_failed"
    assert found.warnings == ("draw 2 has no answer: server_error: HTTP 500",)
