import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graph_evaluator.shell import numbers as show


@pytest.mark.parametrize(
    ("shown", "expected"),
    [
        (show.score(0.71249), "0.712"),
        (show.interval(0.651, 0.78), "0.651 to 0.780"),
        (show.difference(0.02), "+0.020"),
        (show.difference(-0.0001), "0.000"),
        (show.money(1234.5), "$1,234.50"),
        (show.money(0.012345), "$0.0123"),
        (show.counted(0, "reply", "replies"), "0 replies"),
        (show.count(18234.6), "18,235"),
        (show.duration(200_000), "3 min 20 s"),
        (show.duration(3_900_000), "1 h 5 min"),
        (show.share(0.953), "95%"),
        (show.share_of(13, 14), "93% (13/14)"),
        (show.share_of(0, 0), "— (0/0)"),
        (show.interval(None, 0.5), "—"),
        (show.ratio(1.2345), "x 1.23"),
        (show.parameter(1 / 3), "0.333"),
        (show.parameter(240000.0), "240,000"),
        (show.parameter(None), "not given"),
    ],
)
def test_each_kind_of_number_has_its_form(shown, expected):
    assert shown == expected


@pytest.mark.parametrize("missing", [None, math.nan])
@pytest.mark.parametrize(
    "kind",
    [
        show.score, show.difference, show.money, show.count, show.duration, show.share, show.ratio,
    ],
    ids=lambda kind: kind.__name__,
)  # fmt: skip
def test_what_was_not_measured_is_a_dash_and_never_a_zero(kind, missing):
    assert kind(missing) == show.MISSING == "—"


@pytest.mark.parametrize(
    ("usd", "shown"),
    [
        (0.99949, "$0.999"), (0.9995, "$1.00"), (0.1, "$0.100"), (0.000001, "$0.000001"),
        (0.00000099, "<$0.000001"), (-0.05, "-$0.0500"),
    ],
)  # fmt: skip
def test_money_keeps_three_digits_below_a_dollar(usd, shown):
    assert show.money(usd) == shown


@pytest.mark.parametrize(
    ("milliseconds", "shown"),
    [
        (0, "0 ms"),
        (999.4, "999 ms"),
        (999.5, "1.0 s"),
        (59_940, "59.9 s"),
        (59_950, "1 min 0 s"),
        (3_599_400, "59 min 59 s"),
        (3_599_600, "1 h 0 min"),
    ],
)
def test_a_time_changes_its_unit_where_rounding_does(milliseconds, shown):
    assert show.duration(milliseconds) == shown


@given(st.integers(0, 10_000), st.integers(1, 10_000))
def test_a_share_is_0_or_100_percent_only_of_exactly_none_or_all(part, more):
    whole = part + more
    assert show.share(part / whole) != "100%"
    assert (show.share(part / whole) == "0%") == (part == 0)
