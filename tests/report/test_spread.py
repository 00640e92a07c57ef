import numpy
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stages.report.spread import spread_of


def test_samples_that_agree_leave_all_spread_to_the_briefs() -> None:
    spread = spread_of([[0.2, 0.2], [0.8, 0.8]])
    assert spread.samples == 0.0
    assert spread.briefs == pytest.approx(0.4243, abs=1e-4)


def test_briefs_that_differ_less_than_their_samples_have_no_spread_of_their_own() -> None:
    assert spread_of([[0.2, 0.8], [0.21, 0.81]]).briefs == 0.0


def test_without_repeated_samples_their_spread_is_unknown() -> None:
    spread = spread_of([[0.2], [0.8]])
    assert spread.samples is None
    assert spread.briefs == pytest.approx(0.4243, abs=1e-4)


def test_the_two_spreads_come_apart_in_a_population_with_known_ones() -> None:
    draw = numpy.random.default_rng(7)
    briefs = draw.normal(0.5, 0.1, 4_000)
    spread = spread_of([list(draw.normal(brief, 0.05, 3)) for brief in briefs])
    assert spread.samples == pytest.approx(0.05, abs=0.002)
    assert spread.briefs == pytest.approx(0.1, abs=0.004)


@given(st.lists(st.lists(st.floats(0, 1), max_size=4), max_size=6))
def test_the_order_of_briefs_makes_no_difference(groups: list[list[float]]) -> None:
    there, back = spread_of(groups), spread_of(groups[::-1])
    assert there.samples == pytest.approx(back.samples, abs=1e-12)
    assert there.briefs == pytest.approx(back.briefs, abs=1e-7)
