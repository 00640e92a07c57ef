"""The verdict: what could not be measured, what is unchanged, and the exit codes."""

from typing import Any

import pytest

from stages.compare.verdict import EXIT_CODES, VERDICTS, Judgement, judge
from stages.statistics.estimates import Difference

CLEAR = Difference(value=0.06, low=0.03, high=0.09, n=16, base=0.5, head=0.56, models=("m",))


def judged(difference: Difference = CLEAR, **changes: Any) -> Judgement:
    given: dict[str, Any] = {"briefs": 16, "asked": 16, "unchanged": False}
    return judge(difference, min_difference=0.02, confidence=0.95, **{**given, **changes})


@pytest.mark.parametrize(
    ("changes", "verdict", "reason"),
    [
        pytest.param({"briefs": 6, "asked": 6}, "better", "the difference is", id="six briefs"),
        pytest.param(
            {"briefs": 5, "asked": 5, "unchanged": True},
            "could not measure",
            "5 briefs with a score on both sides, and a verdict requires 6",
            id="five briefs",
        ),
        pytest.param({"briefs": 8}, "better", "the difference is", id="half of what was asked"),
        pytest.param(
            {"briefs": 7},
            "could not measure",
            "only 7 of the 16 briefs that both sides asked",
            id="less than half of what was asked",
        ),
        pytest.param(
            {"difference": Difference(), "briefs": 1},
            "could not measure",
            "1 brief with a score on both sides",
            id="no interval",
        ),
        pytest.param(
            {"unchanged": True}, "unchanged", "both sides hold the same answers", id="unchanged"
        ),
    ],
)
def test_what_is_missing_comes_before_the_same_answers_and_these_before_any_claim(
    changes: dict[str, Any], verdict: str, reason: str
) -> None:
    found = judged(**changes)
    assert found.verdict == verdict
    assert found.reason.startswith(reason)


def test_every_verdict_has_an_exit_code() -> None:
    assert tuple(EXIT_CODES) == VERDICTS
    assert (EXIT_CODES["better where usable"], EXIT_CODES["worse where usable"]) == (3, 1)
