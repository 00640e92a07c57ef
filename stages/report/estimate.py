"""A mean that never stands alone: with the number of briefs behind it and, where they allow one, its interval."""

import statistics
from collections.abc import Sequence

import msgspec

from stages.contracts.interval import mean_interval


class Estimate(msgspec.Struct, frozen=True):
    """A mean over `n` briefs, None when n is 0, and its interval, None where the briefs are too few for one."""

    mean: float | None
    n: int
    low: float | None = None
    high: float | None = None


def estimate(values: Sequence[float], confidence: float, *, bounds: tuple[float, float] = (0.0, 1.0)) -> Estimate:
    """The mean of one value per brief with its interval.

    >>> estimate([0.5], 0.95)
    Estimate(mean=0.5, n=1, low=None, high=None)
    """
    if not values:
        return Estimate(None, 0)
    interval = mean_interval(values, confidence, bounds=bounds)
    low, high = (None, None) if interval is None else (interval.low, interval.high)
    return Estimate(statistics.fmean(values), len(values), low, high)


def mean_of(values: Sequence[float | None]) -> float | None:
    """The mean of what was measured; None when nothing was.

    >>> mean_of([0.5, None, 1.0]), mean_of([None])
    (0.75, None)
    """
    measured = [value for value in values if value is not None]
    return statistics.fmean(measured) if measured else None


def total_of(values: Sequence[float | None]) -> float | None:
    """The sum of what was measured; None when nothing was.

    >>> total_of([1, None, 2]), total_of([])
    (3.0, None)
    """
    measured = [float(value) for value in values if value is not None]
    return sum(measured) if measured else None
