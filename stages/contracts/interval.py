"""The interval of a mean over briefs: how far the mean over all conceivable briefs may be from the one that was measured."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from scipy.special import stdtrit

Method = Literal["t-adjusted", "all-equal"]


@dataclass(frozen=True, slots=True)
class Interval:
    """A two-sided confidence interval, `low <= mean <= high`, in the values' unit, and the method that gave it."""

    low: float
    high: float
    method: Method


def mean_interval(
    values: Sequence[float], confidence: float = 0.95, *, bounds: tuple[float, float] = (0.0, 1.0)
) -> Interval | None:
    """The confidence interval of the mean of `values`, one value per brief, each within `bounds`.

    Student's t with two adjustments. The side of the longer tail is lengthened by Johnson's skewness term
    `g s (1 + 2 t^2) / (6 n)` (g: the sample's skewness, s: its standard deviation, t: the quantile). The degrees of freedom are
    those of a variance that is estimated from values of kurtosis k, `2 n / (k - (n - 3) / (n - 1))`, and n - 1 at most: a few
    values that stand far from many equal ones say little of the spread. Of the methods that `docs/comparing.md` compares it is
    the one whose measured coverage stays closest to the level; the bootstraps cover less, most of all with few briefs.

    Values that are all equal have no spread to go by, which does not make their mean certain: at the given confidence at most
    the share `1 - (1 - confidence) ** (1 / n)` of all briefs is different, by anything that `bounds` allow.

    Args:
        values: One number per brief: the mean over the brief's samples, or a difference of two such means.
        confidence: Level of the interval, 0 to 1.
        bounds: What a value can be at all: (0, 1) for a score, (-1, 1) for a difference of scores.

    Returns:
        The interval, cut at `bounds`; None for fewer than two values: nothing is known of their spread.

    Source: N. J. Johnson, Modified t Tests and Confidence Intervals for Asymmetrical Populations, JASA 73 (1978) 536-544;
    the variance of a sample variance as in E. Cho and M. J. Cho, Variance of Sample Variance, JSM Proceedings (2008) 1291-1293.

    >>> interval = mean_interval([0.5, 0.7, 0.6, 0.8])
    >>> round(interval.low, 3), round(interval.high, 3), interval.method
    (0.445, 0.855, 't-adjusted')
    >>> interval = mean_interval([1.0] * 16)
    >>> round(interval.low, 3), interval.high, interval.method
    (0.829, 1.0, 'all-equal')
    >>> mean_interval([0.5]) is None
    True
    """
    count = len(values)
    if count < 2:
        return None
    low, high = bounds
    mean = math.fsum(values) / count
    squares = math.fsum((value - mean) ** 2 for value in values)
    if max(values) - min(values) <= 1e-12:  # equal but for the rounding of averages
        share = 1.0 - (1.0 - confidence) ** (1.0 / count)
        return Interval(max(low, mean - share * (mean - low)), min(high, mean + share * (high - mean)), "all-equal")
    deviation = math.sqrt(squares / (count - 1))
    skewness = math.fsum((value - mean) ** 3 for value in values) / count / (squares / count) ** 1.5
    kurtosis = math.fsum((value - mean) ** 4 for value in values) / count / (squares / count) ** 2
    freedom = min(count - 1.0, 2 * count / (kurtosis - (count - 3) / (count - 1)))
    quantile = float(stdtrit(freedom, 0.5 + confidence / 2))
    half = quantile * deviation / math.sqrt(count)
    shift = skewness * deviation * (1 + 2 * quantile**2) / (6 * count)
    return Interval(max(low, mean - half + min(shift, 0.0)), min(high, mean + half + max(shift, 0.0)), "t-adjusted")
