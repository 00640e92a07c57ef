"""The verdict, rule by rule."""

from typing import Any

import pytest

from stages.compare.verdict import EXIT_CODES, VERDICTS, Verdict, judge
from stages.statistics.estimates import NOT_MEASURED, Difference


def difference(low: float | None, high: float | None, value: float | None) -> Difference:
    return Difference(
        value=value, low=low, high=high, n=16, base=0.5, head=0.5, usable=NOT_MEASURED, quality=NOT_MEASURED,
        models=("m",), left_out=(),
    )  # fmt: skip


def judged(low: float, high: float, value: float | None = None, **changes: Any) -> Verdict:
    given: dict[str, Any] = {
        "briefs": 16, "asked": 16, "unchanged": False, "min_difference": 0.02, "confidence": 0.95,
    }  # fmt: skip
    found = difference(low, high, (low + high) / 2 if value is None else value)
    return judge(found, **{**given, **changes}).verdict


@pytest.mark.parametrize(
    ("low", "high", "value", "verdict"),
    [
        pytest.param(0.03, 0.09, None, "better", id="clear and large"),
        pytest.param(-0.09, -0.03, None, "worse", id="clear and large, downwards"),
        pytest.param(0.01, 0.05, None, "better", id="clear, and large by the estimate"),
        pytest.param(0.001, 0.04, 0.02, "better", id="exactly as large as what matters"),
        pytest.param(0.0, 0.09, None, "cannot tell", id="the interval touches zero"),
        pytest.param(-0.09, 0.0, None, "cannot tell", id="the interval touches zero from below"),
        pytest.param(0.005, 0.03, None, "cannot tell", id="clear, and perhaps too small to matter"),
        pytest.param(
            0.001, 0.01, None, "no meaningful difference", id="clear and too small to matter"
        ),
        pytest.param(-0.01, 0.015, None, "no meaningful difference", id="nothing that matters"),
        pytest.param(-0.02, 0.015, None, "cannot tell", id="the interval touches what matters"),
        pytest.param(
            -0.015, 0.02, None, "cannot tell", id="the interval touches what matters from below"
        ),
        pytest.param(-0.1, 0.1, None, "cannot tell", id="anything is possible"),
    ],
)
def test_the_verdict_depends_on_the_interval_and_the_size(
    low: float, high: float, value: float | None, verdict: Verdict
) -> None:
    assert judged(low, high, value) == verdict


@pytest.mark.parametrize(
    ("changes", "verdict"),
    [
        pytest.param({"briefs": 5, "asked": 5}, "could not measure", id="five briefs"),
        pytest.param({"briefs": 6, "asked": 6}, "better", id="six briefs"),
        pytest.param(
            {"briefs": 7, "asked": 15}, "could not measure", id="less than half of what was asked"
        ),
        pytest.param({"briefs": 8, "asked": 16}, "better", id="half of what was asked"),
    ],
)
def test_too_few_briefs_could_not_be_measured(changes: dict[str, Any], verdict: Verdict) -> None:
    assert judged(0.03, 0.09, **changes) == verdict


def test_the_reason_counts_the_briefs_and_those_that_are_missing() -> None:
    given: dict[str, Any] = {"unchanged": False, "min_difference": 0.02, "confidence": 0.95}
    few = judge(difference(0.1, 0.2, 0.15), briefs=5, asked=5, **given)
    lost = judge(difference(0.1, 0.2, 0.15), briefs=7, asked=16, **given)
    assert few.reason == "5 briefs with a score on both sides, and a verdict requires 6"
    assert lost.reason.startswith("only 7 of the 16 briefs that both sides asked")


def test_a_difference_without_an_interval_could_not_be_measured() -> None:
    found = judge(
        difference(None, None, None),
        briefs=1,
        asked=9,
        unchanged=False,
        min_difference=0.02,
        confidence=0.95,
    )
    assert found.verdict == "could not measure"
    assert found.reason == "1 brief with a score on both sides, and a verdict requires 6"


def test_the_same_answers_are_unchanged() -> None:
    assert judged(-0.3, 0.3, 0.0, unchanged=True) == "unchanged"


def test_the_same_answers_on_too_few_briefs_could_not_be_measured() -> None:
    assert judged(-0.3, 0.3, 0.0, unchanged=True, briefs=2, asked=2) == "could not measure"


def test_every_verdict_has_an_exit_code() -> None:
    assert tuple(EXIT_CODES) == VERDICTS
    assert (EXIT_CODES["better where usable"], EXIT_CODES["worse where usable"]) == (3, 1)
