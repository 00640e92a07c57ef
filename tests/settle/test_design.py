from collections.abc import Sequence

import numpy as np
import pytest

from stages.compare.pairing import Pair
from stages.settle.design import ASSUMED, chance_left, spread_of
from stages.statistics.estimates import Scores, brief_score, difference_of
from tests.settle.designs import design


def pair(brief: int, base: Sequence[float | None], head: Sequence[float | None]) -> Pair:
    return Pair(
        model_id="m",
        brief_id=f"b{brief:02}",
        base_cards=(),
        head_cards=(),
        base_scores=tuple(base),
        head_scores=tuple(head),
    )


def drawn(
    briefs: int, samples: int, *, brief_sd: float, answer_sd: float, difference: float = 0.0
) -> list[Pair]:
    generator = np.random.default_rng(4)
    moves = generator.normal(difference, brief_sd, briefs)
    noise = generator.normal(0.6, answer_sd, (2, briefs, samples))
    return [
        pair(brief, noise[0, brief].tolist(), (noise[1, brief] + moves[brief]).tolist())
        for brief in range(briefs)
    ]


def cells(pairs: Sequence[Pair]) -> list[Scores]:
    return [scores for each in pairs for scores in (each.base_scores, each.head_scores)]


def test_the_spread_of_many_answers_is_that_of_their_population() -> None:
    pairs = drawn(400, 3, brief_sd=0.06, answer_sd=0.09)
    found = spread_of(pairs, cells(pairs))
    assert found.brief_sd == pytest.approx(0.06, abs=0.01)
    assert found.answer_sd == pytest.approx(0.09, abs=0.005)
    assert found.quality == pytest.approx(0.6, abs=0.01)
    assert (found.usable_rate, found.assumed) == (1.0, ())


def test_without_answers_everything_is_assumed_and_said_to_be() -> None:
    assert spread_of([], []) == ASSUMED.model_copy(
        update={"assumed": ("brief_sd", "answer_sd", "usable_rate", "quality")}
    )


def test_answers_of_one_side_show_how_answers_vary_and_not_how_briefs_move() -> None:
    pairs = drawn(16, 2, brief_sd=0.06, answer_sd=0.09)
    found = spread_of([], [each.base_scores for each in pairs])
    assert found.assumed == ("brief_sd",)
    assert found.answer_sd == pytest.approx(0.09, abs=0.03)


def test_one_answer_for_each_cell_does_not_show_how_answers_vary() -> None:
    pairs = drawn(16, 1, brief_sd=0.06, answer_sd=0.09)
    assert spread_of(pairs, cells(pairs)).assumed == ("answer_sd",)


def test_equal_answers_are_not_taken_to_have_no_spread_at_all() -> None:
    pairs = [pair(brief, (0.5, 0.5), (0.6, 0.6)) for brief in range(16)]
    assert spread_of(pairs, cells(pairs)).answer_sd == 0.01


def test_early_looks_are_widened_so_that_all_together_err_as_often_as_one() -> None:
    found = design([1, 2, 4, 8], models=4, boundary="obrien-fleming")
    assert [look.widening for look in found.looks] == pytest.approx(
        [2.17, 1.61, 1.24, 1.02], abs=0.005
    )
    assert found.smallest == pytest.approx(0.170, abs=0.0005)


def test_more_briefs_find_smaller_differences_and_settle_more_often() -> None:
    found = [
        design([1, 4], models=4, briefs=briefs, boundary="obrien-fleming") for briefs in (8, 16, 40)
    ]
    smallest = [each.smallest for each in found if each.smallest is not None]
    assert len(smallest) == 3
    assert sorted(smallest, reverse=True) == smallest
    chances = [each.looks[-1].chance_if_changed for each in found]
    assert sorted(chances) == chances


def test_failures_make_the_planned_interval_longer() -> None:
    failing = ASSUMED.model_copy(update={"usable_rate": 0.8, "answer_sd": 0.3})
    plain, longer = (
        design([4], spread=spread, models=2, boundary="obrien-fleming").looks[0]
        for spread in (ASSUMED, failing)
    )
    assert plain.half_width is not None
    assert longer.half_width is not None
    assert longer.half_width > plain.half_width


@pytest.mark.parametrize(
    ("brief_sd", "answer_sd", "difference", "low", "high"),
    [(0.2, 0.02, 0.03, 0.0, 0.05), (0.02, 0.3, 0.03, 0.05, 0.9), (0.02, 0.02, 0.3, 0.95, 1.0)],
    ids=["the briefs disagree", "the answers vary", "a large difference"],
)
def test_the_chance_that_is_left_depends_on_what_further_samples_can_change(
    brief_sd: float, answer_sd: float, difference: float, low: float, high: float
) -> None:
    pairs = drawn(16, 2, brief_sd=brief_sd, answer_sd=answer_sd, difference=difference)
    base = {"m": {each.brief_id: brief_score(each.base_scores) for each in pairs}}
    head = {"m": {each.brief_id: brief_score(each.head_scores) for each in pairs}}
    found = difference_of(base, head)
    chance = chance_left(
        design([2, 8], boundary="obrien-fleming"), 0, found, spread_of(pairs, cells(pairs))
    )
    assert low <= chance <= high
