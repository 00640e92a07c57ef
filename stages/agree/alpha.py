"""Krippendorff's alpha: the agreement of several people beyond chance."""

from collections import Counter
from collections.abc import Sequence
from itertools import permutations


def ordinal_alpha(units: Sequence[Sequence[int]]) -> float | None:
    """Krippendorff's alpha for values on an ordinal scale, at most 1; 0 is the agreement of chance.

    The squared distance of two values c < k is `(n_c / 2 + n_(c+1) + ... + n_k / 2)^2`, where n_i counts the value i in all units. Alpha is
    1 less the observed over the expected mean distance within a unit.

    Args:
        units: The values that each thing was given, one per person who judged it. Things with fewer than two are ignored.

    Returns:
        Alpha; None without two values in a unit, or where all values are the same: nothing could differ then.

    Source: K. Krippendorff, Computing Krippendorff's Alpha-Reliability, University of Pennsylvania (2011).

    >>> ordinal_alpha([[0, 0], [2, 2], [1, 1]]), ordinal_alpha([[0, 0], [0]])
    (1.0, None)
    """
    paired = [unit for unit in units if len(unit) > 1]
    counts = Counter(value for unit in paired for value in unit)
    total = sum(counts.values())

    def distance(one: int, other: int) -> float:
        low, high = sorted((one, other))
        between = sum(number for value, number in counts.items() if low <= value <= high)
        return (between - (counts[low] + counts[high]) / 2) ** 2

    expected = sum(counts[one] * counts[other] * distance(one, other) for one, other in permutations(counts, 2))
    if not expected:
        return None
    observed = sum(
        sum(distance(one, other) for one, other in permutations(unit, 2)) / (len(unit) - 1) for unit in paired
    )
    return 1 - (total - 1) * observed / expected
