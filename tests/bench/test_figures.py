"""Figures are held against their targets."""

from bench.figure import figure, ratio, table
from bench.generate import LOADS, figures_of
from bench.measure import Cost


def test_calling_is_held_against_the_bare_client_of_the_same_run() -> None:
    costs = {
        "bare": [Cost(2.0, 2.0, 80.0)],
        "generate": [Cost(2.1, 3.0, 100.0)],
        "rerun": [Cost(0.5, 0.5, 90.0)],
    }
    figures = figures_of(LOADS["B"], 64, costs)
    assert [(figure.value, figure.met) for figure in figures] == [
        (2.1, None),
        (1.05, True),
        (1.5, False),
        (100.0, True),
        (0.5, None),
    ]


def test_a_ratio_is_taken_repeat_by_repeat() -> None:
    found = ratio("a", [2.0, 40.0, 3.0], [1.0, 10.0, 2.0])
    assert found.value == 2.0
    assert found.low == 1.5
    assert found.high == 4.0


def test_a_target_may_be_the_least_that_is_allowed() -> None:
    found = figure("a", [1.0, 3.0, 2.0], "x", target=2.5, at_least=True)
    assert found.value == 2.0
    assert found.met is False
    assert "at least 2.5 x | missed" in table([found])
