"""Holm's correction: several comparisons, one error rate."""

from collections.abc import Mapping


def holm(p_values: Mapping[str, float]) -> dict[str, float]:
    """The adjusted p-value of each comparison: below alpha for any with a true null hypothesis with probability alpha at most.

    Sorted upwards, the i-th smallest of m (i from 0) is multiplied by m - i, and none may fall below the one before it.

    Source: S. Holm, A Simple Sequentially Rejective Multiple Test Procedure, Scand. J. Statist. 6 (1979) 65-70.

    >>> holm({"a": 0.01, "b": 0.04, "c": 0.03})
    {'a': 0.03, 'b': 0.06, 'c': 0.06}
    """
    ordered = sorted(p_values, key=lambda name: (p_values[name], name))
    adjusted: dict[str, float] = {}
    floor = 0.0
    for rank, name in enumerate(ordered):
        floor = max(floor, min(1.0, p_values[name] * (len(ordered) - rank)))
        adjusted[name] = floor
    return {name: adjusted[name] for name in p_values}
