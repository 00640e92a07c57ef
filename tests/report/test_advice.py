"""The decision in the words and tables that people read."""

import re
from typing import Any

import pytest

from stages.report.advice import Advice, advice_of, modes_table
from stages.report.findings import Findings
from stages.shared.present.table import Table
from stages.shared.records.scorecard import Scorecard
from tests.builders.cases import cases
from tests.builders.scorecards import card, config, findings, unanswered


def many(model: str, score: float, swing: float = 0.0, **fields: Any) -> list[Scorecard]:
    return [
        card(model, f"b{index:02}", score + (swing if index % 2 else -swing), **fields)
        for index in range(16)
    ]


def advised(found: Findings) -> Advice:
    (one,) = advice_of(found.decision, found.models)
    return one


def texts_of(table: Table) -> list[list[str]]:
    return [[entry.text for entry in entries] for entries in table.rows]


def test_an_undecided_mode_names_the_cheapest_and_the_fastest_that_may_be_as_good_and_what_would_decide() -> (
    None
):
    one = advised(
        findings(
            *many("dear", 0.83, swing=0.09, est_cost_usd=0.05, latency_ms=9000.0),
            *many("cheap", 0.82),
            *many("quick", 0.82, swing=-0.05, est_cost_usd=0.04, latency_ms=10.0),
        )
    )
    assert (one.name, one.verdict, one.look) == (
        "DEAR",
        "undecided, the highest score so far",
        "warn",
    )
    assert re.search(
        r"; about \d+ briefs in all would decide, for about \$\d+\.\d+ more\.$", one.decision.reason
    ), one.decision.reason
    cheapest, fastest = one.notes[:2]
    assert cheapest.startswith(
        "The cheapest that may be as good: CHEAP, $0.0100 instead of $0.0500 per usable graph. It may score up to"
    )
    assert fastest.startswith(
        "The fastest that may be as good: QUICK, median 10 ms instead of 9.0 s. It may score up to 0."
    )


@pytest.mark.parametrize(
    ("models", "listed"),
    [("abc", "B and C"), ("abcde", "B, C, D and E"), ("abcdef", "B, C, D, E and 1 more")],
)
def test_up_to_four_models_that_may_be_as_good_are_named(models: str, listed: str) -> None:
    cards = [
        card(model, brief, 0.5 + brief_score)
        for model in models
        for brief, brief_score in (("b1", 0.1), ("b2", 0))
    ]
    assert f"but {listed} may be as good; " in advised(findings(*cards)).decision.reason


def test_a_leader_needs_no_alternatives() -> None:
    found = findings(*many("good", 0.9), *many("poor", 0.3))
    one = advised(found)
    assert (one.name, one.verdict) == ("GOOD", "better than every other")
    assert not [note for note in one.notes if "as good" in note]
    named, rival = texts_of(modes_table(found.decision, found.candidates))
    assert named == ["normal", "GOOD", "—", "—", "named"]
    assert (*rival[:3], rival[4]) == ("normal", "POOR", "+0.600", "lower in score")


def test_a_mode_without_a_usable_graph_has_no_name() -> None:
    one = advised(findings(unanswered()))
    assert (one.name, one.decision.model, one.look) == (None, None, "bad")


@cases(
    "limit, value, shown",
    {
        "latency": ("max_p95_latency_s", 0.5, "p95 at most 500 ms: missed (100% took longer, 85% to 100%)"),
        "cost": (
            "max_usd_per_usable_graph",
            0.5,
            "at most $0.500 per usable graph: met ($0.0100, $0.00829 to $0.0126)",
        ),
        "usable": ("min_usable_rate", 0.5, "at least 50% usable: met (100%, 85% to 100%)"),
        "open": ("min_usable_rate", 0.95, "at least 95% usable: cannot tell (100%, 85% to 100%), about 50 answers would decide"),
    },
)  # fmt: skip
def test_each_limit_is_shown_in_its_unit(limit: str, value: float, shown: str) -> None:
    found = findings(*many("a", 0.8), configs=[config("a")], modes={"deep": {limit: value}})
    one = texts_of(modes_table(found.decision, found.candidates))[-1]
    result = "left out for a limit" if "missed" in shown else "named"
    assert one == ["deep", "A", "—", "—", f"{result}; {shown}"]


def test_a_candidate_without_a_usable_graph_is_shown_in_its_mode() -> None:
    found = findings(*many("a", 0.8), unanswered(model="b"))
    assert [row[-1] for row in texts_of(modes_table(found.decision, found.candidates))] == [
        "named",
        "no usable graph",
    ]


def test_a_lead_in_content_that_decides_is_shown() -> None:
    of_content = {"good": 0.9, "poor": 0.4}
    cards = [
        one
        for model, content in of_content.items()
        for one in many(model, 0.8, content=content, coded=1.0)
    ]
    found = findings(*cards)
    _, rival = texts_of(modes_table(found.decision, found.candidates))
    assert rival[-1].startswith("may be as good in score; lead in content +0.500 (")
