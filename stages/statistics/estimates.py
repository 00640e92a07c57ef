"""Mean scores and differences of mean scores, with intervals that hold where answers fail rarely. Pure: scores in, estimates out.

A score is a mixture: an answer is a usable graph or it is not, and a usable graph has a quality. An interval therefore joins two parts,
of the share of usable graphs and of their quality. The brief is the unit: samples of one brief say nothing about other briefs.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import fmean
from typing import TypeAlias

from stages.statistics.interval import (
    Difference,
    Interval,
    ScoreEstimate,
    caveats_of,
    estimate_of,
    joined,
    mean_interval,
    share_difference_interval,
    share_interval,
)

Scores: TypeAlias = Sequence[float | None]
"""The answered samples of one model on one brief: the score of a usable graph, None for an answer without one."""
Side: TypeAlias = Mapping[str, Scores]
"""Brief id to scores, of one model. A brief without scores was not answered and is left out."""

Differ: TypeAlias = Callable[[Mapping[str, Side], Mapping[str, Side], float], Difference]


def score_of(side: Side, confidence: float = 0.95) -> ScoreEstimate:
    """The mean expected score of one model over its briefs, with its interval: `mean_score_of` of one model."""
    return mean_score_of({"": side}, confidence)


def mean_score_of(models: Mapping[str, Side], confidence: float = 0.95) -> ScoreEstimate:
    """The mean over models of their mean expected scores over briefs, with its interval; a model without answers is left out.

    With the share p of usable graphs in (l, u) and their mean quality q in (k, v), the lower end is the mean less
    `sqrt(a^2 + b^2 + 2 r a b)`, `a = q (p - l)`, `b = p (q - k)`, and the upper end its mirror image: MOVER for a product, to first
    order; r is the correlation of the two parts over briefs. The share has Jeffreys' interval with the effective number of answers,
    the quality has `mean_interval`.

    Source: Zou and Donner 2008 (`joined`); `bench/calibration` measures the coverage.
    """
    answers = [
        _Answers.of(side, [brief for brief in sorted(side) if side[brief]])
        for _, side in sorted(models.items())
    ]
    answers = [each for each in answers if each.expected]
    if not answers:
        return ScoreEstimate()
    share = _Share.of(answers, confidence)
    qualities = [each.quality for each in answers if each.quality]
    quality, found = (
        _by_brief(qualities) if qualities else (1.0, {})
    )  # nothing was usable: a graph can have any score
    spread = mean_interval(list(found.values()), confidence)
    p, of_share, of_quality = share.value, share.interval, spread or Interval(0.0, 1.0)
    correlation = max(0.0, _correlation(share.pseudo, found))
    value, expected = _by_brief([each.expected for each in answers])
    low = value - joined(quality * (p - of_share.low), p * (quality - of_quality.low), correlation)
    high = value + joined(
        quality * (of_share.high - p), p * (of_quality.high - quality), correlation
    )
    count = len(expected)
    return ScoreEstimate(
        value=value,
        low=max(0.0, low) if count > 1 else None,
        high=min(1.0, high) if count > 1 else None,
        n=count,
        usable=estimate_of(p, of_share if count > 1 else None, count),
        quality=estimate_of(quality if found else None, spread, len(found)),
        caveats=caveats_of(count, len(share.failed)),
    )


def difference_of(
    base: Mapping[str, Side], head: Mapping[str, Side], confidence: float = 0.95
) -> Difference:
    """The mean over models of each model's mean paired difference, head less base, with its interval.

    Each model counts the same, over the briefs that it has on both sides; models that are on one side only are ignored. The estimate
    is the plain mean. Its interval joins (MOVER) those of two parts, each averaged over models in the same way:

    * the difference in quality on briefs with a usable graph on both sides (`mean_interval`), times the mean share of usable graphs;
    * the difference of the shares of usable graphs (Newcombe's paired interval), times the mean quality.

    Variances and correlations are taken over the jackknife's pseudo-values `N m - (N - 1) m'`, m being a mean over N briefs and m' the
    same with one brief deleted from all models: what models have in common on a brief is part of the variance. A model
    with fewer than two briefs that are usable on both sides has its plain differences in the place of those in quality.

    Source: `stages.statistics.interval`; B. Efron and C. Stein, The Jackknife Estimate of Variance, Annals of Statistics 9 (1981)
    586-596. `bench/calibration` measures the coverage.
    """
    both = {model: (base[model], head[model]) for model in sorted(base.keys() & head.keys())}
    paired = {
        model: [b for b in sorted(old) if old[b] and new.get(b)]
        for model, (old, new) in both.items()
    }
    models = tuple(model for model, briefs in paired.items() if len(briefs) > 1)
    left_out = tuple(model for model in paired if model not in models)
    if not models:
        return Difference(left_out=left_out)
    sides = [[_Answers.of(side[model], paired[model]) for model in models] for side in (base, head)]
    means = [_by_brief([each.expected for each in side])[0] for side in sides]
    moves = [_change(old.expected, new.expected) for old, new in zip(*sides, strict=True)]
    value, mean_moves = _by_brief(moves)
    gain, gains = _by_brief(
        [
            found
            if len(found := _change(old.quality, new.quality)) > 1
            else _change(old.expected, new.expected)
            for old, new in zip(*sides, strict=True)
        ]
    )
    of_gain = mean_interval(list(gains.values()), confidence, bounds=(-1.0, 1.0)) or Interval(
        -1.0, 1.0
    )
    before, after = (_Share.of(side, confidence) for side in sides)
    change = after.value - before.value
    phi = _correlation(before.pseudo, after.pseudo, correction=0.5)
    of_change = share_difference_interval(
        (before.value, after.value), (before.interval, after.interval), phi
    )

    share = (before.value + after.value) / 2
    qualities = [quality for side in sides for each in side for quality in each.quality.values()]
    quality = fmean(qualities) if qualities else 0.0
    briefs = len(mean_moves)
    correlation = max(0.0, _correlation(gains, _change(before.pseudo, after.pseudo)))
    low = value - joined(
        share * (gain - of_gain.low), quality * (change - of_change.low), correlation
    )
    high = value + joined(
        share * (of_gain.high - gain), quality * (of_change.high - change), correlation
    )
    moved = {brief for each in moves for brief, move in each.items() if abs(move) > 1e-12}
    return Difference(
        value=value,
        low=max(-1.0, low),
        high=min(1.0, high),
        briefs=briefs,
        base=means[0],
        head=means[1],
        usable=estimate_of(change, of_change, briefs),
        quality=estimate_of(gain, of_gain, len(gains)),
        models=models,
        left_out=left_out,
        caveats=caveats_of(briefs, len(before.failed | after.failed), len(moved)),
    )


def quality_difference_of(
    base: Mapping[str, Side], head: Mapping[str, Side], confidence: float = 0.95
) -> Difference:
    """`difference_of` of scores that are those of usable graphs alone: a failure that was not seen does not widen the interval."""
    found = difference_of(base, head, confidence)
    return replace(found, low=found.quality.low, high=found.quality.high)


def briefs_for(
    base: Mapping[str, Side],
    head: Mapping[str, Side],
    half_width: float,
    confidence: float,
    differ: Differ = difference_of,
) -> int | None:
    """About how many briefs make the interval of a difference reach no farther than `half_width` to either side.

    Further briefs are taken to turn out as those at hand: their scores are repeated, up to 16 times. None where that is not enough.
    """
    for copies in (1, 2, 3, 4, 6, 8, 12, 16):
        found = differ(_repeated(base, copies), _repeated(head, copies), confidence)
        if found.value is None or found.low is None or found.high is None:
            return None
        if max(found.value - found.low, found.high - found.value) <= half_width:
            return found.briefs
    return None


@dataclass(frozen=True, slots=True)
class _Answers:
    """One model by brief: the mean score, the share of usable graphs, their mean score where there is one; the number of answers."""

    expected: dict[str, float]
    usable: dict[str, float]
    quality: dict[str, float]
    count: int

    @classmethod
    def of(cls, side: Side, briefs: Sequence[str]) -> "_Answers":
        found = cls({}, {}, {}, sum(len(side[brief]) for brief in briefs))
        for brief in briefs:
            graphs = [score for score in side[brief] if score is not None]
            found.expected[brief] = math.fsum(graphs) / len(side[brief])
            found.usable[brief] = len(graphs) / len(side[brief])
            if graphs:
                found.quality[brief] = math.fsum(graphs) / len(graphs)
        return found


@dataclass(frozen=True, slots=True)
class _Share:
    """A share of usable graphs: the mean over models, its interval, its pseudo-values by brief, and the briefs with a failure."""

    value: float
    interval: Interval
    pseudo: dict[str, float]
    failed: frozenset[str]

    @classmethod
    def of(cls, models: Sequence[_Answers], confidence: float) -> "_Share":
        """The share with Jeffreys' interval for the effective number of answers, which is answers / design effect.

        The design effect is `answers s^2 / (N p (1 - p))`, s^2 the variance of the pseudo-values over N briefs (Kish), 1 at least. Where
        the samples of a cell fail together it is their number, which few failures cannot rule out: with failures on k briefs the two
        are averaged with the weights k and 1. Where nothing failed, or everything, only the number of samples is left.
        """
        value, pseudo = _by_brief([each.usable for each in models])
        every = [entry for each in models for entry in each.usable.items()]
        failed = frozenset(brief for brief, usable in every if usable < 1)
        mixed = min(len(failed), len({brief for brief, usable in every if usable > 0}))
        answers, briefs = sum(each.count for each in models), len(pseudo)
        samples = answers / len(every)
        if not mixed or briefs < 2:
            effective = len(every) - 1.0
        else:
            variance = math.fsum((share - value) ** 2 for share in pseudo.values()) / (briefs - 1)
            effect = max(1.0, answers * variance / (briefs * value * (1 - value)))
            effective = answers / (
                effect if effect > samples else (mixed * effect + samples) / (mixed + 1)
            )
        return cls(value, share_interval(value, effective, confidence), pseudo, failed)


def _by_brief(models: Sequence[Mapping[str, float]]) -> tuple[float, dict[str, float]]:
    """The mean over models of their means over briefs, and its jackknife pseudo-value for each brief."""
    means = [fmean(values.values()) for values in models]
    mean = fmean(means)
    pull = dict.fromkeys(sorted({brief for values in models for brief in values}), 0.0)
    for average, values in zip(means, models, strict=True):
        for brief, value in values.items():
            pull[brief] += (value - average) / max(1, len(values) - 1)
    scale = (len(pull) - 1) / len(models)
    return mean, {brief: mean + scale * each for brief, each in pull.items()}


def _change(old: Mapping[str, float], new: Mapping[str, float]) -> dict[str, float]:
    return {brief: new[brief] - value for brief, value in old.items() if brief in new}


def _correlation(
    one: Mapping[str, float], other: Mapping[str, float], correction: float = 0.0
) -> float:
    """Pearson's correlation over briefs, a positive covariance less `correction`; a brief without a value has the mean."""
    first, second = (_deviations(values) for values in (one, other))
    scale = math.sqrt(
        math.fsum(a * a for a in first.values()) * math.fsum(b * b for b in second.values())
    )
    if scale <= 1e-12:
        return 0.0
    product = math.fsum(a * second.get(brief, 0.0) for brief, a in first.items())
    return (max(0.0, product - correction) if product > 0 else product) / scale


def _deviations(values: Mapping[str, float]) -> dict[str, float]:
    mean = fmean(values.values()) if values else 0.0
    return {brief: value - mean for brief, value in values.items()}


def _repeated(sides: Mapping[str, Side], copies: int) -> dict[str, Side]:
    return {
        model: {
            f"{brief} {copy}": scores for brief, scores in side.items() for copy in range(copies)
        }
        for model, side in sides.items()
    }
