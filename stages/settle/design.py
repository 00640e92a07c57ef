"""The plan of a settlement: how long the interval is at each look, how likely a verdict is, and what can be found at all. Pure.

Looks add samples, not briefs: the difference has the variance `(brief_sd^2 + 2 answer_sd^2 / (models samples)) / briefs`, of which
samples reduce the second part alone.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import accumulate, pairwise
from statistics import fmean

import numpy as np
from scipy.optimize import brentq
from scipy.special import ndtr, ndtri, stdtrit

from stages.compare.effect import POWER
from stages.compare.pairing import Pair, by_brief
from stages.contracts.estimates import Difference, Scores, difference_of
from stages.contracts.settlement import Boundary, PlannedLook, Spread
from stages.settle.spending import chances, confidences

REFERENCE = 0.05
"""The difference for which the plan states the chance of a verdict."""
ASSUMED = Spread(brief_sd=0.03, answer_sd=0.1, usable_rate=1.0, quality=0.75, assumed=())
LEAST_REACHED = 0.005
"""A look whose chance of a verdict is lower than this is named as one without."""
LEAST_SD = 0.01
"""What a standard deviation is taken to be at least: a few equal answers do not show that all are."""
LEAST_BRIEFS, LEAST_FREEDOM, LEAST_ANSWERS = 6, 8, 16
"""What the stored answers must hold before they replace an assumption: paired briefs, repeated answers, answers."""


def spread_of(pairs: Sequence[Pair], cells: Sequence[Scores]) -> Spread:
    """How much scores vary, from answers; what they do not show is assumed.

    Args:
        pairs: The cells that have answers on both sides.
        cells: The scores of each cell of either side.
    """
    groups = [[score or 0.0 for score in scores] for scores in cells]
    graphs = [[score for score in scores if score is not None] for scores in cells]
    answers, usable = sum(map(len, groups)), [score for scores in graphs for score in scores]
    freedom = sum(len(group) - 1 for group in groups if group)
    found: dict[str, float] = {}
    if answers >= LEAST_ANSWERS and usable:
        found |= {"usable_rate": len(usable) / answers, "quality": fmean(usable)}
    if freedom >= LEAST_FREEDOM:
        squares = math.fsum((score - fmean(group)) ** 2 for group in groups for score in group)
        found["answer_sd"] = max(LEAST_SD, math.sqrt(squares / freedom))
    briefs = by_brief(pairs).values()
    if len(briefs) >= LEAST_BRIEFS:
        noise = found.get("answer_sd", ASSUMED.answer_sd) ** 2 * fmean(
            math.fsum(1 / len(each.base_scores) + 1 / len(each.head_scores) for each in group) / len(group) ** 2
            for group in briefs
        )
        found["brief_sd"] = max(LEAST_SD, math.sqrt(max(0.0, _differences_variance(pairs) - noise)))
    assumed = tuple(name for name in Spread.model_fields if name != "assumed" and name not in found)
    return ASSUMED.model_copy(update={**found, "assumed": assumed})


def lengthened(found: Difference, pairs: Sequence[Pair], widening: float, confidence: float) -> Difference:
    """The difference with the interval of a look: Student's interval of the briefs' differences would be `widening` times as long.

    What it is longer by is added to the interval at hand, whose allowance for failures that were not seen stays as it is: it does not
    vary from look to look.
    """
    if found.low is None or found.high is None:
        return found
    by = (widening - 1) * _student(found.briefs, confidence) * math.sqrt(_differences_variance(pairs) / found.briefs)
    return replace(found, low=max(-1.0, found.low - by), high=min(1.0, found.high + by))


def planned_looks(
    samples: Sequence[int],
    spread: Spread,
    *,
    models: int,
    briefs: int,
    confidence: float,
    margin: float,
    boundary: Boundary,
) -> tuple[tuple[PlannedLook, ...], float | None]:
    """The looks, and the smallest difference that is found four times in five; None where none is.

    Args:
        samples: Per cell, at each look.
        spread: How much scores vary.
        models: How many are averaged over.
        briefs: How many there are.
        confidence: Of all looks together.
        margin: The smallest difference that matters.
        boundary: How the error rate is spent.

    >>> looks, smallest = planned_looks(
    ...     [1, 2, 4, 8], ASSUMED, models=4, briefs=16, confidence=0.95, margin=0.02, boundary="obrien-fleming"
    ... )
    >>> [round(look.widening, 2) for look in looks], round(smallest, 3)
    ([2.17, 1.61, 1.24, 1.02], 0.044)
    """
    information = [1 / _variance(spread, models, briefs, count) for count in samples]
    normal = float(ndtri(0.5 + confidence / 2))
    widenings = [float(ndtri(0.5 + each / 2)) / normal for each in confidences(information, confidence, boundary)]
    halves = [
        _half_width(spread, models, briefs, count, confidence)
        + (widening - 1) * _student(briefs, confidence) / math.sqrt(each)
        for widening, count, each in zip(widenings, samples, information, strict=True)
    ]
    stops = [verdict_ranges(half, margin) for half in halves]

    def found(difference: float) -> tuple[float, ...]:
        return chances(information, difference, [ranges[1:2] for ranges in stops])

    smallest = None
    if sum(found(1.0)) > POWER:
        smallest = float(brentq(lambda value: sum(found(value)) - POWER, 0.0, 1.0, xtol=5e-4))
    at_smallest = found(smallest or 0.0)
    equal, changed = (list(accumulate(chances(information, each, stops))) for each in (0.0, max(REFERENCE, margin)))
    looks = tuple(
        PlannedLook(
            samples=count,
            widening=widenings[index] if math.isfinite(widenings[index]) else None,
            half_width=halves[index] if math.isfinite(halves[index]) else None,
            reachable=smallest is not None and at_smallest[index] >= LEAST_REACHED,
            chance_if_equal=min(1.0, equal[index]),
            chance_if_changed=min(1.0, changed[index]),
        )
        for index, count in enumerate(samples)
    )
    return looks, smallest


def verdict_ranges(half: float, margin: float) -> list[tuple[float, float]]:
    """The estimates with which an interval of `half` to either side gives a verdict: worse, better, no meaningful difference.

    >>> verdict_ranges(0.03, 0.02)
    [(-inf, -0.03), (0.03, inf)]
    """
    outer = max(half, margin)
    inner = [(half - margin, margin - half)] if half < margin else []
    return [(-math.inf, -outer), (outer, math.inf), *inner]


def chance_left(
    found: Difference, spread: Spread, look: PlannedLook, last: PlannedLook, confidence: float, margin: float
) -> float:
    """The chance of a verdict at the last look, given the estimate at this one.

    With the same briefs the estimate moves only by what the further samples add: a normal distribution around the estimate, its
    variance the part that they remove. What the briefs contribute to the variance remains, and with it the interval's length.
    """
    if found.value is None or last.widening is None:
        return 0.0
    models, briefs = max(1, len(found.models)), found.briefs
    final = _variance(spread, models, briefs, last.samples)
    moves = math.sqrt(_variance(spread, models, briefs, look.samples) - final)
    half = last.widening * _student(briefs, confidence) * math.sqrt(final)
    return float(
        sum(
            ndtr((high - found.value) / moves) - ndtr((low - found.value) / moves)
            for low, high in verdict_ranges(half, margin)
        )
    )


def _student(briefs: int, confidence: float) -> float:
    return float(stdtrit(briefs - 1, 0.5 + confidence / 2))


def _differences_variance(pairs: Sequence[Pair]) -> float:
    """The variance over briefs of the mean difference over models."""
    return float(np.var([fmean(pair.difference for pair in group) for group in by_brief(pairs).values()], ddof=1))


def _variance(spread: Spread, models: int, briefs: int, samples: int) -> float:
    return (spread.brief_sd**2 + 2 * spread.answer_sd**2 / (models * samples)) / briefs


def _half_width(spread: Spread, models: int, briefs: int, samples: int, confidence: float) -> float:
    """Of the interval of typical answers: differences at the quantiles of a normal distribution, failures spread evenly."""
    rate, quality = spread.usable_rate, spread.quality
    noise = max(0.0, spread.answer_sd**2 - rate * (1 - rate) * quality**2)
    normal = [float(ndtri((index + 0.5) / briefs)) for index in range(briefs)]
    scale = math.sqrt((spread.brief_sd**2 + 2 * noise / (models * samples)) / float(np.var(normal, ddof=1)))

    def side(sign: int, offset: float) -> Mapping[str, Mapping[str, Scores]]:
        fails = iter(_every(1 - rate, models * briefs * samples, offset))
        return {
            f"m{model}": {
                f"b{brief:03}": [None if next(fails) else quality + sign * scale * z / 2 for _ in range(samples)]
                for brief, z in enumerate(normal)
            }
            for model in range(models)
        }

    found = difference_of(side(-1, 0.25), side(1, 0.75), confidence)
    return ((found.high or 1.0) - (found.low or -1.0)) / 2


def _every(rate: float, count: int, offset: float) -> list[bool]:
    """True for a share of the positions, evenly spread."""
    steps = [math.floor(index * rate + offset) for index in range(count + 1)]
    return [later > earlier for earlier, later in pairwise(steps)]
