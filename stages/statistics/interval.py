"""Confidence intervals of a mean, a share and a ratio. Pure: numbers in, two ends out."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import betaincinv, stdtrit

ROUNDING = 1e-12
"""Values that differ by less are equal."""


@dataclass(frozen=True, slots=True)
class Interval:
    """A two-sided confidence interval in the unit of the values, low <= high."""

    low: float
    high: float

    def within(self, low: float, high: float) -> "Interval":
        """The part of the interval that is possible, values being `low` to `high`."""
        return Interval(max(low, self.low), min(high, self.high))


def mean_interval(
    values: Sequence[float], confidence: float = 0.95, *, bounds: tuple[float, float] = (0.0, 1.0)
) -> Interval | None:
    """The interval of the mean of `values`, one per brief, within `bounds`; None below two.

    Student's t with two adjustments. The side of the longer tail is lengthened by Johnson's
    skewness term `g s (1 + 2 t^2) / (6 n)` (g: the sample's skewness, s: its standard deviation, t:
    the quantile). The degrees of freedom are those of a variance estimated from values of kurtosis
    k, `2 n / (k - (n - 3) / (n - 1))`, and n - 1 at most: a few values far from many equal ones say
    little about the spread.

    Values that are all equal have no spread, which does not make their mean certain: at the given
    confidence at most the share `1 - (1 - confidence) ** (1 / n)` of all briefs is different, by
    anything that `bounds` allow.

    Source: N. J. Johnson, Modified t Tests and Confidence Intervals for Asymmetrical Populations,
    JASA 73 (1978) 536-544; the variance of a sample variance as in E. Cho and M. J. Cho, Variance
    of Sample Variance, JSM Proceedings (2008) 1291-1293. `bench/calibration` measures the coverage.

    >>> interval = mean_interval([0.5, 0.7, 0.6, 0.8])
    >>> round(interval.low, 3), round(interval.high, 3)
    (0.445, 0.855)
    """
    count = len(values)
    if count < 2:
        return None
    low, high = bounds
    mean = math.fsum(values) / count
    if max(values) - min(values) <= ROUNDING:
        share = 1 - (1 - confidence) ** (1 / count)
        return Interval(mean - share * (mean - low), mean + share * (high - mean)).within(low, high)
    deviations = np.asarray(values) - mean
    deviation = math.sqrt(float(np.sum(deviations**2)) / (count - 1))
    standardised = deviations / math.sqrt(float(np.mean(deviations**2)))
    skewness = float(np.mean(standardised**3))
    kurtosis = float(np.mean(standardised**4))
    freedom = min(count - 1.0, 2 * count / (kurtosis - (count - 3) / (count - 1)))
    quantile = _quantile(freedom, confidence)
    half = quantile * deviation / math.sqrt(count)
    shift = skewness * deviation * (1 + 2 * quantile**2) / (6 * count)
    adjusted = Interval(mean - half + min(shift, 0.0), mean + half + max(shift, 0.0))
    return adjusted.within(low, high)


def share_interval(share: float, count: float, confidence: float = 0.95) -> Interval:
    """The interval of a share, 0 to 1, observed among `count` answers; all of it below one.

    Jeffreys' interval: the quantiles of Beta(count share + 1/2, count (1 - share) + 1/2); the end
    at a share of 0 or 1 is that share. `count` may be an effective number, not whole.

    Source: L. D. Brown, T. T. Cai and A. DasGupta, Interval Estimation for a Binomial Proportion,
    Statistical Science 16 (2001) 101-133.

    >>> interval = share_interval(1.0, 16)
    >>> round(interval.low, 3), interval.high
    (0.857, 1.0)
    """
    if count < 1:
        return Interval(0.0, 1.0)
    tail = (1 - confidence) / 2
    hits, misses = count * share, count * (1 - share)
    low, high = 0.0, 1.0
    if hits > ROUNDING:
        low = float(betaincinv(hits + 0.5, misses + 0.5, tail))
    if misses > ROUNDING:
        high = float(betaincinv(hits + 0.5, misses + 0.5, 1 - tail))
    return Interval(min(low, share), max(high, share))


def ratio_interval(top: float, of_top: Interval, bottom: float, of_bottom: Interval) -> Interval:
    """The interval of the ratio `top / bottom` of two independent estimates that are not negative.

    MOVER for a ratio: with estimates a in (l1, u1) and b in (l2, u2) the lower end is `(a b -
    sqrt((a b)^2 - l1 u2 (2 a - l1) (2 b - u2))) / (u2 (2 b - u2))`, and the upper end has u1 and l2
    for l1 and u2 and a plus sign. Where the formula has no solution the quotient of the outer ends,
    `l1 / u2` or `u1 / l2`, is taken; the upper end is infinite where l2 is 0.

    Source: A. Donner and G. Y. Zou, Closed-form Confidence Intervals for Functions of the Normal
    Mean and Standard Deviation, Statistical Methods in Medical Research 21 (2012) 347-359.
    """
    product = top * bottom

    def end(numerator: float, denominator: float, sign: int) -> float:
        if denominator <= 0.0:
            return math.inf
        scale = denominator * (2 * bottom - denominator)
        spread = product**2 - numerator * (2 * top - numerator) * scale
        if scale <= 0.0 or spread < 0.0:
            return numerator / denominator
        return (product + sign * math.sqrt(spread)) / scale

    return Interval(end(of_top.low, of_bottom.high, -1), end(of_top.high, of_bottom.low, 1))


def _quantile(freedom: float, confidence: float) -> float:
    return float(stdtrit(freedom, 0.5 + confidence / 2))
