import pytest

from stages.contracts.scorecard import Scorecard
from stages.report.ranking import RankBy
from stages.report.tables import (
    as_markdown,
    cell_fields,
    cost_text,
    failure_fields,
    model_fields,
    outcome,
)
from tests.report.records import card, findings, frame, invalid, row, unanswered


def fields_of(markdown: str) -> list[list[str]]:
    """The fields of a Markdown table, its header first."""
    lines = [line.strip("|").split("|") for line in markdown.splitlines()]
    return [[field.strip() for field in line] for line in (lines[0], *lines[2:])]


def test_a_table_has_the_named_fields_in_their_order() -> None:
    found = findings(card("a", score=0.5), card("b", score=0.75))
    table = as_markdown(found.models, model_fields("expected_score", 0.95), "score name")
    assert fields_of(table) == [["Expected score", "Model"], ["0.750", "B"], ["0.500", "A"]]


@pytest.mark.parametrize(
    ("rank_by", "titles"),
    [
        ("expected_score", ["Expected score", "Overall"]),
        ("overall_score", ["Overall score", "Expected"]),
    ],
)
def test_the_score_that_ranks_and_the_other_are_named(rank_by: RankBy, titles: list[str]) -> None:
    fields = model_fields(rank_by, 0.95)
    assert [fields[name].title for name in ("score", "other")] == titles


def test_texts_are_escaped_numbers_are_not_and_codes_are_code() -> None:
    found = findings(invalid("*a*", "b1", "CYCLE_DETECTED"), configs=())
    (_, line) = fields_of(
        as_markdown(found.failures, failure_fields(), "name code share", compact=True)
    )
    assert line == [r"\*a\*", "`CYCLE_DETECTED`", "100% (1/1)"]


@pytest.mark.parametrize(
    ("cards", "shown"),
    [
        ((card(),), "$0.0100"),
        ((card(), card(brief="b2", est_cost_usd=None)), "$0.0100 + 1 unknown"),
        ((card(est_cost_usd=None),), "— + 1 unknown"),
        ((unanswered(),), "—"),
    ],
    ids=["known", "partly known", "unknown", "nothing to pay"],
)
def test_unknown_costs_are_counted_beside_the_known(
    cards: tuple[Scorecard, ...], shown: str
) -> None:
    assert cost_text(findings(*cards).total) == shown


def test_a_cell_is_shown_with_its_outcome_and_figures() -> None:
    cells = frame(card(score=0.5), unanswered("rate_limited", brief="b2"))
    fields = cell_fields()
    names = ["brief", "outcome", "expected", "nodes", "output", "cost", "latency", "violations"]
    assert [[fields[name].text(row(cells, place)) for name in names] for place in (0, 1)] == [
        ["b1", "usable", "0.500", "8", "900", "$0.0100", "1.0 s", ""],
        ["b2", "rate limited", "—", "—", "—", "—", "—", "NO_GRAPH"],
    ]


def test_the_outcome_of_an_answer_is_usable_unfaithful_or_invalid() -> None:
    assert outcome("success", usable=True, valid=True) == "usable"
    assert outcome("success", usable=False, valid=True) == "unfaithful"
    assert outcome("success", usable=False, valid=False) == "invalid"
