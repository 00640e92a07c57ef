import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graph_evaluator.shell.numbers import (
    MISSING,
    count,
    counted,
    difference,
    duration,
    interval,
    money,
    parameter,
    ratio,
    score,
    share,
    share_of,
)


@pytest.mark.parametrize(
    ("shown", "expected"),
    [
        (score(0.71249), "0.712"),
        (interval(0.651, 0.78), "0.651 to 0.780"),
        (difference(0.02), "+0.020"),
        (difference(-0.0001), "0.000"),
        (money(1234.5), "$1,234.50"),
        (money(0.012345), "$0.0123"),
        (counted(0, "reply", "replies"), "0 replies"),
        (count(18234.6), "18,235"),
        (duration(200_000), "3 min 20 s"),
        (duration(3_900_000), "1 h 5 min"),
        (share(0.953), "95%"),
        (share_of(13, 14), "93% (13/14)"),
        (share_of(0, 0), "— (0/0)"),
        (interval(None, 0.5), "—"),
        (ratio(1.2345), "x 1.23"),
        (parameter(1 / 3), "0.333"),
        (parameter(240000.0), "240,000"),
        (parameter(None), "not given"),
        (money(0.99949), "$0.999"),
        (money(0.9995), "$1.00"),
        (money(0.1), "$0.100"),
        (money(0.000001), "$0.000001"),
        (money(0.00000099), "<$0.000001"),
        (money(-0.05), "-$0.0500"),
        (duration(0), "0 ms"),
        (duration(999.4), "999 ms"),
        (duration(999.5), "1.0 s"),
        (duration(59_940), "59.9 s"),
        (duration(59_950), "1 min 0 s"),
        (duration(3_599_400), "59 min 59 s"),
        (duration(3_599_600), "1 h 0 min"),
    ],
)
def test_each_kind_of_number_has_its_form(shown, expected):
    assert shown == expected


@pytest.mark.parametrize("missing", [None, math.nan])
@pytest.mark.parametrize(
    "kind",
    [
        score, difference, money, count, duration, share, ratio,
    ],
    ids=lambda kind: kind.__name__,
)  # fmt: skip
def test_what_was_not_measured_is_a_dash_and_never_a_zero(kind, missing):
    assert kind(missing) == MISSING == "—"


@given(st.integers(0, 10_000), st.integers(1, 10_000))
def test_a_share_is_0_or_100_percent_only_of_exactly_none_or_all(part, more):
    whole = part + more
    assert share(part / whole) != "100%"
    assert (share(part / whole) == "0%") == (part == 0)
