"""Rounding as the specification rounds: half away from zero, on the exact value of the double."""

from functools import lru_cache


@lru_cache(maxsize=16_384)
def rounded(value: float, scale: int) -> int:
    """`value * scale` as the nearest integer, half away from zero, without any error of multiplication.

    >>> [rounded(value, 10) for value in (0.25, 0.35, -0.25, 0.45)]  # the double 0.35 lies below the tie
    [3, 3, -3, 5]
    """
    numerator, denominator = value.as_integer_ratio()
    magnitude = (2 * abs(numerator) * scale + denominator) // (2 * denominator)
    return magnitude if numerator >= 0 else -magnitude
