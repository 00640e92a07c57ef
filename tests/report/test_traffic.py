"""Models with answers to logged inputs have a table of their own."""

from dataclasses import replace

import pytest

from stages.present.page import Frame
from stages.report.findings import TRAFFIC, Findings
from stages.report.site.overview import overview_file
from stages.report.summary import summary
from tests.builders.scorecards import card, findings

BRIEFS = ("b1", "b2")
CARDS = [
    *(card("slow", brief, 0.5) for brief in BRIEFS),
    *(card("fast", brief, 0.6) for brief in BRIEFS),
    *(card("logged", brief, 0.9) for brief in ("log1", "log2")),
]


def with_traffic(*briefs: str) -> Findings:
    return replace(findings(*CARDS), traffic_briefs=frozenset(briefs))


def test_models_of_traffic_have_no_rank_among_the_others() -> None:
    of_both = with_traffic("log1", "log2")
    assert list(of_both.ranked_models["model_id"]) == ["fast", "slow"]
    assert list(of_both.ranked_models["rank"]) == [1, 2]
    assert list(of_both.traffic_models["model_id"]) == ["logged"]


@pytest.mark.parametrize("briefs", [("log1", "log2"), ()], ids=["traffic", "none"])
def test_reports_say_that_their_means_are_not_comparable(briefs: tuple[str, ...]) -> None:
    shown = with_traffic(*briefs)
    page = overview_file(Frame("run", "prompt", "1"), shown)[1].decode()
    text = summary(shown, lambda _cell: None)
    sentence = TRAFFIC.partition(" (")[0]
    assert (sentence in page) is (sentence in text) is bool(briefs)
    assert ('id="traffic"' in page) is bool(briefs)


def test_a_run_of_traffic_alone_is_reported() -> None:
    alone = replace(findings(*CARDS[4:]), traffic_briefs=frozenset({"log1", "log2"}))
    assert TRAFFIC.partition(" (")[0] in summary(alone, lambda _cell: None)
