"""Mean scores, recomputed by other means."""

import pytest

from stages.statistics.estimates import (
    BriefScore,
    IntervalEstimate,
    Scores,
    Side,
    brief_score,
    briefs_for,
    mean_score_of,
    score_of,
    side_of,
)
from stages.statistics.interval import mean_interval, share_interval
from tests.builders.cases import cases

QUALITY = [0.70, 0.75, 0.80, 0.85, 0.90, 0.72, 0.78, 0.83]


def side(*scores: float | None) -> dict[str, BriefScore]:
    return side_of({f"b{index:02}": [score] for index, score in enumerate(scores)})


def ends(estimate: IntervalEstimate) -> tuple[float, float, float]:
    assert estimate.value is not None
    assert estimate.low is not None
    assert estimate.high is not None
    return estimate.low, estimate.value, estimate.high


@cases(
    "scores, expected",
    {
        "a graph": ([0.8], BriefScore(0.8, 1.0, 0.8)),
        "half failed": ([0.8, None, 0.4, None], BriefScore(0.3, 0.5, 0.6)),
        "none usable": ([None], BriefScore(0.0, 0.0, None)),
    },
)
def test_a_brief_has_the_means_of_its_answers(scores: Scores, expected: BriefScore) -> None:
    score = brief_score(scores)
    assert (score.expected, score.usable) == pytest.approx((expected.expected, expected.usable))
    assert score.quality == pytest.approx(expected.quality)


def test_briefs_without_an_answer_are_left_out() -> None:
    assert list(side_of({"a": [0.5], "b": []})) == ["a"]


def test_a_mean_score_and_the_quality_have_the_interval_of_a_mean() -> None:
    score = score_of(side(*QUALITY, None))
    assert score.value == pytest.approx(sum(QUALITY) / 9)
    assert ends(score.usable)[1] == pytest.approx(8 / 9)
    assert score.usable.low == share_interval(8 / 9, 8).low
    for estimate, values in ((score, [*QUALITY, 0.0]), (score.quality, QUALITY)):
        interval = mean_interval(values)
        assert interval is not None
        assert (estimate.low, estimate.high, estimate.n) == (
            interval.low,
            interval.high,
            len(values),
        )


def test_models_are_averaged_on_each_brief_before_the_briefs_are() -> None:
    first, second = side(0.2, 0.4, 0.6), side(0.4, 0.4)
    score = mean_score_of({"a": first, "b": second})
    assert score.value == pytest.approx((0.3 + 0.4 + 0.6) / 3)
    assert score.n == 3


@cases(
    "scores",
    {
        "no brief": {},
        "no answer": side_of({"b": []}),
    },
)
def test_nothing_answered_is_not_measured(scores: Side) -> None:
    score = score_of(scores)
    assert (score.value, score.low, score.high, score.n) == (None, None, None, 0)


def test_one_brief_has_a_score_and_no_interval() -> None:
    score = score_of(side(0.8))
    assert (score.value, score.low, score.high, score.usable.low) == (0.8, None, None, None)


def test_a_model_that_never_delivers_scores_zero_and_may_do_better_elsewhere() -> None:
    score = score_of(side(*[None] * 16))
    assert (score.value, score.low, score.quality.value) == (0.0, 0.0, None)
    assert ends(score)[2] > 0.05


@cases(
    "estimate, half_width",
    {
        "no length": (IntervalEstimate(0.05, -0.01, 0.11, 16), 0.0),
        "more than 64 times as many": (IntervalEstimate(0.05, -0.01, 0.11, 16), 0.0074),
        "no interval": (IntervalEstimate(0.05, n=1), 0.1),
    },
)
def test_no_number_of_briefs_is_proposed(estimate: IntervalEstimate, half_width: float) -> None:
    assert briefs_for(estimate, half_width) is None
