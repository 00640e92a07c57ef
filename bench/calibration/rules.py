"""The rules of `stages.statistics` over many repetitions at once, and others like them.

Arrays are (repetitions, briefs), one value per brief. The tests hold these and the product's
functions together.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from scipy.special import stdtrit

from bench.calibration.populations import Mask, Scores
from stages.statistics.claim import MIN_BRIEFS

Ends: TypeAlias = tuple[Scores, Scores]
CONFIDENCE = 0.95
MEANINGFUL = 0.02
"""The default of compare.min_difference."""


@dataclass(frozen=True, slots=True)
class Drawn:
    """Repetitions of a comparison: moves of the expected score and gains in quality per brief.

    A gain is nan without a usable graph on both sides. Of each repetition: the mean quality and the
    share of failures on both sides.
    """

    moves: Scores
    gains: Scores
    base_quality: Scores
    head_quality: Scores
    base_failures: Scores
    head_failures: Scores


def summarise(base: Scores, head: Scores) -> Drawn:
    """Means over samples, then models, of scores (repetitions, models, briefs, samples)."""
    base_graphs, head_graphs = mean_where_known(base, 3), mean_where_known(head, 3)
    moves = np.nan_to_num(head).mean(3) - np.nan_to_num(base).mean(3)
    return Drawn(
        moves=moves.mean(1),
        gains=mean_where_known(head_graphs - base_graphs, 1),
        base_quality=mean_where_known(mean_where_known(base_graphs, 1), 1),
        head_quality=mean_where_known(mean_where_known(head_graphs, 1), 1),
        base_failures=np.isnan(base).mean((1, 2, 3)),
        head_failures=np.isnan(head).mean((1, 2, 3)),
    )


def mean_where_known(values: Scores, axis: int) -> Scores:
    """The mean of the values that are not nan; nan where there is none."""
    known = ~np.isnan(values)
    count = known.sum(axis)
    total = np.where(known, values, 0.0).sum(axis)
    means: Scores = np.divide(total, count, out=np.full(total.shape, np.nan), where=count > 0)
    return means


def student(
    values: Scores, centre: Scores, squares: Scores | float, added: int, level: float
) -> Ends:
    """Student's t around a centre, with so many imaginary values of such squares added."""
    count = values.shape[1] + added
    total = ((values - values.mean(1, keepdims=True)) ** 2).sum(1) + squares
    quantile = stdtrit(count - 1, 0.5 + level / 2)
    half = quantile * np.sqrt(total / (count - 1) / count)
    return centre - half, centre + half


def expected_interval(drawn: Drawn, level: float = CONFIDENCE) -> Ends:
    """The product's rule: two imaginary failures on each side, of the higher quality."""
    higher = np.fmax(drawn.base_quality, drawn.head_quality)
    move = np.where(np.isnan(higher), 1.0, higher)
    return student(drawn.moves, drawn.moves.mean(1), 4 * move**2, 4, level)


def four_at_mean_quality(drawn: Drawn) -> Ends:
    """The same with the mean of both qualities."""
    move = (drawn.base_quality + drawn.head_quality) / 2
    return student(drawn.moves, drawn.moves.mean(1), 4 * move**2, 4, CONFIDENCE)


def two_at_base_quality(drawn: Drawn) -> Ends:
    """One imaginary failure on each side, of the base's quality, around the plain mean."""
    return student(drawn.moves, drawn.moves.mean(1), 2 * drawn.base_quality**2, 2, CONFIDENCE)


def two_centred_with_them(drawn: Drawn) -> Ends:
    """The same around the mean with the imaginary briefs."""
    count = drawn.moves.shape[1]
    centre = drawn.moves.mean(1) * count / (count + 2)
    return student(drawn.moves, centre, 2 * drawn.base_quality**2, 2, CONFIDENCE)


def two_at_higher_quality(drawn: Drawn) -> Ends:
    """The same with the higher of both qualities."""
    count = drawn.moves.shape[1]
    centre = drawn.moves.mean(1) * count / (count + 2)
    higher = np.fmax(drawn.base_quality, drawn.head_quality)
    return student(drawn.moves, centre, 2 * higher**2, 2, CONFIDENCE)


def plain_student(drawn: Drawn) -> Ends:
    """Student's t, without a failure that was not seen."""
    return student(drawn.moves, drawn.moves.mean(1), 0.0, 0, CONFIDENCE)


EXPECTED_RULES: dict[str, Callable[[Drawn], Ends]] = {
    "four at the higher quality, plain mean (the product)": expected_interval,
    "four at the mean quality, plain mean": four_at_mean_quality,
    "two at the base's quality, plain mean": two_at_base_quality,
    "two at the base's quality, mean with them": two_centred_with_them,
    "two at the higher quality, mean with them": two_at_higher_quality,
    "Student's t": plain_student,
}


def quality_interval(values: Scores, level: float = CONFIDENCE, low: float = -1.0) -> Ends:
    """`stages.statistics.interval.mean_interval` of the values that are not nan, `low` to 1."""
    known = ~np.isnan(values)
    count = known.sum(1)
    mean = mean_where_known(values, 1)
    deviations = np.where(known, values - mean[:, None], 0.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        variance = (deviations**2).sum(1) / count
        skewness = (deviations**3).sum(1) / count / variance**1.5
        kurtosis = (deviations**4).sum(1) / count / variance**2
        freedom = np.minimum(count - 1, 2 * count / (kurtosis - (count - 3) / (count - 1)))
        quantile = stdtrit(freedom, 0.5 + level / 2)
        deviation = np.sqrt(variance * count / (count - 1))
        half = quantile * deviation / np.sqrt(count)
        shift = skewness * deviation * (1 + 2 * quantile**2) / (6 * count)
        different = 1 - (1 - level) ** (1 / count)
    highest = np.where(known, values, -np.inf).max(1)
    lowest = np.where(known, values, np.inf).min(1)
    equal = highest - lowest <= 1e-12
    below = np.where(equal, mean - different * (mean - low), mean - half + np.minimum(shift, 0))
    above = np.where(equal, mean + different * (1 - mean), mean + half + np.maximum(shift, 0))
    few = count < 2
    return np.where(few, np.nan, np.maximum(below, low)), np.where(
        few, np.nan, np.minimum(above, 1)
    )


def score_interval(expected: Scores) -> Ends:
    """The product's rule for one model: Student's t with a brief of 0 and one of 1 added."""
    ones = np.ones((len(expected), 1))
    with_both = np.concatenate([expected, 0 * ones, ones], axis=1)
    return within_scores(student(with_both, with_both.mean(1), 0.0, 0, CONFIDENCE))


def score_around_mean(expected: Scores) -> Ends:
    """The same, around the plain mean."""
    mean = expected.mean(1)
    squares = mean**2 + (1 - mean) ** 2
    return within_scores(student(expected, mean, squares, 2, CONFIDENCE))


def score_with_failure(expected: Scores) -> Ends:
    """One imaginary failure."""
    with_failure = np.concatenate([expected, np.zeros((len(expected), 1))], axis=1)
    return within_scores(student(with_failure, with_failure.mean(1), 0.0, 0, CONFIDENCE))


def score_by_mean(expected: Scores) -> Ends:
    """`mean_interval` of the briefs' expected scores."""
    return quality_interval(expected, low=0.0)


def within_scores(ends: Ends) -> Ends:
    """The ends, 0 to 1."""
    return np.maximum(ends[0], 0), np.minimum(ends[1], 1)


SCORE_RULES: dict[str, Callable[[Scores], Ends]] = {
    "a brief of 0 and one of 1 (the product)": score_interval,
    "the same, around the plain mean": score_around_mean,
    "a brief of 0": score_with_failure,
    "mean_interval": score_by_mean,
}


def is_better(values: Scores, ends: Ends) -> Mask:
    """Whether an interval lies above 0, and its estimate matters."""
    better: Mask = (ends[0] > 0) & (values >= MEANINGFUL)
    return better


def is_worse(values: Scores, ends: Ends) -> Mask:
    """Whether an interval lies below 0, and its estimate matters."""
    return is_better(-values, (-ends[1], -ends[0]))


@dataclass(frozen=True, slots=True)
class Claims:
    """Which repetitions have which claim; those *where usable* need an open expected score."""

    better: Mask
    worse: Mask
    same: Mask
    better_where_usable: Mask
    worse_where_usable: Mask

    @property
    def in_favour(self) -> Mask:
        """Any claim for the head."""
        return self.better | self.better_where_usable

    @property
    def against(self) -> Mask:
        """Any claim against the head."""
        return self.worse | self.worse_where_usable


def claims_of(drawn: Drawn, level: float = CONFIDENCE) -> Claims:
    """The claims of `stages.statistics.claim`, of each repetition."""
    value, ends = drawn.moves.mean(1), expected_interval(drawn, level)
    gain, gain_ends = mean_where_known(drawn.gains, 1), quality_interval(drawn.gains, level)
    better, worse = is_better(value, ends), is_worse(value, ends)
    same = (ends[0] > -MEANINGFUL) & (ends[1] < MEANINGFUL) & ~better & ~worse
    undecided = ~(better | worse | same)
    enough = np.isfinite(drawn.gains).sum(1) >= MIN_BRIEFS
    no_more = drawn.head_failures <= drawn.base_failures + 1e-12
    no_fewer = drawn.head_failures >= drawn.base_failures - 1e-12
    return Claims(
        better=better,
        worse=worse,
        same=same,
        better_where_usable=undecided & enough & is_better(gain, gain_ends) & no_more,
        worse_where_usable=undecided & enough & is_worse(gain, gain_ends) & no_fewer,
    )
