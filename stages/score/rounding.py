"""Rounding by which values of graphs count as equal: half away from zero, on the exact value of the
double.
"""

from stages.contracts.graph import Node


def rounded(value: float, scale: int) -> int:
    """`value * scale` as the nearest integer, half away from zero.

    >>> [rounded(value, 10) for value in (0.25, 0.35, -0.25, 0.45)]  # 0.35 is below the tie
    [3, 3, -3, 5]
    """
    numerator, denominator = value.as_integer_ratio()
    magnitude = (2 * abs(numerator) * scale + denominator) // (2 * denominator)
    return magnitude if numerator >= 0 else -magnitude


def settings_of(option: Node) -> frozenset[tuple[str, int]]:
    """Which factors an option sets, each with its value at four decimals: equal for options that
    set the same. No map is the same as an empty one.
    """
    return frozenset((name, rounded(value, 10_000)) for name, value in option.interventions.items())
