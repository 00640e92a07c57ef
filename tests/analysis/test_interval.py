"""Intervals of means and shares: against scipy and published figures, at the edges, and sharing one error rate."""

import math
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graph_evaluator.analysis.interval import (
    interim_confidence,
    mean_interval,
    mean_share,
    share_interval,
    step_down,
    unseen_share,
    usable_mean,
)
from graph_evaluator.analysis.paired_test import paired_test
from graph_evaluator.records.record import Measurement
from tests.builders.cases import cases

SCORES = st.lists(st.floats(0, 1), min_size=2, max_size=60)


def interval_of(values, confidence=0.95):
    ends = mean_interval(values, confidence).ends
    assert ends is not None
    return ends


@pytest.mark.parametrize(("count", "least"), [(8, 0.688), (16, 0.829), (50, 0.942)])
def test_what_no_brief_showed_is_one_figure_everywhere(count, least):
    ones, differences = [1.0] * count, [0.0] * count
    assert mean_share(ones).low == pytest.approx(least, abs=5e-4)
    assert usable_mean(ones, ones).low == pytest.approx(least, abs=5e-4)
    assert share_interval(1.0, count)[0] == pytest.approx(least, abs=5e-4)
    assert unseen_share(count, 0.95) == pytest.approx(1 - least, abs=5e-4)
    seen = 1 - unseen_share(count, 0.95)
    assert interval_of(ones)[0] == pytest.approx(1 - 0.05 * (1 - seen))
    assert paired_test(differences, 0.02, 0.95).difference.low == pytest.approx(-0.05 * (1 - seen))


@cases(
    "values, usable, low, high",
    {
        "no failure": ([0.8, 0.9] * 8, [1.0] * 16, 0.702, 0.878),
        "one failure of sixteen": ([0.8, 0.9] * 7 + [0.8, 0.0], [1.0] * 15 + [0.0], 0.627, 0.848),
        "only failures": ([0.0] * 16, [0.0] * 16, 0.0, 0.171),
        "half of every brief": ([0.5] * 8, [0.5] * 8, 0.199, 0.801),
    },
)
def test_a_mean_in_which_failures_count_combines_the_usable_share_and_their_graphs(
    values, usable, low, high
):
    found = usable_mean(values, usable)
    assert (found.low, found.high) == pytest.approx((low, high), abs=5e-4)
    assert found.value == pytest.approx(math.fsum(values) / len(values))


def test_fewer_than_two_values_have_no_interval():
    assert mean_interval([]) == Measurement()
    assert mean_interval([0.7]) == Measurement(value=0.7, n=1)


@given(SCORES)
def test_the_interval_holds_the_mean_and_stays_within_the_bounds(values):
    low, high = interval_of(values)
    mean = math.fsum(values) / len(values)
    assert 0 <= low <= mean + 1e-12
    assert mean - 1e-12 <= high <= 1


@given(st.integers(2, 40), st.floats(0, 1))
def test_a_worse_result_never_has_a_higher_lower_end(count, value):
    best = usable_mean([1.0] * count, [1.0] * count)
    one_failed = usable_mean([1.0] * (count - 1) + [0.0], [1.0] * (count - 1) + [0.0])
    one_lower = usable_mean([1.0] * (count - 1) + [value], [1.0] * count)
    assert max(one_failed.low or 0.0, one_lower.low or 0.0) <= (best.low or 0.0) + 1e-12


@pytest.mark.parametrize(
    ("share", "count", "low", "high"),
    [
        (0.5, 10, 0.224, 0.776),
        (0.9375, 16, 0.743, 0.993),
        (0.0, 0, 0.0, 1.0),
    ],
)
def test_a_share_has_the_interval_of_jeffreys(share, count, low, high):
    assert share_interval(share, count) == pytest.approx((low, high), abs=6e-4)


@given(st.integers(0, 60), st.integers(1, 60), st.floats(0.5, 0.99))
def test_the_interval_of_a_share_holds_it_and_mirrors_that_of_the_rest(hits, misses, confidence):
    count = hits + misses
    low, high = share_interval(hits / count, count, confidence)
    rest = share_interval(misses / count, count, confidence)
    assert 0 <= low <= hits / count <= high <= 1
    assert rest == pytest.approx((1 - high, 1 - low), abs=1e-9)


CLEAR, UNCLEAR = [0.39, 0.41] * 20, [0.01, -0.01] * 20


def test_all_interim_analyses_together_use_the_error_rate():
    levels = [interim_confidence(samples, 0.9) for samples in (1, 2, 4, 8)]
    assert levels == pytest.approx([0.998, 0.992, 0.97, 0.94])
    assert sum(1 - level for level in levels) == pytest.approx(0.1)


def is_settled(test):
    return test.change == "up"


def test_holm_gives_the_open_comparisons_the_error_rate_of_those_that_are_settled():
    differences = {"clear": CLEAR, "open": UNCLEAR}
    family = {name: partial(paired_test, values, 0.02) for name, values in differences.items()}
    judged = step_down(family, 0.95, is_settled)
    assert judged == {"clear": family["clear"](0.975), "open": family["open"](0.95)}
    unsettled = {"a": family["open"], "b": family["open"]}
    assert step_down(unsettled, 0.95, is_settled)["a"] == family["open"](0.975)
    assert step_down({}, 0.95, is_settled) == {}
