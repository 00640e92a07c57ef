"""Confidence intervals of a mean and a share, how many briefs shorten one, and how several share
one error rate. Pure.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import TypeAlias, TypeVar

import numpy as np
from scipy.special import betaincinv, stdtrit

from graph_evaluator.records.record import NOT_MEASURED, Measurement

ROUNDING = 1e-12
"""Values that differ by less are equal."""
MAX_TIMES = 64
"""More than so many times the present briefs are not proposed."""
Tested = TypeVar("Tested")
Ends: TypeAlias = tuple[float, float]
"""The lower and the upper end of an interval."""


def mean_interval(values: Sequence[float], confidence: float = 0.95) -> Measurement:
    """The mean of `values`, one per brief, 0 to 1, with its interval; without an interval below
    two, not measured of none.

    Student's t with two adjustments. The side of the longer tail is lengthened by Johnson's
    skewness term `g s (1 + 2 t^2) / (6 n)` (g: the sample's skewness, s: its standard deviation, t:
    the quantile). The degrees of freedom are those of a variance estimated from values of kurtosis
    k, `2 n / (k - (n - 3) / (n - 1))`, and n - 1 at most: a few values far from many equal ones say
    little about the spread.

    Values that are all equal have no spread, which does not make their mean certain: at the given
    confidence at most the share `1 - (1 - confidence) ** (1 / n)` of all briefs is different.

    Source: N. J. Johnson, Modified t Tests and Confidence Intervals for Asymmetrical Populations,
    JASA 73 (1978) 536-544; the variance of a sample variance as in E. Cho and M. J. Cho, Variance
    of Sample Variance, JSM Proceedings (2008) 1291-1293. `bench/calibration` measures the coverage.

    >>> mean = mean_interval([0.5, 0.7, 0.6, 0.8])
    >>> round(mean.low, 3), round(mean.high, 3)
    (0.445, 0.855)
    """
    return _with_ends(values, lambda mean: _mean_ends(values, mean, confidence))


def _with_ends(values: Sequence[float], ends_of: Callable[[float], Ends]) -> Measurement:
    """The mean of values, one per brief, with the ends that it has; without an interval below two,
    not measured of none.
    """
    count = len(values)
    if not count:
        return NOT_MEASURED
    mean = math.fsum(values) / count
    if count < 2:
        return Measurement(value=mean, n=count)
    low, high = ends_of(mean)
    return Measurement(value=mean, low=low, high=high, n=count)


def _mean_ends(values: Sequence[float], mean: float, confidence: float) -> Ends:
    if max(values) - min(values) <= ROUNDING:
        share = 1 - (1 - confidence) ** (1 / len(values))
        return mean - share * mean, mean + share * (1 - mean)
    low, high = _adjusted_ends(values, mean, confidence)
    return max(0.0, low), min(1.0, high)


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
    return _with_ends(shares, lambda mean: share_interval(mean, len(shares) - 1, confidence))


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


ANALYSIS_SHARES = ((0.0, 0.0), (1 / 8, 0.02), (1 / 4, 0.10), (1 / 2, 0.40), (1.0, 1.0))
"""Share of the last analysis's samples, and of the error rate used up to there; linear between."""


def confidence_of_test(confidence: float, number: int) -> float:
    """The confidence of the k-th test on the same data, k from 1: its error rate is that of all
    tests together over k (k + 1), however many follow.

    >>> [round(confidence_of_test(0.95, number), 4) for number in (1, 2, 3)]
    [0.975, 0.9917, 0.9958]
    """
    return 1 - (1 - confidence) / (number * (number + 1))


def analysis_confidences(samples: Sequence[int], confidence: float) -> tuple[float, ...]:
    """The confidence of the interval at each analysis, of so many samples per cell, increasing.

    The error rate is shared by fixed weights, 0.02, 0.08, 0.3 and 0.6 for 1, 2, 4 and 8 samples, so
    that the intervals of all analyses hold together with `confidence` (Bonferroni).

    >>> [round(level, 4) for level in analysis_confidences([1, 2, 4, 8], 0.95)]
    [0.999, 0.996, 0.985, 0.97]
    """
    parts, shares = zip(*ANALYSIS_SHARES, strict=True)
    used = np.interp([0.0, *(count / samples[-1] for count in samples)], parts, shares)
    return tuple(1 - (1 - confidence) * float(after - before) for before, after in pairwise(used))


def step_down(
    tests: Mapping[str, Callable[[float], Tested]],
    confidence: float,
    is_settled: Callable[[Tested], bool],
) -> dict[str, Tested]:
    """Tests that share one error rate, each at the confidence at which it is judged: Holm.

    `tests` gives each at a given confidence; `confidence` is that of all together. All m are looked
    at with the error rate divided by m; those that are settled stay as they are, the others are
    looked at with the rate divided by their number, until none is settled.

    Source: S. Holm, A Simple Sequentially Rejective Multiple Test Procedure, Scand. J. Statist. 6
    (1979) 65-70.
    """
    judged: dict[str, Tested] = {}
    open_names = list(tests)
    while open_names:
        level = 1 - (1 - confidence) / len(open_names)
        judged |= {name: tests[name](level) for name in open_names}
        still_open = [name for name in open_names if not is_settled(judged[name])]
        if len(still_open) == len(open_names):
            break
        open_names = still_open
    return judged
