"""Rounding as the specification rounds: half away from zero, on the exact value of the double."""

MAX_REMEMBERED = 16_384
"""How many roundings are remembered: models use few different numbers, and use them often."""


def rounded(value: float, scale: int) -> int:
    """`value * scale` as the nearest integer, half away from zero, without any error of multiplication.

    >>> [rounded(value, 10) for value in (0.25, 0.35, -0.25, 0.45)]  # the double 0.35 lies below the tie
    [3, 3, -3, 5]
    """
    numerator, denominator = value.as_integer_ratio()
    magnitude = (2 * abs(numerator) * scale + denominator) // (2 * denominator)
    return magnitude if numerator >= 0 else -magnitude


class Roundings(dict[float, int]):
    """Values rounded at one scale; a value that is asked for is rounded once and remembered.

    >>> Roundings(10)[0.25]
    3
    """

    def __init__(self, scale: int) -> None:
        super().__init__()
        self._scale = scale

    def __missing__(self, value: float) -> int:
        """Round a value that is not remembered yet."""
        if len(self) >= MAX_REMEMBERED:
            self.clear()
        self[value] = found = rounded(value, self._scale)
        return found


TENTHS = Roundings(10)
"""Values to tenths."""
TEN_THOUSANDTHS = Roundings(10_000)
"""Values to ten-thousandths."""
