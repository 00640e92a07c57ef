"""The verdict, rule by rule."""

from typing import Any

import pytest

from stages.compare.verdict import Verdict, judge, least_briefs
from stages.contracts.interval import Interval


def judged(low: float, high: float, **changes: Any) -> tuple[Verdict, bool]:
    given: dict[str, Any] = {
        "count": 16,
        "asked": 16,
        "difference": (low + high) / 2,
        "interval": Interval(low, high, "t-adjusted"),
        "p": 0.001,
        "same_answers": False,
        "min_difference": 0.02,
        "alpha": 0.05,
    }
    found = judge(**{**given, **changes})
    return found.verdict, found.equivalent


@pytest.mark.parametrize(
    ("low", "high", "p", "verdict", "equivalent"),
    [
        pytest.param(0.03, 0.09, 0.001, "better", False, id="clear and large"),
        pytest.param(-0.09, -0.03, 0.001, "worse", False, id="clear and large, downwards"),
        pytest.param(0.01, 0.05, 0.04, "better", False, id="clear, and large by the estimate"),
        pytest.param(0.03, 0.09, 0.06, "cannot tell", False, id="p above alpha"),
        pytest.param(-0.01, 0.09, 0.04, "cannot tell", False, id="the interval holds zero"),
        pytest.param(0.005, 0.03, 0.001, "cannot tell", False, id="clear, and perhaps too small to matter"),
        pytest.param(0.001, 0.01, 0.001, "cannot tell", True, id="clear and too small to matter"),
        pytest.param(-0.01, 0.015, 0.5, "cannot tell", True, id="no difference that matters"),
        pytest.param(-0.1, 0.1, 1.0, "cannot tell", False, id="anything may be"),
    ],
)
def test_the_verdict_goes_by_p_interval_and_size(
    low: float, high: float, p: float, verdict: Verdict, equivalent: bool
) -> None:
    assert judged(low, high, p=p) == (verdict, equivalent)


@pytest.mark.parametrize(
    "changes",
    [
        pytest.param({"count": 5, "asked": 5}, id="five briefs cannot reach p 0.05"),
        pytest.param({"count": 7, "asked": 16}, id="more than half of the answers are missing"),
        pytest.param({"count": 0, "difference": None, "interval": None, "p": None}, id="no pair"),
    ],
)
def test_too_few_pairs_could_not_be_measured(changes: dict[str, Any]) -> None:
    assert judged(0.03, 0.09, **changes) == ("could not measure", False)


def test_briefs_that_all_moved_by_the_same_are_judged_by_the_test_alone() -> None:
    interval = Interval(-0.1, 0.2, "all-equal")
    assert judged(0, 0, difference=0.05, interval=interval, p=0.001) == ("better", False)
    assert judged(0, 0, difference=-0.05, interval=interval, p=0.001) == ("worse", False)
    assert judged(0, 0, difference=0.05, interval=interval, p=0.2) == ("cannot tell", False)


def test_briefs_of_which_none_moved_prove_no_equality() -> None:
    interval = Interval(-0.2, 0.2, "all-equal")
    assert judged(0, 0, difference=0.0, interval=interval, p=1.0) == ("cannot tell", False)


def test_the_same_answers_are_no_question_of_noise() -> None:
    assert judged(-0.3, 0.3, difference=0.0, p=1.0, same_answers=True) == ("cannot tell", True)


@pytest.mark.parametrize(("alpha", "briefs"), [(0.2, 4), (0.1, 5), (0.05, 6), (0.01, 8), (0.001, 11)])
def test_the_fewest_briefs_are_those_whose_smallest_p_reaches_alpha(alpha: float, briefs: int) -> None:
    assert least_briefs(alpha) == briefs
    assert 2 / 2**briefs <= alpha < 2 / 2 ** (briefs - 1)
