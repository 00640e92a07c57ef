"""Figures are held against their targets, and read from what the benchmark of calls prints."""

import pytest

from bench.calls import figures_of
from bench.figure import figure, ratio, table

PRINTED = """\
x86_64, 2 CPUs, Python 3.11
load conc            wall s  (spread)      CPU s    MiB   x ideal  x openai wall  x openai CPU
B      32 generate      4.00  ( 3.00 to  5.00)    2.50    100      1.28           1.25          1.50
B      32 rerun         0.90  ( 0.80 to  1.00)    0.80     90      0.29           0.28          0.44
B      32 openai        3.20  ( 3.10 to  3.30)    1.80     80      1.02           1.00          1.00
C      32 generate     40.00  (40.00 to 40.00)   20.50    160      1.28           1.25          1.50
"""


def test_the_ratios_of_calling_are_read_with_their_spread_and_targets() -> None:
    found = [
        (one.what, one.value, one.low, one.high, one.target, one.met) for one in figures_of(PRINTED)
    ]
    assert found == [
        (
            "B at 32: wall of the openai client's",
            1.25,
            pytest.approx(0.9375),
            pytest.approx(1.5625),
            1.3,
            True,
        ),
        ("B at 32: CPU of the openai client's", 1.5, 1.5, 1.5, 2.0, True),
        ("B at 32: again, all in the ledger", 0.9, 0.8, 1.0, None, None),
        ("C at 32: memory of that of B", 1.6, 1.6, 1.6, 1.5, False),
    ]


def test_a_ratio_is_taken_repeat_by_repeat() -> None:
    found = ratio("a", [2.0, 40.0, 3.0], [1.0, 10.0, 2.0])
    assert (found.value, found.low, found.high) == (2.0, 1.5, 4.0)


def test_a_target_may_be_the_least_that_is_allowed() -> None:
    found = figure("a", [1.0, 3.0, 2.0], "x", target=2.5, at_least=True)
    assert (found.value, found.met) == (2.0, False)
    assert "at least 2.5 x | missed" in table([found])
