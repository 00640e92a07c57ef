"""The paired test of one number and of two: verdicts, intervals, and differences that are all equal."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from graph_evaluator.analysis.paired_test import (
    difference_ends,
    is_long_tailed,
    joint_test,
    paired_test,
)
from graph_evaluator.records.params import CompareParams
from tests.builders.cases import cases

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


PARAMS = CompareParams.model_validate({"min_difference": 0.02, "min_content_difference": 0.05})
UP, DOWN = [0.09, 0.11] * 8, [-0.09, -0.11] * 8
SMALL_UP, SMALL_DOWN = [0.009, 0.011] * 8, [-0.009, -0.011] * 8
EQUAL, NOISE = [0.01, -0.01] * 8, [0.2, -0.2] * 8
LISTS = st.lists(st.floats(-1, 1), min_size=6, max_size=20)


@cases(
    "score, content, verdict",
    {
        "both better": (UP, UP, "better"),
        "score better, content not worse": (UP, EQUAL, "better"),
        "content better, score not worse": (EQUAL, UP, "better"),
        "score better, content worse by too little to matter": (UP, SMALL_DOWN, "better"),
        "score better, content may be worse": (UP, NOISE, "cannot tell"),
        "score better, content worse": (UP, DOWN, "mixed"),
        "content better, score worse": (DOWN, UP, "mixed"),
        "both worse": (DOWN, DOWN, "worse"),
        "score worse, content not better": (DOWN, EQUAL, "worse"),
        "score worse, content may be better": (DOWN, NOISE, "cannot tell"),
        "against each other by too little": (SMALL_UP, SMALL_DOWN, "no meaningful difference"),
        "both too small to matter": (EQUAL, EQUAL, "no meaningful difference"),
        "content unclear": (EQUAL, NOISE, "cannot tell"),
        "neither clear": (NOISE, NOISE, "cannot tell"),
        "too few briefs with content": (UP, DOWN[:5], "better"),
        "too few briefs": (UP[:5], UP[:5], "could not measure"),
    },
)
def test_the_two_intervals_decide(score: list[float], content: list[float], verdict: str) -> None:
    assert joint_test(score, content, PARAMS, 0.95).verdict == verdict


@given(LISTS)
def test_score_alone_has_the_whole_error_rate(differences: list[float]) -> None:
    found = joint_test(differences, UP, PARAMS, 0.95, by_score=True)
    assert found.score == paired_test(differences, 0.02, 0.95)
    assert found.verdict == found.score.verdict


@given(LISTS, LISTS)
def test_exchanged_sides_have_the_opposite_verdict(
    score: list[float], content: list[float]
) -> None:
    there = joint_test(score, content, PARAMS, 0.95)
    back = joint_test([-one for one in score], [-one for one in content], PARAMS, 0.95)
    opposite = {"better": "worse", "worse": "better"}
    assert back.verdict == opposite.get(there.verdict, there.verdict)


def test_what_one_number_settles_leaves_the_error_rate_to_the_other() -> None:
    alone = joint_test(UP, NOISE, PARAMS, 0.95)
    assert (alone.score.confidence, alone.content and alone.content.confidence) == (0.975, 0.95)
    neither = joint_test(NOISE, NOISE, PARAMS, 0.95)
    assert neither.score.confidence == 0.975
