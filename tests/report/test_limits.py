"""Limits of a mode: met, missed, or not decided by so few answers."""

import math
from collections.abc import Mapping
from typing import Any

import pytest

from stages.report.limits import MeasuredCandidate
from stages.shared.analysis.estimates import side_of
from stages.shared.analysis.interval import share_interval
from tests.builders.cases import cases

Values = Mapping[str, list[float | None]] | Mapping[str, list[float]] | Mapping[str, list[None]]


def measured(
    side: Values | None = None, *, seconds: Any = None, usd: Any = None
) -> MeasuredCandidate:
    return MeasuredCandidate(
        model="m", side=side_of(side or {}), seconds=seconds or {}, usd=usd or {}, confidence=0.95
    )


def seconds(fast: int, slow: int, given_up: int = 0) -> dict[str, list[float | None]]:
    calls: list[float | None] = [10.0] * fast + [90.0] * slow + [None] * given_up
    return {f"b{index}": [call] for index, call in enumerate(calls)}


@cases(
    "calls, verdict",
    {
        "3 of 16 over": (seconds(13, 3), "missed"),
        "3 of 16 given up": (seconds(13, 0, given_up=3), "missed"),
        "2 of 16 over": (seconds(14, 2), "cannot tell"),
        "none of 16": (seconds(16, 0), "cannot tell"),
        "none of 50": (seconds(50, 0), "met"),
        "all of 4": (seconds(0, 4), "missed"),
        "no call": ({}, "not measured"),
    },
)
def test_the_95th_percentile_is_judged_by_the_share_of_calls_over_the_limit(
    calls: dict[str, list[float | None]], verdict: str
) -> None:
    assert measured(seconds=calls).check_latency(60.0).verdict == verdict


def test_a_call_that_takes_exactly_the_limit_is_within_it() -> None:
    assert measured(seconds={"b": [60.0]}).check_latency(60.0).measured.value == 0.0


def test_an_open_limit_says_how_many_answers_would_decide() -> None:
    check = measured(seconds=seconds(16, 0)).check_latency(60.0)
    assert check.answers_needed == 50
    assert share_interval(0.0, 49)[1] <= 0.05 < share_interval(0.0, 48)[1]
    assert measured(seconds=seconds(50, 0)).check_latency(60.0).answers_needed is None


def test_no_number_of_answers_separates_a_share_at_the_limit_from_it() -> None:
    assert measured(seconds=seconds(19, 1)).check_latency(60.0).answers_needed is None


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
    side = {f"b{index}": [0.8 if index < usable else None] for index in range(usable + failed)}
    check = measured(side).check_usable_rate(0.9)
    assert check.verdict == verdict
    assert check.measured.value == usable / (usable + failed)


@pytest.mark.parametrize(
    ("limit", "verdict"), [(0.10, "met"), (0.04, "missed"), (0.055, "cannot tell")]
)
def test_the_cost_of_a_usable_graph_counts_the_answers_that_failed(
    limit: float, verdict: str
) -> None:
    side = {f"b{index}": [0.8 if index % 4 else None] for index in range(40)}
    usd = {brief: [0.04 + 0.001 * (index % 3)] for index, brief in enumerate(side)}
    check = measured(side, usd=usd).check_cost(limit)
    assert check.verdict == verdict
    assert check.measured.value == pytest.approx(0.041 / 0.75, rel=0.01)
    assert (check.answers_needed is not None) == (verdict == "cannot tell")


def test_a_model_without_any_usable_graph_costs_more_than_any_limit_that_its_answers_reach() -> (
    None
):
    side = {f"b{index}": [None] for index in range(20)}
    check = measured(side, usd={brief: [0.05] for brief in side}).check_cost(0.10)
    assert (check.verdict, check.measured.value, check.measured.high) == ("missed", None, None)


@cases(
    "usd, verdict",
    {
        "some costs unknown": ({"a": [0.1], "b": [None]}, "cannot tell"),
        "all costs unknown": ({"a": [None], "b": [None]}, "not measured"),
        "no answer": ({}, "not measured"),
    },
)
def test_an_unknown_cost_cannot_be_judged(usd: dict[str, list[float | None]], verdict: str) -> None:
    side = {brief: [0.8] for brief in usd}
    check = measured(side, usd=usd).check_cost(0.05)
    assert (check.verdict, check.measured.value, check.answers_needed) == (verdict, None, None)


@cases(
    "limit",
    {
        "below the mean": 0.052,
        "above the mean": 0.058,
    },
)
def test_an_open_limit_of_the_cost_needs_more_answers_the_closer_the_mean_is_to_it(
    limit: float,
) -> None:
    side = {f"b{index}": [0.8 if index % 4 else None] for index in range(40)}
    usd = {brief: [0.04 + 0.001 * (index % 3)] for index, brief in enumerate(side)}
    check = measured(side, usd=usd).check_cost(limit)
    assert check.measured.value is not None
    assert check.measured.low is not None
    assert check.measured.high is not None
    end = check.measured.low if limit < check.measured.value else check.measured.high
    times = (check.measured.value - end) / (check.measured.value - limit)
    assert check.answers_needed == math.ceil(40 * times**2)
    assert check.answers_needed > 40
    at_limit = measured(side, usd=usd).check_cost(check.measured.value)
    assert (at_limit.verdict, at_limit.answers_needed) == ("cannot tell", None)


def test_a_brief_without_an_answer_has_no_part_in_the_cost() -> None:
    side: dict[str, list[float | None]] = {"a": [0.8], "b": [0.8, None], "c": []}
    found = measured(side, usd={"a": [0.1], "b": [0.2, 0.4], "c": []}).check_cost(0.05).measured
    assert found.value == pytest.approx((0.1 + 0.3) / 2 / 0.75)
    assert found.n == 2
