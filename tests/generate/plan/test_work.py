"""The status of a cell's answers, and the draw that it needs next."""

import json
from typing import Any

from stages.generate.answers.answer import Answer
from stages.generate.answers.draws import Draw
from stages.generate.plan.cells import PlannedCell
from stages.generate.plan.work import state_of
from tests.builders.cases import cases
from tests.generate.asking import cells, config
from tests.generate.entries import body, paid


def read_first(cell: PlannedCell, answer: Answer) -> Draw:
    return cell.read_draw(cell.calls[0], answer)


REFUSAL = [{"type": "message", "content": [{"type": "refusal", "refusal": "No."}]}]


@cases(
    "text, changed, status, code",
    {
        "a graph": ('{"nodes": []}', {}, "success", None),
        "another value": ("[1, 2]", {}, "success", None),
        "null": ("null", {}, "parse_failed", "no_json"),
        "prose": ("I would rather not.", {}, "parse_failed", "no_json"),
        "nothing": ("", {}, "parse_failed", "empty_output"),
        "white space": (" \n", {}, "parse_failed", "empty_output"),
        "nested too deeply": ("[" * 200 + "]" * 200, {}, "parse_failed", "too_deep"),
        "cut off": (
            "{}",
            {"status": "incomplete", "incomplete_details": {"reason": "max_output_tokens"}},
            "truncated",
            "max_output_tokens",
        ),
        "refused": ("", {"output": REFUSAL}, "refused", "refusal"),
        "failed": (
            "",
            {"status": "failed", "error": {"code": "server_error"}},
            "parse_failed",
            "server_error",
        ),
    },
)
def test_an_answer_has_the_status_of_its_outcome(
    text: str, changed: dict[str, Any], status: str, code: str | None
) -> None:
    draw = read_first(planned(1), paid(content=body(text, **changed)))
    assert draw.status == status
    assert draw.failure_code == code
    assert (draw.graph is not None) == (status == "success")


def test_a_structured_answer_is_brought_into_the_ordinary_form() -> None:
    pairs = {"nodes": [{"id": "o", "data": {"interventions": [{"factor_id": "f", "value": 1}]}}]}
    (structured,) = cells(config(params={"response_format": "json_schema"}), schema={})
    answer = paid(content=body(json.dumps(pairs)))
    draw = read_first(structured, answer)
    assert draw.graph == {"nodes": [{"id": "o", "data": {"interventions": {"f": 1}}}]}
    assert answer.content.extraction.parsed == pairs
    assert read_first(planned(1), answer).graph == pairs


@cases(
    "text, written, bound, status, code",
    {
        "cut off": ("so far so go", 100, 100, "truncated", "max_output_tokens"),
        "nothing but reasoning": ("", 100, 100, "truncated", "max_output_tokens"),
        "below the bound": ("so far so go", 99, 100, "parse_failed", "no_json"),
        "no bound": ("so far so go", 99, None, "parse_failed", "no_json"),
        "with JSON": ("{}", 100, 100, "success", None),
    },
)
def test_an_answer_without_json_whose_output_reached_the_bound_is_truncated(
    text: str, written: int, bound: int | None, status: str, code: str | None
) -> None:
    (cell,) = cells(config(params={"max_output_tokens": bound} if bound else {}))
    usage = {"input_tokens": 3, "output_tokens": written}
    draw = read_first(cell, paid(content=body(text, usage=usage)))
    assert draw.status == status
    assert draw.failure_code == code


def planned(draws: int) -> PlannedCell:
    return cells(config(), unparsed_draws=draws)[0]


@cases(
    "allowed, texts, statuses, wanted",
    {
        "nothing yet": (1, [], [], 1),
        "answered": (1, ["{}"], ["success"], None),
        "of no use, once": (1, ["no"], ["parse_failed"], None),
        "of no use, again": (3, ["no"], ["parse_failed"], 2),
        "the second is of use": (3, ["no", "{}"], ["parse_failed", "success"], None),
        "a success ends it": (3, ["{}", "{}"], ["success"], None),
        "a smaller setting sees less": (
            2,
            ["no", "no", "{}"],
            ["parse_failed", "parse_failed"],
            None,
        ),
    },
)
def test_draws_are_taken_until_one_is_usable(
    allowed: int, texts: list[str], statuses: list[str], wanted: int | None
) -> None:
    texts_by_key = zip(planned(10).fingerprints, texts, strict=False)
    answers = {key: paid(key, body(text)) for key, text in texts_by_key}
    state = state_of(planned(allowed), answers)
    assert [draw.status for draw in state.draws] == statuses
    assert (state.following.draw if state.following else None) == wanted
