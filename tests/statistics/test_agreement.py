"""Alpha against published figures."""

import pytest

from stages.statistics.agreement import ordinal_alpha

KRIPPENDORFF_2011 = [  # the values of four observers, with gaps, from the paper's example C; 0 is a gap
    [1, 2, 3, 3, 2, 1, 4, 1, 2, 0, 0, 0],
    [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, 0, 3],
    [0, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, 0],
    [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, 0],
]


def units() -> list[list[int]]:
    return [[value for value in column if value] for column in zip(*KRIPPENDORFF_2011, strict=True)]


def test_alpha_is_that_of_the_paper() -> None:
    assert ordinal_alpha(units()) == pytest.approx(0.815, abs=0.0005)


def test_alpha_is_symmetric_and_needs_two_people() -> None:
    mirrored = [[6 - value for value in unit] for unit in units()]
    assert ordinal_alpha(mirrored) == pytest.approx(ordinal_alpha(units()))
    assert ordinal_alpha([[1], [2]]) is None


def test_people_who_always_contradict_each_other_agree_less_than_by_chance() -> None:
    alpha = ordinal_alpha([[-1, 1], [1, -1], [-1, 1]])
    assert alpha is not None
    assert alpha < 0


def test_half_a_disagreement_counts_less_than_a_whole_one() -> None:
    agreed = [[-1, -1], [1, 1], [0, 0], [-1, -1], [1, 1]]
    half, whole = ordinal_alpha([*agreed, [-1, 0]]), ordinal_alpha([*agreed, [-1, 1]])
    assert half is not None
    assert whole is not None
    assert half > whole
