from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stages.report import number_formats as show


@pytest.mark.parametrize(
    "kind",
    [show.score, show.difference, show.money, show.count, show.tokens, show.duration, show.share],
    ids=lambda kind: kind.__name__,
)
def test_what_was_not_measured_is_a_dash_and_never_a_zero(kind: Callable[[Any], str]) -> None:
    assert kind(None) == show.MISSING == "—"


@pytest.mark.parametrize(
    ("usd", "shown"),
    [
        (0.99949, "$0.999"), (0.9996, "$1.00"), (12.345, "$12.35"), (0.1, "$0.100"), (0.0000014, "$0.000001"), (-0.05, "-$0.0500"),
    ],
)  # fmt: skip
def test_money_keeps_three_digits_below_a_dollar(usd: float, shown: str) -> None:
    assert show.money(usd) == shown


@pytest.mark.parametrize(
    ("milliseconds", "shown"),
    [
        (0, "0 ms"),
        (999.4, "999 ms"),
        (999.6, "1.0 s"),
        (59_940, "59.9 s"),
        (59_960, "1 min 0 s"),
        (3_599_600, "1 h 0 min"),
    ],
)
def test_a_time_changes_its_unit_where_rounding_does(milliseconds: float, shown: str) -> None:
    assert show.duration(milliseconds) == shown


@given(st.integers(0, 10_000), st.integers(1, 10_000))
def test_none_and_all_are_said_only_when_it_is_so(part: int, more: int) -> None:
    whole = part + more
    assert show.share(part / whole) != "100%"
    assert (show.share(part / whole) == "0%") == (part == 0)


@given(st.floats(0, 1e9))
def test_money_never_has_an_exponent(usd: float) -> None:
    assert "e" not in show.money(usd)
