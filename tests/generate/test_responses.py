"""The response of a cell states what should be known about its answer; a run ends with counts."""

from pathlib import Path
from typing import Any

import pytest

from graph_evaluator.generate.calls.outcome import Fault
from graph_evaluator.generate.responses import ResponseWriter, response_of
from graph_evaluator.records.response import Cell
from tests.builders.cases import cases
from tests.builders.responses import response
from tests.generate.asking import cells, config
from tests.generate.entries import answers_of, body

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {"nodes": {"type": "array", "items": {"type": "string"}}},
    "required": ["nodes"],
    "additionalProperties": False,
}


def warnings(text, **changed):
    """The warnings of the response whose answer has this text."""
    (planned,) = cells(config(**changed), schema=SCHEMA)
    return response_of(planned.with_answers(answers_of(planned, [body(text)])), {}).warnings


@pytest.mark.parametrize(
    ("text", "warned"),
    [
        ("<think>hm</think>{}", True),
        ("\n<think>\nhm {", True),
        ("hm</think>{}", True),
        ('{"label": "</think>"}', False),
    ],
)
def test_reasoning_that_the_server_left_in_the_text_is_warned_of(text, warned):
    assert any("--reasoning-parser" in warning for warning in warnings(text)) == warned


@pytest.mark.parametrize("api", ["responses", "chat_completions"])
def test_an_answer_that_does_not_follow_the_schema_is_warned_of_with_the_path(api):
    structured: dict[str, Any] = {"params": {"response_format": "json_schema"}, "api": api}
    assert warnings('{"nodes": ["a"]}', **structured) == ()
    (warning,) = warnings('{"nodes": ["a", 1]}', **structured)
    assert warning == "the answer does not follow the schema that was sent, first at $.nodes[1]"
    assert warnings("I would rather not.", **structured) == ()
    assert warnings('{"nodes": ["a", 1]}', api=api) == ()


def test_a_draw_that_failed_is_a_warning_of_the_response_that_the_cell_has():
    (planned,) = cells(config(), unparsed_draws=2)
    failure = Fault(status="server_error", code="c", message="HTTP 500", attempts=8)
    state = planned.with_answers(answers_of(planned, [body("no")]))
    found = response_of(state, {planned.fingerprints[1]: failure})
    assert found.answer.status == "parse_failed"
    assert found.warnings == ("draw 2 has no answer: server_error: HTTP 500",)


def counting(*statuses):
    """A writer that has counted so many responses; "kept" is a success whose next call has no
    answer.
    """
    writer = ResponseWriter(Path("nowhere"))
    for sample, status in enumerate(statuses, start=1):
        shown = "success" if status == "kept" else status
        counted = response(
            Cell("m", "b", sample), status=shown, error_message=f"failed with {status}"
        )
        writer.add(counted, is_complete=counted.answer.answered and status != "kept")
    return writer


@cases(
    "statuses, costs_usd, lines",
    {
        "at an unknown price": (
            ["success"],
            [None],
            ["1 answer: 1 success; 1 fetched (1 at an unknown price)"],
        ),
        "one without its next draw": (
            ["success", "server_error", "parse_failed", "server_error", "kept"],
            [0.004, 0.006],
            [
                "5 answers: 2 success, 1 parse_failed, 2 server_error; 2 fetched for $0.0100",
                "3 answers are still missing: `dvc repro -f` calls only for these",
            ],
        ),
        "one without an answer": (
            ["success", "rate_limited"],
            [],
            [
                "2 answers: 1 success, 1 rate_limited; none was fetched",
                "1 answer is still missing: `dvc repro -f` calls only for these",
            ],
        ),
    },
)
def test_every_status_is_counted_and_the_next_step_is_named(statuses, costs_usd, lines):
    assert counting(*statuses).lines(costs_usd, []) == lines
