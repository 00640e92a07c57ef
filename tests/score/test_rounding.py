"""Rounding is half away from zero on the exact double, as `decimal` does it, remembered or not."""

import sys
from decimal import ROUND_HALF_UP, Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stages.score import rounding
from stages.score.rounding import Roundings, rounded


@given(st.floats(allow_nan=False, allow_infinity=False), st.sampled_from([10, 10_000]))
def test_rounding_agrees_with_decimal(value: float, scale: int) -> None:
    exact = (Decimal(value) * scale).quantize(Decimal(1), rounding=ROUND_HALF_UP) if abs(value) < 1e15 else None
    if exact is not None:
        assert rounded(value, scale) == int(exact)
    assert rounded(-value, scale) == -rounded(value, scale)


@pytest.mark.parametrize(
    "value", [0.05, 0.15, 0.25, 0.35, 0.45, 0.55, 0.65, 0.75, 0.85, 0.95, 0.0, -0.0, 5e-324, sys.float_info.max]
)
def test_what_is_remembered_is_what_was_rounded(value: float) -> None:
    tenths = Roundings(10)
    assert tenths[value] == rounded(value, 10)
    assert tenths[value] == rounded(value, 10)
    assert len(tenths) == 1


def test_only_so_many_values_are_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rounding, "MAX_REMEMBERED", 3)
    tenths = Roundings(10)
    assert [tenths[number / 10] for number in range(7)] == list(range(7))
    assert len(tenths) == 1
