"""Statistics of judgements: the interval of a share, agreement beyond chance and its interval.

The brief is the unit. Pure.
"""

import math
from collections.abc import Mapping, Sequence

from scipy.special import stdtrit
from scipy.stats import rankdata

from stages.statistics.interval import Interval, mean_interval, share_interval

_CONFIDENCE = 0.95
_EQUAL = 1e-12


def share_over_briefs(hits: Mapping[str, Sequence[bool]]) -> Interval | None:
    """The 95 % interval of the share of hits among all judgements, given by brief.

    `share_interval` (Jeffreys) for the effective number of judgements: their number, divided by the
    design effect (the variance between N briefs over that of independent judgements, 1 at least)
    and by the square of the ratio of Student's quantiles for N - 1 degrees of freedom and for one
    less than the judgements. Where all judgements are the same it is N: only other briefs can
    differ. None for fewer than two briefs.

    Source: E. L. Korn and B. I. Graubard, Confidence Intervals for Proportions with Small Expected
    Number of Positive Counts Estimated from Survey Data, Survey Methodology 24 (1998) 193-201.
    `bench/calibration` measures the coverage.

    >>> hits = {"a": [True, True], "b": [False, True], "c": [True, True], "d": [True, False]}
    >>> interval = share_over_briefs(hits)
    >>> round(interval.low, 2), round(interval.high, 2)
    (0.3, 0.97)
    """
    briefs, judgements = len(hits), sum(map(len, hits.values()))
    if briefs < 2:
        return None
    share = sum(map(sum, hits.values())) / judgements
    if share in (0, 1):
        return share_interval(share, briefs, _CONFIDENCE)
    deviations = [sum(of_brief) - share * len(of_brief) for of_brief in hits.values()]
    spread = sum(deviation**2 for deviation in deviations) * briefs / (briefs - 1)
    design_effect = max(1.0, spread / (judgements * share * (1 - share)))
    quantile_ratio = _student_quantile(judgements) / _student_quantile(briefs)
    effective = judgements / design_effect * quantile_ratio**2
    return share_interval(share, effective, _CONFIDENCE)


def _student_quantile(count: int) -> float:
    return float(stdtrit(count - 1, 0.5 + _CONFIDENCE / 2))


def ordinal_alpha(units: Sequence[Sequence[int]]) -> float | None:
    """Krippendorff's alpha for values on an ordinal scale: agreement beyond chance, at most 1; 0 is
    the agreement of chance.

    1 less the mean squared distance of two values of one unit over that of any two values, the
    distance being the difference of the values' mean ranks among all values. Units with fewer than
    two values are ignored; None without others, or where all values are equal.

    Source: K. Krippendorff, Computing Krippendorff's Alpha-Reliability, University of Pennsylvania
    (2011).

    >>> ordinal_alpha([[0, 0], [2, 2], [1, 1]]), ordinal_alpha([[0, 0], [0]])
    (1.0, None)
    """
    paired = [unit for unit in units if len(unit) > 1]
    values = [value for unit in paired for value in unit]
    rank_of = dict(zip(values, map(float, rankdata(values)), strict=True))
    expected = _squared_distances([rank_of[value] for value in values])
    if not expected:
        return None
    ranks_by_unit = [[rank_of[value] for value in unit] for unit in paired]
    observed = sum(_squared_distances(ranks) / (len(ranks) - 1) for ranks in ranks_by_unit)
    return 1 - (len(values) - 1) * observed / expected


def _squared_distances(ranks: Sequence[float]) -> float:
    """The sum of the squared distances of all pairs."""
    return len(ranks) * sum(rank**2 for rank in ranks) - sum(ranks) ** 2


def alpha_interval(briefs: Mapping[str, Sequence[Sequence[int]]]) -> Interval | None:
    """The 95 % interval of `ordinal_alpha` of the units of all briefs, within -1 and 1.

    That of a mean (`mean_interval`) of the jackknife's pseudo-values `N a - (N - 1) a'`, a being
    alpha over all N briefs and a' the same without one of them; centred on a. None for fewer than
    two briefs, and where alpha needs any one of them.

    Source: B. Efron and C. Stein, The Jackknife Estimate of Variance, Annals of Statistics 9 (1981)
    586-596.

    >>> alike, unlike = [[0, 0], [1, 1], [2, 2]], [[0, 1], [2, 2]]
    >>> interval = alpha_interval({"a": alike, "b": unlike, "c": alike, "d": alike})
    >>> round(interval.low, 2), round(interval.high, 2)
    (0.64, 1.0)
    """

    def alpha(left_out: str = "") -> float | None:
        return ordinal_alpha(
            [unit for name, units in briefs.items() if name != left_out for unit in units]
        )

    count, whole = len(briefs), alpha()
    parts = [part for part in map(alpha, briefs) if part is not None]
    if whole is None or count < 2 or len(parts) < count:
        return None
    pseudo = [count * whole - (count - 1) * part for part in parts]
    # pseudo-values may be out of bounds
    reach = 0.0 if max(pseudo) - min(pseudo) <= _EQUAL else math.inf
    interval = mean_interval(pseudo, _CONFIDENCE, bounds=(-1 - reach, 1 + reach))
    if interval is None:
        return None
    shift = whole - sum(pseudo) / count
    return Interval(max(-1.0, interval.low + shift), min(1.0, interval.high + shift))
