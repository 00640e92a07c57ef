"""Expected scores, shares of usable graphs and quality, of one side or as a difference. Pure.

The brief is the unit: samples of one brief say nothing about other briefs. Several models are
averaged on each brief first, so that what they have in common on a brief is part of the spread over
briefs.
"""

import math
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from stages.statistics.interval import (
    ROUNDING,
    Interval,
    mean_interval,
    share_interval,
    student_interval,
    unseen_interval,
)

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
    """A mean expected score over `n` briefs, with its two parts."""

    usable: IntervalEstimate = NOT_MEASURED
    quality: IntervalEstimate = NOT_MEASURED


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference(ScoreEstimate):
    """Head less base over the `n` briefs that both sides answered, -1 to 1; None without any.

    `value`, `low` and `high` are of the expected scores, whose means are `base` and `head`.
    `quality` is of the graphs on briefs with a usable one on both sides, `usable` of the shares of
    usable graphs. `base_failures` and `head_failures` are the shares of answers without one,
    `base_quality` is the mean score of the base's graphs. `models` have two common briefs or more;
    those with fewer are `left_out`.
    """

    base: float | None = None
    head: float | None = None
    base_failures: float = 0.0
    head_failures: float = 0.0
    base_quality: float | None = None
    models: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()

    @property
    def expected(self) -> IntervalEstimate:
        """The difference of the expected scores."""
        return IntervalEstimate(self.value, self.low, self.high, self.n)


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

    The interval of the expected score is Student's t after two imaginary briefs are added, one that
    scores 0 and one that scores 1: so few briefs exclude neither. The share of usable graphs has
    Jeffreys' interval with one answer less than briefs, the quality has `mean_interval`.

    >>> score = score_of(side_of({"a": [0.7], "b": [0.9], "c": [None], "d": [0.8]}))
    >>> round(score.value, 3), round(score.low, 3), round(score.high, 3)
    (0.6, 0.094, 1.0)
    """
    scores = list(_average_models(models).values())
    if not scores:
        return ScoreEstimate()
    count, mean = len(scores), _average(scores)
    low = high = of_usable = None
    if count > 1:
        imaginary = [score.expected for score in scores] + [0.0, 1.0]
        interval = student_interval(imaginary, confidence).within(0.0, 1.0)
        low, high = min(interval.low, mean.expected), max(interval.high, mean.expected)
        of_usable = share_interval(mean.usable, count - 1, confidence)
    return ScoreEstimate(
        value=mean.expected,
        low=low,
        high=high,
        n=count,
        usable=_estimate(mean.usable, of_usable, count),
        quality=_quality(scores, confidence, (0.0, 1.0)),
    )


def difference_of(
    base: Mapping[str, Side], head: Mapping[str, Side], confidence: float = 0.95
) -> Difference:
    """Head less base: the mean over models on each brief, then over briefs; see `Difference`.

    Models that are on one side only are ignored. The expected scores have `unseen_interval`, an
    unseen failure moving a brief by the higher of the mean qualities of both sides; the shares of
    usable graphs the same, moving it by 1. The quality has `mean_interval`.
    """
    common = sorted(base.keys() & head.keys())
    changes = {model: _changes(base[model], head[model]) for model in common}
    models = tuple(model for model in common if len(changes[model]) > 1)
    left_out = tuple(model for model in common if len(changes[model]) < 2)
    if not models:
        return Difference(left_out=left_out)
    moves = list(_average_models({model: changes[model] for model in models}).values())
    before = _average_models({model: _only(base[model], changes[model]) for model in models})
    after = _average_models({model: _only(head[model], changes[model]) for model in models})
    old, new, mean = _average(before.values()), _average(after.values()), _average(moves)
    qualities = [side.quality for side in (old, new) if side.quality is not None]
    unseen = max(qualities, default=1.0)
    interval = unseen_interval([move.expected for move in moves], unseen, confidence)
    of_usable = unseen_interval([move.usable for move in moves], 1.0, confidence)
    return Difference(
        value=mean.expected,
        low=interval.low,
        high=interval.high,
        n=len(moves),
        base=old.expected,
        head=new.expected,
        usable=_estimate(mean.usable, of_usable, len(moves)),
        quality=_quality(moves, confidence, (-1.0, 1.0)),
        base_failures=1 - old.usable,
        head_failures=1 - new.usable,
        base_quality=old.quality,
        models=models,
        left_out=left_out,
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


def _changes(base: Side, head: Side) -> dict[str, BriefScore]:
    return {brief: _change(base[brief], head[brief]) for brief in base if brief in head}


def _change(old: BriefScore, new: BriefScore) -> BriefScore:
    quality = None
    if old.quality is not None and new.quality is not None:
        quality = new.quality - old.quality
    return BriefScore(new.expected - old.expected, new.usable - old.usable, quality)


def _only(side: Side, briefs: Iterable[str]) -> Side:
    return {brief: side[brief] for brief in briefs}


def _average_models(models: Mapping[str, Side]) -> dict[str, BriefScore]:
    """The mean over models on each brief."""
    briefs: defaultdict[str, list[BriefScore]] = defaultdict(list)
    for side in models.values():
        for brief, score in side.items():
            briefs[brief].append(score)
    return {brief: _average(briefs[brief]) for brief in sorted(briefs)}


def _average(scores: Collection[BriefScore]) -> BriefScore:
    if len(scores) == 1:
        return next(iter(scores))
    qualities = [score.quality for score in scores if score.quality is not None]
    return BriefScore(
        _mean([score.expected for score in scores]),
        _mean([score.usable for score in scores]),
        _mean(qualities) if qualities else None,
    )


def _mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values)


def _estimate(value: float, interval: Interval | None, count: int) -> IntervalEstimate:
    if interval is None:
        return IntervalEstimate(value, n=count)
    return IntervalEstimate(value, interval.low, interval.high, count)


def _quality(
    scores: Iterable[BriefScore], confidence: float, bounds: tuple[float, float]
) -> IntervalEstimate:
    qualities = [score.quality for score in scores if score.quality is not None]
    if not qualities:
        return NOT_MEASURED
    interval = mean_interval(qualities, confidence, bounds=bounds)
    return _estimate(_mean(qualities), interval, len(qualities))
