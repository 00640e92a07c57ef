"""The paired test: its verdicts, its interval, and differences that are all equal."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from stages.shared.analysis.paired_test import difference_ends, is_long_tailed, paired_test

DIFFERENCES = st.lists(st.floats(-1, 1), min_size=2, max_size=40)


@pytest.mark.parametrize(
    ("differences", "verdict"),
    [
        pytest.param([0.08, 0.12] * 8, "better", id="above 0"),
        pytest.param([-0.08, -0.12] * 8, "worse", id="below 0"),
        pytest.param([0.004, 0.006] * 8, "better", id="above 0 and too small to matter"),
        pytest.param([0.01, -0.01] * 8, "no meaningful difference", id="too small to matter"),
        pytest.param([0.1, -0.1] * 8, "cannot tell", id="neither"),
        pytest.param([0.08, 0.12, 0.08, 0.12, 0.1], "could not measure", id="five briefs"),
        pytest.param([0.1], "could not measure", id="one brief"),
        pytest.param([], "could not measure", id="no brief"),
    ],
)
def test_the_interval_decides(differences: list[float], verdict: str) -> None:
    found = paired_test(differences, 0.02, 0.95)
    assert (found.verdict, found.difference.n) == (verdict, len(differences))


def test_symmetric_differences_have_students_interval() -> None:
    values = [-0.10, 0.00, 0.10, 0.20, 0.30, 0.40]
    expected = stats.ttest_1samp(values, 0).confidence_interval(0.95)
    found = paired_test(values, 0.02, 0.95).difference
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high))


@pytest.mark.parametrize(
    ("value", "briefs", "verdict"),
    [
        (0.0, 13, "cannot tell"),
        (0.0, 14, "no meaningful difference"),
        (0.1, 14, "better"),
        (-0.1, 16, "worse"),
        (-0.2, 8, "cannot tell"),
        (0.8, 8, "better"),
    ],
)
def test_equal_differences_are_a_verdict_from_fourteen_briefs_on(
    value: float, briefs: int, verdict: str
) -> None:
    assert paired_test([value] * briefs, 0.02, 0.95).verdict == verdict


def test_differences_that_print_alike_count_as_equal() -> None:
    nearly = [0.1 + 0.0009 * (brief % 2) for brief in range(8)]
    assert paired_test(nearly, 0.02, 0.95).verdict == "cannot tell"


@given(DIFFERENCES)
def test_swapping_the_sides_mirrors_the_test(differences: list[float]) -> None:
    found = paired_test(differences, 0.02, 0.95).difference
    mirrored = paired_test([-value for value in differences], 0.02, 0.95).difference
    assert found.value is not None
    assert found.low is not None
    assert found.high is not None
    assert (mirrored.low, mirrored.high) == pytest.approx((-found.high, -found.low), abs=1e-9)
    assert -1 <= found.low <= found.value + 1e-12
    assert found.value - 1e-12 <= found.high <= 1


def test_many_repetitions_at_once_have_the_intervals_of_each() -> None:
    drawn = np.random.default_rng(1).normal(0, 0.1, (20, 8))
    low, high = difference_ends(drawn, 0.95)
    found = [paired_test(row.tolist(), 0.02, 0.95) for row in drawn]
    assert low.tolist() == pytest.approx([test.difference.low for test in found])
    assert high.tolist() == pytest.approx([test.difference.high for test in found])


@pytest.mark.parametrize(
    ("differences", "expected"),
    [([0.1, -0.1] * 8, False), ([0.01, -0.01] * 7 + [0.0, -0.8], True), ([0.1] * 16, False)],
    ids=["even", "one large loss", "equal"],
)
def test_a_rare_large_loss_is_a_long_tail(differences: list[float], expected: bool) -> None:
    assert bool(is_long_tailed(np.array(differences))) is expected
