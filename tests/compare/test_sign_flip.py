"""The sign-flip test against scipy's and by hand."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from stages.compare.effect import sign_flip


@pytest.mark.parametrize(
    "differences",
    [
        [0.1, -0.2, 0.3, 0.05],
        [0.1, 0.1, 0.1, -0.1, 0.2],
        [0.3, 0.2, 0.1, 0.4, -0.05, 0.02, 0.3, 0.1],
    ],
    ids=["four", "ties", "eight"],
)
def test_the_exact_p_is_that_of_scipys_permutation_test(differences: list[float]) -> None:
    expected = stats.permutation_test(
        [differences],
        np.mean,
        permutation_type="samples",
        n_resamples=100_000,
        alternative="two-sided",
    )
    assert sign_flip(differences, seed=1).p == pytest.approx(expected.pvalue)


def test_many_differences_are_drawn_and_agree_with_the_t_test() -> None:
    differences = list(np.random.default_rng(7).normal(0.03, 0.1, 40))
    found = sign_flip(differences, seed=1)
    assert not found.exact
    assert found.p == pytest.approx(stats.ttest_1samp(differences, 0).pvalue, abs=0.01)


def test_the_seed_alone_decides_the_draws() -> None:
    differences = list(np.random.default_rng(7).normal(0.03, 0.1, 40))
    assert sign_flip(differences, seed=3) == sign_flip(differences, seed=3)


@pytest.mark.parametrize("differences", [[], [0.0, 0.0, 0.0]], ids=["none", "zeros"])
def test_without_any_difference_p_is_one(differences: list[float]) -> None:
    assert sign_flip(differences, seed=1).p == 1.0


def test_a_difference_of_a_whole_score_counts() -> None:
    assert sign_flip([1.0] * 6, seed=1).p == 2 / 2**6


def test_a_pattern_that_no_draw_reaches_has_the_smallest_p_of_the_draws() -> None:
    assert sign_flip([0.1] * 40, seed=1).p == 1 / 20_000


def test_zeros_leave_p_as_it_is() -> None:
    assert sign_flip([0.1, 0.2, 0.0, 0.3, 0.0], seed=1) == sign_flip([0.1, 0.2, 0.3], seed=1)


@given(st.lists(st.floats(-1, 1), max_size=10))
def test_p_is_a_probability_and_the_same_for_swapped_sides(differences: list[float]) -> None:
    found = sign_flip(differences, seed=1)
    assert 0 < found.p <= 1
    assert found.p == sign_flip([-value for value in differences], seed=1).p
