"""Expected scores, shares of usable graphs and quality of one side. Pure.

The brief is the unit: samples of one brief say nothing about other briefs. Several models are
averaged on each brief first, so that what they have in common on a brief is part of the spread over
briefs.
"""

import math
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from stages.statistics.interval import ROUNDING, Interval, mean_interval, share_interval

Scores: TypeAlias = Sequence[float | None]
"""The answers of one model to one brief: the score of a usable graph, None without one."""


@dataclass(frozen=True, slots=True)
class BriefScore:
    """One model, or a policy of models, on one brief.

    `expected` is the mean score of its answers, one without a usable graph counting 0; `usable` the
    share with a usable graph; `quality` the mean score of those graphs, None without one. All 0 to
    1.
    """

    expected: float
    usable: float
    quality: float | None


Side: TypeAlias = Mapping[str, BriefScore]
"""Brief id to score, of one model: the briefs that have an answer."""
MAX_TIMES = 64
"""More than so many times the present briefs are not proposed."""


@dataclass(frozen=True, slots=True)
class IntervalEstimate:
    """An estimate from `n` briefs and its interval; None: not measured, or too few briefs."""

    value: float | None = None
    low: float | None = None
    high: float | None = None
    n: int = 0


NOT_MEASURED = IntervalEstimate()


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreEstimate(IntervalEstimate):
    """An expected score over `n` briefs, with its two parts."""

    usable: IntervalEstimate = NOT_MEASURED
    quality: IntervalEstimate = NOT_MEASURED


def brief_score(scores: Scores) -> BriefScore:
    """The score of a brief from its answers, one at least.

    >>> brief_score([0.8, None])
    BriefScore(expected=0.4, usable=0.5, quality=0.8)
    """
    graphs = [score for score in scores if score is not None]
    total = math.fsum(graphs)
    quality = total / len(graphs) if graphs else None
    return BriefScore(total / len(scores), len(graphs) / len(scores), quality)


def side_of(answers: Mapping[str, Scores]) -> dict[str, BriefScore]:
    """The scores of the briefs that were answered."""
    return {brief: brief_score(scores) for brief, scores in answers.items() if scores}


def score_of(side: Side, confidence: float = 0.95) -> ScoreEstimate:
    """The mean expected score of one model: `mean_score_of` of one model."""
    return mean_score_of({"": side}, confidence)


def mean_score_of(models: Mapping[str, Side], confidence: float = 0.95) -> ScoreEstimate:
    """The mean score over models on each brief, then over briefs; intervals need two briefs.

    The expected score and the quality have `mean_interval`, the share of usable graphs Jeffreys'
    interval with one answer less than briefs.

    >>> score = score_of(side_of({"a": [0.7], "b": [0.9], "c": [None], "d": [0.8]}))
    >>> round(score.value, 3), round(score.low, 3), round(score.high, 3)
    (0.6, 0.0, 1.0)
    """
    briefs: defaultdict[str, list[BriefScore]] = defaultdict(list)
    for side in models.values():
        for brief, score in side.items():
            briefs[brief].append(score)
    scores = [average(briefs[brief]) for brief in sorted(briefs)]
    if not scores:
        return ScoreEstimate()
    count = len(scores)
    usable = math.fsum(score.usable for score in scores) / count
    of_usable = share_interval(usable, count - 1, confidence) if count > 1 else None
    expected = _mean_estimate([score.expected for score in scores], confidence)
    qualities = [score.quality for score in scores if score.quality is not None]
    return ScoreEstimate(
        value=expected.value,
        low=expected.low,
        high=expected.high,
        n=count,
        usable=_estimate(usable, of_usable, count),
        quality=_mean_estimate(qualities, confidence),
    )


def average(scores: Collection[BriefScore]) -> BriefScore:
    """The mean of one score at least; that of quality over those that have one."""
    qualities = [score.quality for score in scores if score.quality is not None]
    return BriefScore(
        _mean([score.expected for score in scores]),
        _mean([score.usable for score in scores]),
        _mean(qualities) if qualities else None,
    )


def briefs_for(estimate: IntervalEstimate, half_width: float) -> int | None:
    """About how many briefs make an interval reach at most `half_width` to either side.

    Further briefs are taken to turn out as those at hand, so that the length falls with the root of
    their number. None without an interval, and where 64 times as many are not enough.

    >>> briefs_for(IntervalEstimate(0.05, -0.01, 0.11, 16), 0.03)
    64
    """
    value, low, high = estimate.value, estimate.low, estimate.high
    if value is None or low is None or high is None or half_width <= 0:
        return None
    times = (max(value - low, high - value) / half_width) ** 2
    return math.ceil(estimate.n * times - ROUNDING) if times <= MAX_TIMES else None


def _mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values)


def _mean_estimate(values: Sequence[float], confidence: float) -> IntervalEstimate:
    """The mean of scores, 0 to 1, with its interval."""
    if not values:
        return NOT_MEASURED
    return _estimate(_mean(values), mean_interval(values, confidence), len(values))


def _estimate(value: float, interval: Interval | None, count: int) -> IntervalEstimate:
    if interval is None:
        return IntervalEstimate(value, n=count)
    return IntervalEstimate(value, interval.low, interval.high, count)
