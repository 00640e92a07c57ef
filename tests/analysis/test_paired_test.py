"""The paired test of one number and the rule for two: changes, verdicts and intervals."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from graph_evaluator.analysis.paired_test import joint_test, paired_test
from graph_evaluator.records.params import CompareParams
from tests.builders.cases import cases

PARAMS = CompareParams.model_validate({})
UP, DOWN = [0.09, 0.11] * 8, [-0.09, -0.11] * 8
SMALL_UP, SMALL_DOWN = [0.025, 0.027] * 8, [-0.025, -0.027] * 8
EQUAL, NOISE = [0.01, -0.01] * 8, [0.2, -0.2] * 8
MAY_FALL, MAY_RISE = [-0.26, 0.14] * 8, [0.26, -0.14] * 8
DIFFERENCES = st.lists(st.floats(-1, 1), min_size=2, max_size=40)
LISTS = st.lists(st.floats(-1, 1), min_size=6, max_size=20)


@cases(
    "differences, change",
    {
        "above 0": (UP, "up"),
        "below 0": (DOWN, "down"),
        "above 0, surely by less than what matters": (SMALL_UP, "too small to matter"),
        "around 0 by less than what matters": (EQUAL, "too small to matter"),
        "all equal": ([0.0] * 6, "too small to matter"),
        "wide": (NOISE, "open"),
        "five briefs": ([0.1] * 5, "not measured"),
        "one brief": ([0.1], "not measured"),
        "no brief": ([], "not measured"),
    },
)
def test_the_interval_says_what_one_number_shows(differences, change):
    found = paired_test(differences, 0.05, 0.95)
    assert (found.change, found.difference.n) == (change, len(differences))


def test_differences_have_students_interval():
    values = [-0.10, 0.00, 0.10, 0.20, 0.30, 0.40]
    expected = stats.ttest_1samp(values, 0).confidence_interval(0.95)
    found = paired_test(values, 0.02, 0.95).difference
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high))


@given(st.integers(2, 40), st.floats(-0.5, 0.5), st.floats(0, 0.2), st.floats(0.8, 0.999))
def test_equal_differences_are_as_sure_as_any_and_never_quite_sure(
    briefs, value, noise, confidence
):
    moved = [value + noise * (brief % 2) for brief in range(briefs)]
    equal, other = (
        paired_test(of, 0.05, confidence).difference for of in ([value] * briefs, moved)
    )
    lengths = [(found.high or 0.0) - (found.low or 0.0) for found in (equal, other)]
    least = 0.1 * (1 - (1 - confidence) ** (1 / briefs))
    assert least == pytest.approx(lengths[0])
    assert lengths[0] <= lengths[1] + 1e-12


@given(DIFFERENCES)
def test_swapping_the_sides_mirrors_the_test(differences):
    found = paired_test(differences, 0.02, 0.95).difference
    mirrored = paired_test([-value for value in differences], 0.02, 0.95).difference
    assert found.value is not None
    assert found.low is not None
    assert found.high is not None
    assert (mirrored.low, mirrored.high) == pytest.approx((-found.high, -found.low), abs=1e-9)
    assert -1 <= found.low <= found.value + 1e-12
    assert found.value - 1e-12 <= found.high <= 1


@cases(
    "form, content, verdict",
    {
        "both up": (UP, UP, "better"),
        "form up, content equal": (UP, EQUAL, "better"),
        "form up, content open and measured as equal": (UP, NOISE, "better"),
        "form up, content down by too little": (UP, SMALL_DOWN, "better"),
        "content up, form equal": (EQUAL, UP, "better"),
        "content up, every form the same": ([0.0] * 16, UP, "better"),
        "form up, content open and measured as a loss": (UP, MAY_FALL, "cannot tell"),
        "form up, content down": (UP, DOWN, "mixed"),
        "form down, content up": (DOWN, UP, "mixed"),
        "both down": (DOWN, DOWN, "worse"),
        "form down, content open and measured as equal": (DOWN, NOISE, "worse"),
        "form down, content open and measured as a gain": (DOWN, MAY_RISE, "cannot tell"),
        "content down, every form the same": ([0.0] * 13, DOWN[:13], "worse"),
        "against each other by too little": (SMALL_UP, SMALL_DOWN, "no meaningful difference"),
        "both equal": (EQUAL, EQUAL, "no meaningful difference"),
        "a sure loss too small to matter, content open": (SMALL_DOWN, NOISE, "cannot tell"),
        "neither clear": (NOISE, NOISE, "cannot tell"),
        "five briefs with content": (UP, DOWN[:5], "better"),
        "no content": (SMALL_UP, [], "no meaningful difference"),
        "five briefs": (UP[:5], UP[:5], "could not measure"),
    },
)
def test_a_verdict_takes_one_shown_change_and_no_measured_loss_of_the_other(form, content, verdict):
    assert joint_test(form, content, PARAMS, 0.95).outcome == verdict


def test_a_smallest_difference_of_0_takes_an_equal_number_for_no_loss():
    params = CompareParams(min_difference=0.0, min_content_difference=0.0)
    assert joint_test([0.0] * 16, UP, params, 0.95).outcome == "better"


@given(LISTS, LISTS)
def test_exchanged_sides_have_the_opposite_verdict(form, content):
    there = joint_test(form, content, PARAMS, 0.95)
    back = joint_test([-one for one in form], [-one for one in content], PARAMS, 0.95)
    opposite = {"better": "worse", "worse": "better"}
    assert back.outcome == opposite.get(there.outcome, there.outcome)


def test_two_numbers_share_the_error_rate_and_one_has_all_of_it():
    both, alone = joint_test(UP, NOISE, PARAMS, 0.95), joint_test(UP, [], PARAMS, 0.95)
    assert [test.confidence for test in both.tests.values()] == [0.975, 0.975]
    assert alone.form == paired_test(UP, 0.05, 0.95)
    assert alone.content is None
