"""Models with answers to logged inputs have a table of their own."""

import math
from typing import Any

from stages.present.page import Frame
from stages.report.findings import TRAFFIC, Findings
from stages.report.site.overview import overview_file
from stages.report.summary import summary
from tests.builders.cases import cases
from tests.builders.scorecards import card, findings, row

BRIEFS = ("b1", "b2")
CARDS = [
    *(card("slow", brief, 0.5) for brief in BRIEFS),
    *(card("fast", brief, 0.6) for brief in BRIEFS),
    *(card("logged", brief, 0.9) for brief in ("log1", "log2")),
]
LIMITS = {"modes": {"normal": {"min_usable_rate": 0.1}}}


def with_traffic(*briefs: str) -> Findings:
    return findings(*CARDS, traffic_briefs=briefs)


def test_models_of_traffic_have_no_rank_among_the_others() -> None:
    of_both = with_traffic("log1", "log2")
    assert list(of_both.ranked_models["model_id"]) == ["fast", "slow"]
    assert list(of_both.ranked_models["rank"]) == [1, 2]
    assert list(of_both.traffic_models["model_id"]) == ["logged"]
    assert math.isnan(row(of_both.traffic_models).rank)


@cases(
    "params",
    {
        "target mode": {},
        "limits": LIMITS,
    },
)
def test_no_model_of_traffic_is_a_candidate_for_a_mode(params: dict[str, Any]) -> None:
    decision = findings(*CARDS, traffic_briefs=("log1", "log2"), **params).decision
    assert "logged" in str(findings(*CARDS, **params).decision.modes)
    assert decision.modes["normal"].named != "logged"
    assert "logged" not in str(decision.modes)


@cases(
    "briefs",
    {
        "traffic": ("log1", "log2"),
        "none": (),
    },
)
def test_reports_say_that_their_means_are_not_comparable(briefs: tuple[str, ...]) -> None:
    shown = with_traffic(*briefs)
    page = overview_file(Frame("run", "prompt", "1"), shown)[1].decode()
    text = summary(shown, lambda _cell: None)
    sentence = TRAFFIC.partition(" (")[0]
    assert (sentence in page) is (sentence in text) is bool(briefs)
    assert ('id="traffic"' in page) is bool(briefs)


def test_a_run_of_traffic_alone_has_one_table_of_models_and_no_decision() -> None:
    alone = findings(*CARDS[4:], traffic_briefs=("log1", "log2"))
    text = summary(alone, lambda _cell: None)
    page = overview_file(Frame("run", "prompt", "1"), alone)[1].decode()
    assert TRAFFIC.partition(" (")[0] in text
    assert alone.decision.modes == {}
    assert "| --- |" not in text
    assert 'id="leaderboard"' not in page
    assert 'id="traffic"' in page
