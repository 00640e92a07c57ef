"""Intervals that share one error rate: parts, looks, and Holm's procedure."""

from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stages.shared.analysis.interval import analysis_confidences, step_down
from stages.shared.analysis.paired_test import PairedTest, paired_test
from tests.builders.cases import cases

CLEAR, UNCLEAR = [0.39, 0.41] * 20, [0.01, -0.01] * 20


@cases(
    "samples, shares",
    {
        "the default": ([1, 2, 4, 8], [0.02, 0.08, 0.30, 0.60]),
        "one look": ([5], [1.0]),
        "before an eighth": ([1, 16], [0.01, 0.99]),
    },
)
def test_looks_have_fixed_shares_of_the_error_rate(samples: list[int], shares: list[float]) -> None:
    found = [(1 - level) / 0.05 for level in analysis_confidences(samples, 0.95)]
    assert found == pytest.approx(shares)


@given(st.sets(st.integers(1, 1000), min_size=1, max_size=10), st.floats(0.5, 0.99))
def test_all_looks_together_use_the_error_rate(samples: set[int], confidence: float) -> None:
    levels = analysis_confidences(sorted(samples), confidence)
    assert sum(1 - level for level in levels) == pytest.approx(1 - confidence)
    assert all(confidence - 1e-12 <= level < 1 for level in levels)


def is_settled(test: PairedTest) -> bool:
    return test.difference.excludes_zero


def test_holm_gives_the_open_comparisons_the_error_rate_of_those_that_are_settled() -> None:
    differences = {"clear": CLEAR, "open": UNCLEAR}
    family = {name: partial(paired_test, values, 0.02) for name, values in differences.items()}
    judged = step_down(family, 0.95, is_settled)
    assert judged == {"clear": family["clear"](0.975), "open": family["open"](0.95)}


def test_intervals_that_settle_nothing_keep_the_smallest_error_rate() -> None:
    family = {name: partial(paired_test, UNCLEAR, 0.02) for name in "ab"}
    assert step_down(family, 0.95, is_settled)["a"] == family["a"](0.975)
    assert step_down({}, 0.95, is_settled) == {}
