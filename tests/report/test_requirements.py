"""Limits of a mode: met, missed, or not decided by so few answers."""

import math

import pytest

from stages.report.decision import check_cost, check_latency, check_usable_rate
from stages.statistics.estimates import side_of
from stages.statistics.interval import share_interval


def seconds(fast: int, slow: int, given_up: int = 0) -> dict[str, list[float | None]]:
    calls: list[float | None] = [10.0] * fast + [90.0] * slow + [None] * given_up
    return {f"b{index}": [call] for index, call in enumerate(calls)}


@pytest.mark.parametrize(
    ("calls", "verdict"),
    [
        (seconds(13, 3), "missed"),
        (seconds(13, 0, given_up=3), "missed"),
        (seconds(14, 2), "cannot tell"),
        (seconds(16, 0), "cannot tell"),
        (seconds(50, 0), "met"),
        (seconds(0, 4), "missed"),
        ({}, "cannot tell"),
    ],
    ids=[
        "3 of 16 over",
        "3 of 16 given up",
        "2 of 16 over",
        "none of 16",
        "none of 50",
        "all of 4",
        "no call",
    ],
)
def test_the_95th_percentile_is_judged_by_the_share_of_calls_over_the_limit(
    calls: dict[str, list[float | None]], verdict: str
) -> None:
    assert check_latency("m", calls, 60.0, 0.95).verdict == verdict


def test_a_call_that_takes_exactly_the_limit_is_within_it() -> None:
    assert check_latency("m", {"b": [60.0]}, 60.0, 0.95).measured.value == 0.0


def test_an_open_limit_says_how_many_answers_would_decide() -> None:
    check = check_latency("m", seconds(16, 0), 60.0, 0.95)
    assert check.answers_needed == 50
    assert share_interval(0.0, 49).high <= 0.05 < share_interval(0.0, 48).high
    assert check_latency("m", seconds(50, 0), 60.0, 0.95).answers_needed is None


def test_no_number_of_answers_separates_a_share_at_the_limit_from_it() -> None:
    assert check_latency("m", seconds(19, 1), 60.0, 0.95).answers_needed is None


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
    check = check_usable_rate("m", side_of(side), 0.9, 0.95)
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
    check = check_cost("m", side_of(side), usd, limit, 0.95)
    assert check.verdict == verdict
    assert check.measured.value == pytest.approx(0.041 / 0.75, rel=0.01)
    assert (check.answers_needed is not None) == (verdict == "cannot tell")


def test_a_model_without_any_usable_graph_costs_more_than_any_limit_that_its_answers_reach() -> (
    None
):
    side = {f"b{index}": [None] for index in range(20)}
    check = check_cost("m", side_of(side), {brief: [0.05] for brief in side}, 0.10, 0.95)
    assert (check.verdict, check.measured.value, check.measured.high) == ("missed", None, None)


@pytest.mark.parametrize(
    "usd", [{"a": [0.1], "b": [None]}, {}], ids=["an unknown cost", "no answer"]
)
def test_an_unknown_cost_cannot_be_judged(usd: dict[str, list[float | None]]) -> None:
    side = {brief: [0.8] for brief in usd}
    check = check_cost("m", side_of(side), usd, 0.05, 0.95)
    assert (check.verdict, check.measured.value, check.answers_needed) == (
        "cannot tell",
        None,
        None,
    )


@pytest.mark.parametrize("limit", [0.052, 0.058], ids=["below the mean", "above the mean"])
def test_an_open_limit_of_the_cost_needs_more_answers_the_closer_the_mean_is_to_it(
    limit: float,
) -> None:
    side = {f"b{index}": [0.8 if index % 4 else None] for index in range(40)}
    usd = {brief: [0.04 + 0.001 * (index % 3)] for index, brief in enumerate(side)}
    check = check_cost("m", side_of(side), usd, limit, 0.95)
    assert check.measured.value is not None
    assert check.measured.low is not None
    assert check.measured.high is not None
    end = check.measured.low if limit < check.measured.value else check.measured.high
    times = (check.measured.value - end) / (check.measured.value - limit)
    assert check.answers_needed == math.ceil(40 * times**2)
    assert check.answers_needed > 40
    at_limit = check_cost("m", side_of(side), usd, check.measured.value, 0.95)
    assert (at_limit.verdict, at_limit.answers_needed) == ("cannot tell", None)


def test_a_brief_without_an_answer_has_no_part_in_the_cost() -> None:
    side: dict[str, list[float | None]] = {"a": [0.8], "b": [0.8, None], "c": []}
    measured = check_cost(
        "m", side_of(side), {"a": [0.1], "b": [0.2, 0.4], "c": []}, 0.05, 0.95
    ).measured
    assert measured.value == pytest.approx((0.1 + 0.3) / 2 / 0.75)
    assert measured.n == 2
