"""Confidence intervals of a mean, a share, a difference of paired shares and a ratio, and estimates that carry one. Pure."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from scipy.special import betaincinv, stdtrit


@dataclass(frozen=True, slots=True)
class Interval:
    """A two-sided confidence interval in the unit of the values, low <= high."""

    low: float
    high: float


Caveat = Literal["few briefs", "few moved", "few failed"]
CAVEATS: dict[Caveat, str] = {
    "few briefs": "Fewer than 12 briefs: the interval may be too short or too long.",
    "few moved": "Fewer than 3 briefs moved: the result rests on them alone.",
    "few failed": "Fewer than 3 briefs failed: the interval allows for a failure rate that so few failures cannot exclude.",
}
FEW_BRIEFS, FEW_CHANGES = 12, 3


def caveats_of(briefs: int, failed: int, moved: int = FEW_CHANGES) -> tuple[Caveat, ...]:
    """What limits a conclusion from so many briefs, of which so many failed and moved."""
    found: dict[Caveat, bool] = {
        "few briefs": briefs < FEW_BRIEFS,
        "few moved": moved < FEW_CHANGES,
        "few failed": failed < FEW_CHANGES,
    }
    return tuple(caveat for caveat, applies in found.items() if applies)


@dataclass(frozen=True, slots=True)
class IntervalEstimate:
    """An estimate from `n` briefs and its confidence interval. None: nothing was measured, or too few briefs for an interval."""

    value: float | None = None
    low: float | None = None
    high: float | None = None
    n: int = 0


def estimate_of(value: float | None, interval: Interval | None, n: int) -> IntervalEstimate:
    """A value with its interval, if it has one."""
    return (
        IntervalEstimate(value, interval.low, interval.high, n)
        if interval
        else IntervalEstimate(value, n=n)
    )


NOT_MEASURED = IntervalEstimate()


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreEstimate(IntervalEstimate):
    """A mean expected score, 0 to 1 (an answer without a usable graph counts 0), and its parts.

    `n` counts the briefs; `usable` is the share of answers with a usable graph, `quality` the mean score of those graphs.
    """

    usable: IntervalEstimate = NOT_MEASURED
    quality: IntervalEstimate = NOT_MEASURED
    caveats: tuple[Caveat, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """A mean difference of expected scores, head less base, -1 to 1: the mean over models of each model's mean over its pairs.

    `base` and `head` are the means of the same pairs and `briefs` counts the briefs in them. `usable` and `quality` are the
    differences of the shares of usable graphs, and of the scores on briefs with a usable graph on both sides. `models` have two paired
    briefs or more; those with fewer are `left_out`. Without models every value is None.
    """

    value: float | None = None
    low: float | None = None
    high: float | None = None
    briefs: int = 0
    base: float | None = None
    head: float | None = None
    usable: IntervalEstimate = NOT_MEASURED
    quality: IntervalEstimate = NOT_MEASURED
    models: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()
    caveats: tuple[Caveat, ...] = ()


def mean_interval(
    values: Sequence[float], confidence: float = 0.95, *, bounds: tuple[float, float] = (0.0, 1.0)
) -> Interval | None:
    """The confidence interval of the mean of `values`, one per brief, cut at their `bounds`; None for fewer than two.

    Student's t with two adjustments. The side of the longer tail is lengthened by Johnson's skewness term
    `g s (1 + 2 t^2) / (6 n)` (g: the sample's skewness, s: its standard deviation, t: the quantile). The degrees of freedom are
    those of a variance estimated from values of kurtosis k, `2 n / (k - (n - 3) / (n - 1))`, and n - 1 at most: a few
    values far from many equal ones say little about the spread. `docs/comparing.md` has its measured coverage.

    Values that are all equal have no spread, which does not make their mean certain: at the given confidence at most the share
    `1 - (1 - confidence) ** (1 / n)` of all briefs is different, by anything that `bounds` allow.

    Source: N. J. Johnson, Modified t Tests and Confidence Intervals for Asymmetrical Populations, JASA 73 (1978) 536-544;
    the variance of a sample variance as in E. Cho and M. J. Cho, Variance of Sample Variance, JSM Proceedings (2008) 1291-1293.

    >>> interval = mean_interval([0.5, 0.7, 0.6, 0.8])
    >>> round(interval.low, 3), round(interval.high, 3)
    (0.445, 0.855)
    """
    count = len(values)
    if count < 2:
        return None
    low, high = bounds
    mean = math.fsum(values) / count
    squares = math.fsum((value - mean) ** 2 for value in values)
    if max(values) - min(values) <= 1e-12:  # equal but for the rounding of averages
        share = 1.0 - (1.0 - confidence) ** (1.0 / count)
        return Interval(
            max(low, mean - share * (mean - low)), min(high, mean + share * (high - mean))
        )
    deviation = math.sqrt(squares / (count - 1))
    skewness = math.fsum((value - mean) ** 3 for value in values) / count / (squares / count) ** 1.5
    kurtosis = math.fsum((value - mean) ** 4 for value in values) / count / (squares / count) ** 2
    freedom = min(count - 1.0, 2 * count / (kurtosis - (count - 3) / (count - 1)))
    quantile = float(stdtrit(freedom, 0.5 + confidence / 2))
    half = quantile * deviation / math.sqrt(count)
    shift = skewness * deviation * (1 + 2 * quantile**2) / (6 * count)
    return Interval(
        max(low, mean - half + min(shift, 0.0)), min(high, mean + half + max(shift, 0.0))
    )


def share_interval(share: float, count: float, confidence: float = 0.95) -> Interval:
    """The confidence interval of a share from 0 to 1 that was observed among `count` answers.

    Jeffreys' interval: the quantiles of Beta(count share + 1/2, count (1 - share) + 1/2); the end at a share of 0 or 1 is that share.
    It is shorter than Wilson's where nothing or nearly nothing failed, and covers as well on average
    (`python -m bench.calibration methods`). `count` may be an effective number, not whole; below 1 nothing is known: 0 to 1.

    Source: L. D. Brown, T. T. Cai and A. DasGupta, Interval Estimation for a Binomial Proportion, Statistical Science 16
    (2001) 101-133.

    >>> interval = share_interval(1.0, 16)
    >>> round(interval.low, 3), interval.high
    (0.857, 1.0)
    """
    if count < 1:
        return Interval(0.0, 1.0)
    tail = (1 - confidence) / 2
    hits, misses = count * share, count * (1 - share)
    low = float(betaincinv(hits + 0.5, misses + 0.5, tail)) if hits > 1e-9 else 0.0
    high = float(betaincinv(hits + 0.5, misses + 0.5, 1 - tail)) if misses > 1e-9 else 1.0
    return Interval(min(low, share), max(high, share))


def share_difference_interval(
    shares: tuple[float, float], intervals: tuple[Interval, Interval], correlation: float
) -> Interval:
    """The confidence interval of the difference of two paired shares, second less first.

    Newcombe's method 10: with shares p1 and p2 in (l1, u1) and (l2, u2) and the correlation phi of the pairs, the lower end is
    `p2 - p1 - sqrt((p2 - l2)^2 - 2 phi (p2 - l2) (u1 - p1) + (u1 - p1)^2)`, the upper end its mirror image.

    Source: R. G. Newcombe, Improved Confidence Intervals for the Difference between Binomial Proportions Based on Paired Data,
    Statistics in Medicine 17 (1998) 2635-2650.
    """
    (first, second), (one, two) = shares, intervals
    difference = second - first
    return Interval(
        difference - joined(second - two.low, one.high - first, -correlation),
        difference + joined(two.high - second, first - one.low, -correlation),
    )


def ratio_interval(top: float, of_top: Interval, bottom: float, of_bottom: Interval) -> Interval:
    """The confidence interval of the ratio `top / bottom` of two independent estimates that are not negative.

    MOVER for a ratio: with estimates a in (l1, u1) and b in (l2, u2), `(a b - sqrt((a b)^2 - l1 u2 (2 a - l1) (2 b - u2))) /
    (u2 (2 b - u2))` and, with u1 and l2 for l1 and u2 and a plus sign, the upper end. Where the formula has no solution the quotients
    of the outer ends, `l1 / u2` and `u1 / l2`, are taken; the upper end is infinite where l2 is 0.

    Source: A. Donner and G. Y. Zou, Closed-form Confidence Intervals for Functions of the Normal Mean and Standard Deviation,
    Statistical Methods in Medical Research 21 (2012) 347-359.
    """

    def end(numerator: float, denominator: float, sign: int) -> float:
        if denominator <= 0.0:
            return math.inf
        spread = (top * bottom) ** 2 - numerator * denominator * (2 * top - numerator) * (
            2 * bottom - denominator
        )
        scale = denominator * (2 * bottom - denominator)
        if scale <= 0.0 or spread < 0.0:
            return numerator / denominator
        return (top * bottom + sign * math.sqrt(spread)) / scale

    return Interval(end(of_top.low, of_bottom.high, -1), end(of_top.high, of_bottom.low, 1))


def joined(first: float, second: float, correlation: float) -> float:
    """The distance from a sum to its confidence limit, from those of its two terms (MOVER): sqrt(a^2 + b^2 + 2 r a b).

    Source: G. Y. Zou and A. Donner, Construction of Confidence Limits about Effect Measures: A General Approach,
    Statistics in Medicine 27 (2008) 1693-1702.
    """
    return math.sqrt(max(0.0, first**2 + second**2 + 2 * correlation * first * second))


def divided(confidence: float, parts: int) -> float:
    """The confidence of each of `parts` intervals that share one error rate: planned looks, or comparisons (Bonferroni)."""
    return 1.0 - (1.0 - confidence) / max(1, parts)


def step_down(
    intervals: Mapping[str, Callable[[float], Difference]], confidence: float
) -> dict[str, Difference]:
    """Several differences that share one error rate, each at the confidence at which it is judged: Holm's procedure by intervals.

    `intervals` gives each difference at a given confidence; `confidence` is that of all together. All m are looked at with the error
    rate divided by m; those whose interval excludes 0 are settled, the others are looked at with the rate divided by their number,
    until none is settled. Differences without an interval do not count.

    Source: S. Holm, A Simple Sequentially Rejective Multiple Test Procedure, Scand. J. Statist. 6 (1979) 65-70.
    """
    found = {name: at(confidence) for name, at in intervals.items()}
    open_names = [name for name, difference in found.items() if difference.low is not None]
    while open_names:
        level = divided(confidence, len(open_names))
        found.update({name: intervals[name](level) for name in open_names})
        left = [
            name
            for name in open_names
            if (found[name].low or 0.0) <= 0.0 <= (found[name].high or 0.0)
        ]
        if len(left) == len(open_names):
            break
        open_names = left
    return found
