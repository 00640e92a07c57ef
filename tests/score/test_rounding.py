"""Rounding is half away from zero on the exact double, as `decimal` does it."""

from decimal import ROUND_HALF_UP, Decimal

from hypothesis import given, settings
from hypothesis import strategies as st

from stages.score.options import rounded


@given(st.floats(-1e15, 1e15, exclude_min=True, exclude_max=True), st.sampled_from([10, 10_000]))
@settings(deadline=None)
def test_rounding_agrees_with_decimal(value: float, scale: int) -> None:
    exact = (Decimal(value) * scale).quantize(Decimal(1), rounding=ROUND_HALF_UP)
    assert rounded(value, scale) == int(exact)
    assert rounded(-value, scale) == -rounded(value, scale)
