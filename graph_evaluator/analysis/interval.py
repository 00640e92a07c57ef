"""Confidence intervals of a mean and a share, and how several share one error rate. Pure."""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray
from scipy.special import betaincinv, stdtrit

from graph_evaluator.records.record import NOT_MEASURED, Measurement

ROUNDING = 1e-12
"""Values that differ by less are equal."""
UNSEEN_MOVE = 0.05
"""By how much the mean of the briefs that are different may differ from that of briefs alike: about
a node too many.
"""
Tested = TypeVar("Tested")
Floats = NDArray[np.float64]


def unseen_share(briefs: int, confidence: float) -> float:
    """The largest share of all briefs that may be different where `briefs` are all alike: at this
    confidence, `1 - (1 - confidence) ** (1 / briefs)`.

    >>> round(unseen_share(16, 0.95), 3)
    0.171
    """
    different: float = 1 - (1 - confidence) ** (1 / briefs)
    return different


def half_width(deviation: Floats, briefs: int, confidence: float) -> Floats:
    """Half the length of the interval of a mean over briefs whose values have this standard
    deviation: Student's t, and `UNSEEN_MOVE` times `unseen_share` at least.

    Equal values have no spread, which does not make their mean certain. The least length is the
    same for equal and for nearly equal values.

    >>> float(round(half_width(np.array(0.0), 16, 0.95), 4))
    0.0085
    """
    student = stdtrit(briefs - 1, 0.5 + confidence / 2) * deviation / math.sqrt(briefs)
    return np.maximum(student, UNSEEN_MOVE * unseen_share(briefs, confidence))


def mean_interval(values: Sequence[float], confidence: float = 0.95) -> Measurement:
    """The mean of `values`, one per brief, 0 to 1, with its interval by `half_width`; without an
    interval below two, not measured of none.

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
    half = float(half_width(np.asarray(np.std(values, ddof=1)), count, confidence))
    return Measurement(value=mean, low=max(0.0, mean - half), high=min(1.0, mean + half), n=count)


def usable_mean(
    values: Sequence[float], usable: Sequence[float], confidence: float = 0.95
) -> Measurement:
    """The mean of `values`, one per brief, 0 to 1, in which an answer without a usable graph counts
    0, with its interval; `usable` is the share of each brief's answers that have one.

    The mean is about the usable share times the mean of usable graphs. The interval combines those
    of both: at each end the distances `mean (share - end)` and `share (mean - end)` add as squares
    (MOVER). So failures that are rare, and did not happen on these briefs, are part of it.

    Source: G. Y. Zou and A. Donner, Construction of Confidence Limits about Effect Measures,
    Statistics in Medicine 27 (2008) 1693-1702. `bench/calibration` measures the coverage.

    >>> mean = usable_mean([1.0] * 16, [1.0] * 16)
    >>> round(mean.low, 3), mean.high
    (0.829, 1.0)
    """
    count = len(values)
    if count < 2:
        return mean_interval(values)
    mean = math.fsum(values) / count
    share = math.fsum(usable) / count
    low_share, high_share = share_interval(share, count, confidence)
    of_graphs = [value / part for value, part in zip(values, usable, strict=True) if part]
    graphs = math.fsum(of_graphs) / len(of_graphs) if of_graphs else 1.0
    half = 1.0
    if len(of_graphs) > 1:
        quantile = float(stdtrit(len(of_graphs) - 1, 0.5 + confidence / 2))
        half = quantile * float(np.std(of_graphs, ddof=1)) / math.sqrt(len(of_graphs))
    below = math.hypot(graphs * (share - low_share), share * min(half, graphs))
    above = math.hypot(graphs * (high_share - share), share * min(half, 1 - graphs))
    low, high = max(0.0, mean - below), min(1.0, mean + above)
    return Measurement(value=mean, low=low, high=high, n=count)


def share_interval(share: float, count: int, confidence: float = 0.95) -> tuple[float, float]:
    """The interval of a share, 0 to 1, observed among `count` briefs; all of it of none.

    Jeffreys' interval, the quantiles of Beta(count share + 1/2, count (1 - share) + 1/2), and
    `unseen_share` of each part at least: so all of 16 are at least 83 %.

    Source: L. D. Brown, T. T. Cai and A. DasGupta, Interval Estimation for a Binomial Proportion,
    Statistical Science 16 (2001) 101-133.

    >>> low, high = share_interval(1.0, 16)
    >>> round(low, 3), high
    (0.829, 1.0)
    """
    if not count:
        return 0.0, 1.0
    tail = (1 - confidence) / 2
    hits, misses = count * share, count * (1 - share)
    unseen = unseen_share(count, confidence)
    low, high = share * (1 - unseen), share + unseen * (1 - share)
    lower = float(betaincinv(hits + 0.5, misses + 0.5, tail))
    upper = float(betaincinv(hits + 0.5, misses + 0.5, 1 - tail))
    return min(low, lower), max(high, upper)


def mean_share(shares: Sequence[float], confidence: float = 0.95) -> Measurement:
    """The mean of shares, one per brief, 0 to 1, with the interval of a share of the briefs;
    without an interval below two, not measured of none.
    """
    count = len(shares)
    if count < 2:
        return mean_interval(shares)
    mean = math.fsum(shares) / count
    low, high = share_interval(mean, count, confidence)
    return Measurement(value=mean, low=low, high=high, n=count)


INTERIM_SHARES = {1: 0.02, 2: 0.08, 4: 0.30, 8: 0.60}
"""The share of the error rate that each interim analysis has, by its samples per cell."""


def interim_confidence(samples: int, confidence: float) -> float:
    """The confidence of the interval at an interim analysis, so that the intervals of all hold
    together with `confidence` (Bonferroni).

    >>> [round(interim_confidence(samples, 0.95), 4) for samples in INTERIM_SHARES]
    [0.999, 0.996, 0.985, 0.97]
    """
    return 1 - (1 - confidence) * INTERIM_SHARES[samples]


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
