"""Limits of a mode: met, missed, or not decided by so few answers."""

from collections.abc import Sequence
from typing import Any

import pytest

from stages.report.decision import check_limits
from stages.shared.records.decision import LimitCheck
from stages.shared.records.params import ModeLimits
from stages.shared.records.scorecard import Scorecard
from tests.builders.cases import cases
from tests.builders.scorecards import candidate, card, invalid, unanswered

Calls = Sequence[float | None]


def check(cards: Sequence[Scorecard], **limit: float) -> LimitCheck:
    (one,) = check_limits(candidate(*cards), ModeLimits.model_validate(limit), 0.95)
    return one


def latency(calls: Calls) -> LimitCheck:
    """The check of a limit of 60 seconds for calls of so many, one a brief; None: given up."""
    cards = [
        unanswered("timeout_failed", brief=f"b{index:03}")
        if seconds is None
        else card(brief=f"b{index:03}", latency_ms=1000 * seconds)
        for index, seconds in enumerate(calls)
    ]
    return check(cards or [unanswered()], max_p95_latency_s=60.0)


def answers(usable: int, failed: int, **fields: Any) -> list[Scorecard]:
    """The answers to so many briefs."""
    graphs = [card(brief=f"u{index:02}", **fields) for index in range(usable)]
    return graphs + [invalid("a", f"f{index:02}", "X", **fields) for index in range(failed)]


def seconds(fast: int, slow: int, given_up: int = 0) -> Calls:
    return [10.0] * fast + [90.0] * slow + [None] * given_up


@cases(
    "calls, verdict",
    {
        "3 of 16 over": (seconds(13, 3), "missed"),
        "3 of 16 given up": (seconds(13, 0, given_up=3), "missed"),
        "2 of 16 over": (seconds(14, 2), "cannot tell"),
        "none of 16": (seconds(16, 0), "cannot tell"),
        "none of 50": (seconds(50, 0), "met"),
        "all of 4": (seconds(0, 4), "missed"),
        "no call": ((), "not measured"),
    },
)
def test_the_95th_percentile_is_judged_by_the_share_of_calls_over_the_limit(
    calls: Calls, verdict: str
) -> None:
    assert latency(calls).verdict == verdict


def test_a_call_that_takes_exactly_the_limit_is_within_it() -> None:
    assert latency([60.0]).measured.value == 0.0


@pytest.mark.parametrize(
    ("usable", "failed", "verdict"),
    [
        (40, 0, "met"),
        (16, 0, "cannot tell"),
        (12, 4, "cannot tell"),
        (8, 8, "missed"),
        (0, 3, "missed"),
    ],
)
def test_the_share_of_usable_graphs_is_judged_by_its_interval(
    usable: int, failed: int, verdict: str
) -> None:
    found = check(answers(usable, failed), min_usable_rate=0.9)
    assert found.verdict == verdict
    assert found.measured.value == usable / (usable + failed)


def cost(cards: Sequence[Scorecard], limit: float) -> LimitCheck:
    return check(cards, max_usd_per_usable_graph=limit)


@cases("limit, verdict", {"met": (0.08, "met"), "missed": (0.07, "missed")})
def test_the_cost_of_a_usable_graph_counts_the_answers_that_failed(
    limit: float, verdict: str
) -> None:
    found = cost(answers(5, 5, est_cost_usd=0.04), limit)
    assert found.verdict == verdict
    assert found.measured.value == pytest.approx(0.08)


@cases(
    "cards",
    {
        "one unknown": (card(), card(brief="b2", est_cost_usd=None)),
        "all unknown": (card(est_cost_usd=None),),
    },
)
def test_an_unknown_cost_is_not_measured(cards: Sequence[Scorecard]) -> None:
    found = cost(cards, 0.05)
    assert (found.verdict, found.measured.value) == ("not measured", None)


def test_a_call_without_a_latency_is_in_no_share_of_slow_calls() -> None:
    cards = [
        card(brief="b1", latency_ms=None),
        card(brief="b2"),
        unanswered("timeout_failed", brief="b3"),
        unanswered(brief="b4"),
    ]
    measured = check(cards, max_p95_latency_s=60.0).measured
    assert (measured.value, measured.n) == (0.5, 2)
