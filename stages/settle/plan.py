"""What the looks of a settlement can show, by how much answers vary. Pure.

Looks add samples, not briefs: over n briefs a mean difference has the variance
`(brief_sd^2 + 2 answer_sd^2 / (models samples)) / n`, of which samples reduce the second part.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import ndtr, ndtri

from stages.compare.effect import paired_difference
from stages.compare.pairing import Pair
from stages.contracts.settlement import SettleDesign
from stages.statistics.error_rate import look_confidences
from stages.statistics.estimates import IntervalEstimate
from stages.statistics.interval import mean_interval, unseen_interval

ASSUMED_BRIEF_SD, ASSUMED_ANSWER_SD, ASSUMED_SCORE = 0.03, 0.1, 0.75
LEAST_SD = 0.01
"""What a standard deviation is taken to be at least: a few equal answers do not show that all
are.
"""
LEAST_REPEATED = 8
"""The repeated answers that replace an assumption."""


@dataclass(frozen=True, slots=True)
class Parts:
    """A number for the expected score, 0 without a usable graph, and one for usable graphs."""

    expected: float
    quality: float


def answer_sds(pairs: Sequence[Pair]) -> Parts | None:
    """The standard deviations of the answers to one cell; None with too few repeated answers."""
    cells = [scores for pair in pairs for scores in (pair.base_scores, pair.head_scores)]
    expected = _pooled_sd([[score or 0.0 for score in scores] for scores in cells])
    usable = [[score for score in scores if score is not None] for scores in cells]
    if expected is None:
        return None
    return Parts(expected, _pooled_sd(usable) or ASSUMED_ANSWER_SD)


def _pooled_sd(cells: Sequence[Sequence[float]]) -> float | None:
    repeated = [cell for cell in cells if len(cell) > 1]
    freedom = sum(len(cell) - 1 for cell in repeated)
    if freedom < LEAST_REPEATED:
        return None
    squares = sum(len(cell) * float(np.var(cell)) for cell in repeated)
    return max(LEAST_SD, math.sqrt(squares / freedom))


def expected_half_widths(design: SettleDesign, sds: Parts | None) -> list[Parts]:
    """For each look how far its intervals are expected to reach to either side of the difference.

    The differences are taken to be normally distributed over briefs.
    """
    sds = sds or Parts(ASSUMED_ANSWER_SD, ASSUMED_ANSWER_SD)
    samples = [look.samples for look in design.looks]
    widths = []
    for count, level in zip(samples, look_confidences(samples, design.confidence), strict=True):
        expected, quality = (
            _typical_differences(design, sd, count) for sd in (sds.expected, sds.quality)
        )
        of_expected = unseen_interval(expected, ASSUMED_SCORE, level)
        of_quality = mean_interval(quality, level, bounds=(-1.0, 1.0))
        widths.append(Parts(of_expected.high, of_quality.high if of_quality else 1.0))
    return widths


def _typical_differences(design: SettleDesign, answer_sd: float, samples: int) -> list[float]:
    """A difference for each brief, around 0, at the quantiles of a normal distribution."""
    quantiles = ndtri((np.arange(design.briefs) + 0.5) / design.briefs)
    sd = math.sqrt(ASSUMED_BRIEF_SD**2 + 2 * answer_sd**2 / (design.models * samples))
    differences: list[float] = (quantiles * sd / np.std(quantiles, ddof=1)).tolist()
    return differences


def chance_left(design: SettleDesign, samples: int, pairs: Sequence[Pair]) -> float | None:
    """The chance that the last look has a verdict, given the answers at an earlier one.

    The greater of the chances of the expected score and of quality; None with too few repeated
    answers. With the same briefs a difference moves only by what further samples add: normally,
    with the variance that they remove. What the briefs contribute remains.
    """
    sds = answer_sds(pairs)
    if sds is None:
        return None
    looks = [look.samples for look in design.looks]
    difference = paired_difference(pairs, look_confidences(looks, design.confidence)[-1])
    expected = IntervalEstimate(difference.value, difference.low, difference.high)
    per_sample = 2 * (1 / samples - 1 / looks[-1]) / len(pairs)
    clear, within = _chances(expected, per_sample * sds.expected**2, design.margin)
    clear_quality, _ = _chances(difference.quality, per_sample * sds.quality**2, design.margin)
    return max(clear + within, clear_quality)


def _chances(estimate: IntervalEstimate, removed: float, margin: float) -> tuple[float, float]:
    """The chances that the interval will exclude 0, and that it will lie within the margin, once
    samples have removed this part of the variance.
    """
    value, low, high = estimate.value, estimate.low, estimate.high
    if value is None or low is None or high is None:
        return 0.0, 0.0
    moves = math.sqrt(removed)
    remaining = ((high - low) / 2) ** 2 - 4 * removed
    half = math.sqrt(max(removed, remaining))
    outer, inner = max(half, margin), max(0.0, margin - half)
    clear = ndtr((-outer - value) / moves) + ndtr((value - outer) / moves)
    within = ndtr((inner - value) / moves) - ndtr((-inner - value) / moves)
    return float(clear), float(within)
