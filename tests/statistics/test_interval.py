"""Intervals of means, shares and ratios: against scipy and published figures, and at the edges."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from stages.statistics.interval import (
    Interval,
    mean_interval,
    ratio_interval,
    share_interval,
)
from tests.builders.cases import cases

SCORES = st.lists(st.floats(0, 1), min_size=2, max_size=60)


def test_symmetric_values_get_students_interval() -> None:
    values = [0.30, 0.40, 0.50, 0.60, 0.70]
    expected = stats.ttest_1samp(values, 0).confidence_interval(0.9)
    interval = mean_interval(values, 0.9)
    assert interval is not None
    assert (interval.low, interval.high) == pytest.approx((expected.low, expected.high))


def test_the_side_of_the_longer_tail_is_lengthened_and_the_other_is_students() -> None:
    values = [0.0, 0.0, 0.0, 1.0, 1.0]
    expected = stats.ttest_1samp(values, 0).confidence_interval(0.95)
    interval = mean_interval(values, bounds=(-9, 9))
    assert interval is not None
    assert interval.low == pytest.approx(expected.low)
    assert interval.high > expected.high + 0.05


def test_a_few_values_far_from_many_equal_ones_lengthen_both_sides() -> None:
    values = [0.1, *[0.5] * 12, 0.9]
    expected = stats.ttest_1samp(values, 0).confidence_interval(0.95)
    interval = mean_interval(values)
    assert interval is not None
    assert interval.low < expected.low - 0.005
    assert interval.high > expected.high + 0.005


@pytest.mark.parametrize(("count", "low"), [(8, 0.688), (16, 0.829), (50, 0.942)])
def test_equal_values_leave_room_for_the_briefs_that_were_not_asked(count: int, low: float) -> None:
    interval = mean_interval([1.0] * count)
    assert interval is not None
    assert (round(interval.low, 3), interval.high) == (low, 1.0)


def test_values_that_differ_by_rounding_alone_count_as_equal() -> None:
    interval = mean_interval([0.1 + 0.2, 0.3, 0.3])
    assert interval is not None
    assert (interval.low, interval.high) == pytest.approx(
        (0.3 * 0.05 ** (1 / 3), 1 - 0.7 * 0.05 ** (1 / 3))
    )


@cases(
    "values",
    {
        "no value": [],
        "one value": [0.7],
    },
)
def test_fewer_than_two_values_have_no_interval(values: list[float]) -> None:
    assert mean_interval(values) is None


@given(SCORES)
def test_the_interval_holds_the_mean_and_stays_within_the_bounds(values: list[float]) -> None:
    interval = mean_interval(values)
    assert interval is not None
    mean = math.fsum(values) / len(values)
    assert 0 <= interval.low <= mean + 1e-12
    assert mean - 1e-12 <= interval.high <= 1


@given(SCORES)
def test_more_confidence_is_a_longer_interval(values: list[float]) -> None:
    narrow, wide = mean_interval(values, 0.8), mean_interval(values, 0.99)
    assert narrow is not None
    assert wide is not None
    assert wide.low <= narrow.low + 1e-12
    assert narrow.high <= wide.high + 1e-12


@pytest.mark.parametrize(
    ("share", "count", "low", "high"),
    [
        (0.5, 10, 0.224, 0.776),
        (1.0, 16, 0.857, 1.0),
        (0.0, 16, 0.0, 0.143),
        (0.9, 20.5, 0.719, 0.978),
        (0.0, 0, 0.0, 1.0),
    ],
)
def test_a_share_has_the_interval_of_jeffreys(
    share: float, count: float, low: float, high: float
) -> None:
    interval = share_interval(share, count)
    assert (interval.low, interval.high) == pytest.approx((low, high), abs=6e-4)


@given(st.integers(0, 60), st.integers(1, 60), st.floats(0.5, 0.99))
def test_the_interval_of_a_share_holds_it_and_mirrors_that_of_the_rest(
    hits: int, misses: int, confidence: float
) -> None:
    count = hits + misses
    interval = share_interval(hits / count, count, confidence)
    rest = share_interval(misses / count, count, confidence)
    assert 0 <= interval.low <= hits / count <= interval.high <= 1
    assert (rest.low, rest.high) == pytest.approx((1 - interval.high, 1 - interval.low), abs=1e-9)


@cases(
    "cost, share, of_share, low, high",
    {
        "published": (0.002, 0.8, (0.6, 0.9), 0.0213, 0.0338),
        "certain numbers": (0.0, 0.5, (0.5, 0.5), 0.04, 0.04),
        "what may be nothing": (0.002, 0.0, (0.0, 0.2), 0.018 / 0.2, math.inf),
    },
)
def test_a_ratio_has_the_interval_of_mover(
    cost: float, share: float, of_share: tuple[float, float], low: float, high: float
) -> None:
    of_cost = Interval(0.02 - cost, 0.02 + cost)
    interval = ratio_interval(0.02, of_cost, share, Interval(*of_share))
    assert (interval.low, interval.high) == pytest.approx((low, high), abs=5e-5)
