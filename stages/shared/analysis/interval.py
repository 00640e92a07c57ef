"""Confidence intervals of a mean and a share, and how many briefs shorten one. Pure."""

import math
from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
from scipy.special import betaincinv, stdtrit

from stages.shared.records.record import NOT_MEASURED, Measurement

ROUNDING = 1e-12
"""Values that differ by less are equal."""
MAX_TIMES = 64
"""More than so many times the present briefs are not proposed."""
Ends: TypeAlias = tuple[float, float]
"""The lower and the upper end of an interval."""


def mean_interval(
    values: Sequence[float], confidence: float = 0.95, *, bounds: Ends = (0.0, 1.0)
) -> Measurement:
    """The mean of `values`, one per brief, with its interval within `bounds`; without an interval
    below two, not measured of none.

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

    >>> mean = mean_interval([0.5, 0.7, 0.6, 0.8])
    >>> round(mean.low, 3), round(mean.high, 3)
    (0.445, 0.855)
    """
    count = len(values)
    if not count:
        return NOT_MEASURED
    mean = math.fsum(values) / count
    if count < 2:
        return Measurement(value=mean, n=count)
    low, high = bounds
    if max(values) - min(values) <= ROUNDING:
        share = 1 - (1 - confidence) ** (1 / count)
        ends = mean - share * (mean - low), mean + share * (high - mean)
    else:
        ends = _adjusted_ends(values, mean, confidence)
    return Measurement(value=mean, low=max(low, ends[0]), high=min(high, ends[1]), n=count)


def _adjusted_ends(values: Sequence[float], mean: float, confidence: float) -> Ends:
    """The ends by Student's t, for skewness and kurtosis; the values are not all equal."""
    count = len(values)
    deviations = np.asarray(values) - mean
    deviation = math.sqrt(float(np.sum(deviations**2)) / (count - 1))
    standardised = deviations / math.sqrt(float(np.mean(deviations**2)))
    skewness = float(np.mean(standardised**3))
    kurtosis = float(np.mean(standardised**4))
    freedom = min(count - 1.0, 2 * count / (kurtosis - (count - 3) / (count - 1)))
    quantile = float(stdtrit(freedom, 0.5 + confidence / 2))
    half = quantile * deviation / math.sqrt(count)
    shift = skewness * deviation * (1 + 2 * quantile**2) / (6 * count)
    return mean - half + min(shift, 0.0), mean + half + max(shift, 0.0)


def share_interval(share: float, count: float, confidence: float = 0.95) -> Ends:
    """The interval of a share, 0 to 1, observed among `count` answers; all of it below one.

    Jeffreys' interval: the quantiles of Beta(count share + 1/2, count (1 - share) + 1/2); the end
    at a share of 0 or 1 is that share. `count` may be an effective number, not whole.

    Source: L. D. Brown, T. T. Cai and A. DasGupta, Interval Estimation for a Binomial Proportion,
    Statistical Science 16 (2001) 101-133.

    >>> low, high = share_interval(1.0, 16)
    >>> round(low, 3), high
    (0.857, 1.0)
    """
    if count < 1:
        return 0.0, 1.0
    tail = (1 - confidence) / 2
    hits, misses = count * share, count * (1 - share)
    low, high = 0.0, 1.0
    if hits > ROUNDING:
        low = float(betaincinv(hits + 0.5, misses + 0.5, tail))
    if misses > ROUNDING:
        high = float(betaincinv(hits + 0.5, misses + 0.5, 1 - tail))
    return min(low, share), max(high, share)


def mean_share(shares: Sequence[float], confidence: float = 0.95) -> Measurement:
    """The mean of shares, one per brief, 0 to 1, with Jeffreys' interval of one answer less than
    there are briefs; without an interval below two, not measured of none.
    """
    count = len(shares)
    if not count:
        return NOT_MEASURED
    mean = math.fsum(shares) / count
    if count < 2:
        return Measurement(value=mean, n=count)
    low, high = share_interval(mean, count - 1, confidence)
    return Measurement(value=mean, low=low, high=high, n=count)


def briefs_for(estimate: Measurement, half_width: float) -> int | None:
    """About how many briefs make an interval reach at most `half_width` to either side.

    Further briefs are taken to turn out as those at hand, so that the length falls with the root of
    their number. None without an interval, and where 64 times as many are not enough.

    >>> briefs_for(Measurement(value=0.05, low=-0.01, high=0.11, n=16), 0.03)
    64
    """
    value, ends = estimate.value, estimate.ends
    if value is None or ends is None or half_width <= 0:
        return None
    times = (max(value - ends[0], ends[1] - value) / half_width) ** 2
    return math.ceil(estimate.n * times - ROUNDING) if times <= MAX_TIMES else None
