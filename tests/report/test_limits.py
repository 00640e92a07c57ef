"""Limits of a mode: met, missed, or not decided by so few answers."""

import math
from collections.abc import Sequence
from typing import Any

import pytest

from stages.report.limits import check_limits
from stages.shared.analysis.interval import share_interval
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


def test_an_open_limit_says_how_many_answers_would_decide() -> None:
    assert latency(seconds(16, 0)).answers_needed == 50
    assert share_interval(0.0, 49)[1] <= 0.05 < share_interval(0.0, 48)[1]
    assert latency(seconds(50, 0)).answers_needed is None


def test_no_number_of_answers_separates_a_share_at_the_limit_from_it() -> None:
    assert latency(seconds(19, 1)).answers_needed is None


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


def priced() -> list[Scorecard]:
    """40 answers of which 10 are not usable, for 4 to 4.2 cents each."""
    return [
        card(brief=f"b{index:02}", est_cost_usd=0.04 + 0.001 * (index % 3))
        if index % 4
        else invalid("a", f"b{index:02}", "X", est_cost_usd=0.04 + 0.001 * (index % 3))
        for index in range(40)
    ]


def cost(cards: Sequence[Scorecard], limit: float) -> LimitCheck:
    return check(cards, max_usd_per_usable_graph=limit)


@cases(
    "limit, verdict",
    {"met": (0.10, "met"), "missed": (0.04, "missed"), "open": (0.055, "cannot tell")},
)
def test_the_cost_of_a_usable_graph_counts_the_answers_that_failed(
    limit: float, verdict: str
) -> None:
    found = cost(priced(), limit)
    assert found.verdict == verdict
    assert found.measured.value == pytest.approx(0.041 / 0.75, rel=0.01)
    assert (found.answers_needed is not None) == (verdict == "cannot tell")


def test_a_model_without_any_usable_graph_costs_more_than_any_limit_that_its_answers_reach() -> (
    None
):
    found = cost(answers(0, 20, est_cost_usd=0.05), 0.10)
    assert (found.verdict, found.measured.value, found.measured.high) == ("missed", None, None)


@cases(
    "cards, verdict",
    {
        "some costs unknown": ((card(), card(brief="b2", est_cost_usd=None)), "cannot tell"),
        "all costs unknown": ((card(est_cost_usd=None),), "not measured"),
        "no answer": ((unanswered(),), "not measured"),
    },
)
def test_an_unknown_cost_cannot_be_judged(cards: Sequence[Scorecard], verdict: str) -> None:
    found = cost(cards, 0.05)
    assert (found.verdict, found.measured.value, found.answers_needed) == (verdict, None, None)


@pytest.mark.parametrize("limit", [0.052, 0.058])
def test_an_open_limit_of_the_cost_needs_more_answers_the_closer_the_mean_is_to_it(
    limit: float,
) -> None:
    found = cost(priced(), limit)
    value, ends = found.measured.value, found.measured.ends
    assert value is not None
    assert ends is not None
    times = (value - ends[0 if limit < value else 1]) / (value - limit)
    assert found.answers_needed == math.ceil(40 * times**2)
    assert found.answers_needed > 40
    at_limit = cost(priced(), value)
    assert (at_limit.verdict, at_limit.answers_needed) == ("cannot tell", None)


def test_a_brief_without_an_answer_has_no_part_in_the_cost() -> None:
    cards = (
        card(est_cost_usd=0.1), card(brief="b2", est_cost_usd=0.2), invalid("a", "b2", "X", sample=2, est_cost_usd=0.4),
        unanswered(brief="b3"),
    )  # fmt: skip
    found = cost(cards, 0.05).measured
    assert found.value == pytest.approx((0.1 + 0.3) / 2 / 0.75)
    assert found.n == 2
