"""The decision in the words and tables that people read."""

import re
from typing import Any

import pytest

from stages.report.advice import modes_table
from stages.report.findings import Findings
from stages.shared.records.scorecard import Scorecard
from tests.builders.cases import cases
from tests.builders.scorecards import card, config, findings, unanswered


def many(model: str, score: float, swing: float = 0.0, **fields: Any) -> list[Scorecard]:
    return [
        card(model, f"b{index:02}", score + (swing if index % 2 else -swing), **fields)
        for index in range(16)
    ]


def reason(*cards: Scorecard) -> str:
    return findings(*cards).decision.modes["normal"].reason


def rows(found: Findings) -> list[list[str]]:
    table = modes_table(found.decision, found.candidates)
    return [[entry.text for entry in entries] for entries in table.rows]


def test_an_undecided_mode_says_what_would_decide() -> None:
    text = reason(
        *many("dear", 0.86, swing=0.09, est_cost_usd=0.05),
        *many("cheap", 0.82),
        *many("quick", 0.82, swing=-0.05, est_cost_usd=0.04),
    )
    assert text.startswith("Undecided: DEAR has the highest score, 0.860 (16 briefs, 95% interval ")
    assert re.search(
        r"but CHEAP, QUICK may be as good in score; about \d+ briefs in all would decide, for about \$\d+\.\d+ more\.$",
        text,
    ), text


@pytest.mark.parametrize(("models", "listed"), [("abc", "B, C"), ("abcdef", "B, C, D, E and 1 more")])  # fmt: skip
def test_up_to_four_models_that_may_be_as_good_are_named(models: str, listed: str) -> None:
    cards = [card(model, brief, score) for model in models for brief, score in (("b1", 0.6), ("b2", 0.5))]  # fmt: skip
    assert f"but {listed} may be as good in score; " in reason(*cards)


def test_a_leader_is_shown_with_its_lead() -> None:
    found = findings(*many("good", 0.9), *many("poor", 0.3))
    assert "GOOD leads with a score of 0.900" in found.decision.modes["normal"].reason
    named, rival = rows(found)
    assert named == ["normal", "GOOD", "—", "—", "named"]
    assert (rival[1], rival[2][:8], rival[3]) == ("POOR", "+0.600 (", "—")


def test_a_lead_in_content_that_decides_is_shown() -> None:
    cards = [
        one
        for model, content in {"good": 0.9, "poor": 0.4}.items()
        for one in many(model, 0.8, content=content, coded=1.0)
    ]
    found = findings(*cards)
    assert "it leads in content, ahead of POOR by +0.500 (" in found.decision.modes["normal"].reason
    assert rows(found)[1][3].startswith("+0.500 (")


@cases(
    "limit, value, shown",
    {
        "latency": ("max_p95_latency_s", 0.5, "max_p95_latency_s 0.5: missed (100% took longer, 85% to 100%)"),
        "cost": ("max_usd_per_usable_graph", 0.5, "max_usd_per_usable_graph 0.5: met ($0.0100)"),
        "usable": ("min_usable_rate", 0.5, "min_usable_rate 0.5: met (100%, 85% to 100%)"),
        "open": ("min_usable_rate", 0.95, "min_usable_rate 0.95: cannot tell (100%, 85% to 100%)"),
    },
)  # fmt: skip
def test_each_limit_is_shown_with_what_was_measured(limit: str, value: float, shown: str) -> None:
    found = findings(*many("a", 0.8), configs=[config("a")], modes={"deep": {limit: value}})
    result = "left out for a limit" if "missed" in shown else "named"
    assert rows(found)[-1] == ["deep", "A", "—", "—", f"{result}; {shown}"]


def test_a_candidate_without_a_usable_graph_is_named_and_shown_in_its_mode() -> None:
    found = findings(*many("a", 0.8), unanswered(model="b"))
    assert [row[-1] for row in rows(found)] == ["named", "no usable graph"]
    assert found.decision.modes["normal"].reason.endswith("Nothing usable came from B.")
