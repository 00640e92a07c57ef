"""The spread between the samples of one brief, told apart from the spread between briefs."""

import math
import statistics
from collections.abc import Sequence

import msgspec


class Spread(msgspec.Struct, frozen=True, kw_only=True):
    """Standard deviations of a score, 0..1.

    `samples` is how much answers to one and the same brief differ, pooled over the briefs with two or more of them, None when
    there is none. `briefs` is how much briefs differ beyond that, None below two briefs; without repeated samples the two
    cannot be told apart and `briefs` holds both.
    """

    samples: float | None
    briefs: float | None


def spread_of(by_brief: Sequence[Sequence[float]]) -> Spread:
    """The spread of scores that are grouped by brief (one-way random effects, by the method of moments).

    >>> spread = spread_of([[0.4, 0.6], [0.8, 1.0]])
    >>> round(spread.samples or 0, 4), round(spread.briefs or 0, 4)
    (0.1414, 0.2646)
    >>> spread_of([[0.5]])
    Spread(samples=None, briefs=None)
    """
    groups = [group for group in by_brief if group]
    freedom = sum(len(group) - 1 for group in groups)
    within = math.fsum(statistics.variance(group) * (len(group) - 1) for group in groups if len(group) > 1)
    variance = within / freedom if freedom else None
    between: float | None = None
    if len(groups) > 1:
        noise = (variance or 0.0) * statistics.fmean(1 / len(group) for group in groups)
        between = math.sqrt(max(0.0, statistics.variance([statistics.fmean(group) for group in groups]) - noise))
    return Spread(samples=None if variance is None else math.sqrt(variance), briefs=between)
