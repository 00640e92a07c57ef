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


def test_agreement_falls_from_1_over_half_and_whole_disagreements_below_chance() -> None:
    agreed = [[-1, -1], [1, 1], [0, 0], [-1, -1], [1, 1]]
    last = ([1, 1], [-1, 0], [-1, 1])
    alphas = [ordinal_alpha([*agreed, unit]) or 0.0 for unit in last]
    alphas.append(ordinal_alpha([[-1, 1], [1, -1], [-1, 1]]) or 0.0)
    assert alphas == sorted(alphas, reverse=True)
    assert len(set(alphas)) == 4
    assert (alphas[0], alphas[-1] < 0) == (1.0, True)
