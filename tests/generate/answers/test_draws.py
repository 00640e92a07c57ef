"""What a cell's answers amount to, and which draw it wants next."""

import json
from typing import Any

import pytest

from stages.generate.answers.draws import read_draw, state_of
from stages.generate.call import Answer
from stages.generate.plan.cell_plan import PlannedCell
from stages.generate.plan.needs import needed
from tests.generate.asking import cells, config
from tests.generate.workspace import answer_body


def answer(fingerprint: str = "f", text: str = "{}", **changed: Any) -> Answer:
    return Answer(
        fingerprint=fingerprint,
        body=answer_body(text, **changed).decode(),
        latency_ms=1.0,
        attempts=1,
        arrived_at="2026-01-01T00:00:00Z",
        endpoint="e",
    )


class Shelf:
    """A store in memory."""

    def __init__(self, **texts: str) -> None:
        self.answers = {fingerprint: answer(fingerprint, text) for fingerprint, text in texts.items()}

    def present(self, fingerprints: Any, /) -> frozenset[str]:
        return frozenset(fingerprints) & self.answers.keys()

    def read(self, fingerprints: Any, /) -> dict[str, Answer]:
        return {key: self.answers[key] for key in fingerprints if key in self.answers}


REFUSAL = [{"type": "message", "content": [{"type": "refusal", "refusal": "No."}]}]


@pytest.mark.parametrize(
    ("text", "changed", "status", "code"),
    [
        ('{"nodes": []}', {}, "success", None),
        ("[1, 2]", {}, "success", None),
        ("null", {}, "parse_failed", "no_json"),
        ("I would rather not.", {}, "parse_failed", "no_json"),
        ("", {}, "parse_failed", "empty_output"),
        (" \n", {}, "parse_failed", "empty_output"),
        ("{}", {"status": "incomplete", "incomplete_details": {"reason": "max_output_tokens"}}, "truncated",
         "max_output_tokens"),
        ("", {"output": REFUSAL}, "refused", "refusal"),
        ("", {"status": "failed", "error": {"code": "server_error"}}, "parse_failed", "server_error"),
    ],
    ids=["a graph", "another value", "null", "prose", "nothing", "white space", "cut off", "refused", "failed"],
)  # fmt: skip
def test_an_answer_has_the_status_that_it_deserves(
    text: str, changed: dict[str, Any], status: str, code: str | None
) -> None:
    draw = read_draw(answer(text=text, **changed), config(), 1)
    assert (draw.status, draw.code) == (status, code)
    assert (draw.graph is not None) == (status == "success")


def test_a_structured_answer_is_brought_into_the_ordinary_form() -> None:
    pairs = {"nodes": [{"id": "o", "data": {"interventions": [{"factor_id": "f", "value": 1}]}}]}
    structured = config(params={"response_format": "json_schema"})
    assert read_draw(answer(text=json.dumps(pairs)), structured, 1).graph == {
        "nodes": [{"id": "o", "data": {"interventions": {"f": 1}}}]
    }
    assert read_draw(answer(text=json.dumps(pairs)), config(), 1).graph == pairs


def planned(draws: int) -> PlannedCell:
    return cells(config(), unparsed_draws=draws)[0]


@pytest.mark.parametrize(
    ("allowed", "texts", "statuses", "wanted"),
    [
        (1, [], [], 1),
        (1, ["{}"], ["success"], None),
        (1, ["no"], ["parse_failed"], None),
        (3, ["no"], ["parse_failed"], 2),
        (3, ["no", "{}"], ["parse_failed", "success"], None),
        (3, ["{}", "{}"], ["success"], None),
        (2, ["no", "no", "{}"], ["parse_failed", "parse_failed"], None),
    ],
    ids=["nothing yet", "answered", "of no use, once", "of no use, again", "the second is of use",
         "a success ends it", "a smaller setting sees less"],
)  # fmt: skip
def test_draws_follow_each_other_until_one_is_of_use(
    allowed: int, texts: list[str], statuses: list[str], wanted: int | None
) -> None:
    keys = planned(10).fingerprints
    shelf = Shelf(**dict(zip(keys, texts, strict=False)))
    state = state_of(planned(allowed), shelf.answers)
    assert [draw.status for draw in state.draws] == statuses
    assert state.wanted == wanted
    assert [(draw, cell.cell) for cell, draw in needed([planned(allowed)], shelf)] == (
        [(wanted, planned(1).cell)] if wanted else []
    )


def test_configs_that_ask_the_very_same_share_one_answer() -> None:
    both = cells(config("a", model="m"), config("b", model="m"))
    assert both[0].fingerprints == both[1].fingerprints
    assert [entry[0].cell.model_id for entry in needed(both, Shelf())] == ["a"]


def test_what_was_given_up_is_not_needed_again() -> None:
    cell = planned(1)
    assert needed([cell], Shelf(), {cell.fingerprints[0]}) == []
