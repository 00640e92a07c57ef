"""Intervals over briefs: a brief is one independent observation, however many judgements it has. Pure."""

from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

from scipy.special import stdtrit

from stages.contracts.interval import Interval, mean_interval, share_interval

Observation = TypeVar("Observation")
_CONFIDENCE = 0.95
_EQUAL = 1e-12


def share_over_briefs(hits: Mapping[str, Sequence[bool]]) -> Interval | None:
    """The 95 % interval of the share of hits among all judgements, with the brief as the unit.

    `share_interval` (Jeffreys) for the effective number of judgements: their number, divided by the design effect (the variance between
    N briefs over that of independent judgements, 1 at least) and by the square of the ratio of Student's quantiles for N - 1 degrees of
    freedom and for one less than the judgements. Where all judgements are the same it is N: only other briefs can differ.

    Args:
        hits: The judgements on each brief, one or more.

    Returns:
        The interval; None for fewer than two briefs.

    Source: E. L. Korn and B. I. Graubard, Confidence Intervals for Proportions with Small Expected Number of Positive Counts Estimated from
    Survey Data, Survey Methodology 24 (1998) 193-201. `bench/calibration` measures the coverage.

    >>> interval = share_over_briefs({"a": [True, True], "b": [False, True], "c": [True, True], "d": [True, False]})
    >>> round(interval.low, 2), round(interval.high, 2)
    (0.3, 0.97)
    >>> share_over_briefs({"a": [True, False]}) is None
    True
    """
    briefs, judgements = len(hits), sum(map(len, hits.values()))
    if briefs < 2:
        return None
    share = sum(map(sum, hits.values())) / judgements
    if share in (0, 1):
        return share_interval(share, briefs, _CONFIDENCE)
    spread = sum((sum(found) - share * len(found)) ** 2 for found in hits.values()) * briefs / (briefs - 1)
    design_effect = max(1.0, spread / (judgements * share * (1 - share)))
    of_judgements, of_briefs = (float(stdtrit(count - 1, 0.5 + _CONFIDENCE / 2)) for count in (judgements, briefs))
    return share_interval(share, judgements / design_effect * (of_judgements / of_briefs) ** 2, _CONFIDENCE)


def interval_over_briefs(
    statistic: Callable[[Sequence[Observation]], float | None],
    briefs: Mapping[str, Sequence[Observation]],
    bounds: tuple[float, float],
) -> Interval | None:
    """The 95 % interval of any statistic of all observations, with the brief as the unit.

    That of a mean (`mean_interval`) of the jackknife's pseudo-values `N s - (N - 1) s'`, s being the statistic of all N briefs and s' the
    same without one of them; centred on s.

    Args:
        statistic: From the observations of several briefs to a number; None where they are too few for one.
        briefs: The observations of each brief.
        bounds: The range of the statistic.

    Returns:
        The interval, cut at `bounds`; None for fewer than two briefs, or where the statistic needs any one of them.

    Source: B. Efron and C. Stein, The Jackknife Estimate of Variance, Annals of Statistics 9 (1981) 586-596.

    >>> interval = interval_over_briefs(max, {"a": [0.5], "b": [0.5, 0.4], "c": [0.5]}, (0, 1))
    >>> round(interval.low, 2), round(interval.high, 2)
    (0.18, 0.82)
    """
    count = len(briefs)
    whole = statistic([each for found in briefs.values() for each in found])
    if whole is None or count < 2:
        return None
    without = [
        statistic([each for name, found in briefs.items() if name != left_out for each in found])
        for left_out in briefs
    ]  # fmt: skip
    pseudo = [count * whole - (count - 1) * part for part in without if part is not None]
    if len(pseudo) < count:
        return None
    low, high = bounds
    reach = 0.0 if max(pseudo) - min(pseudo) <= _EQUAL else count * (high - low)  # pseudo-values may be out of bounds
    found = mean_interval(pseudo, _CONFIDENCE, bounds=(low - reach, high + reach))
    if found is None:
        return None
    shift = whole - sum(pseudo) / count
    return Interval(max(low, found.low + shift), min(high, found.high + shift))
