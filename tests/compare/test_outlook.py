"""What would change a verdict: briefs, samples, dollars, failures."""

import math

import pytest

from graph_evaluator.compare.comparison import Comparison, Outlook
from graph_evaluator.compare.wording import describe
from graph_evaluator.records.params import CompareParams
from graph_evaluator.records.scorecard import Scorecard
from tests.compare.cards import (
    BASE,
    BETTER,
    NOISY,
    PARAMS,
    answered,
    card,
    cards,
    compared,
    sampled,
)


def change(result: Comparison) -> str | None:
    """What would change the verdict, in a sentence."""
    lines = describe(result).sentences
    return next((line for line in lines if line.startswith("What would change this")), None)


def params(**changes: float) -> CompareParams:
    return CompareParams.model_validate({**PARAMS.model_dump(), **changes})


def outlook(result: Comparison) -> Outlook:
    assert result.outlook is not None
    return result.outlook


def test_a_settled_comparison_has_no_outlook() -> None:
    same = answered(BASE)
    assert compared(cards(BASE), cards(BETTER)).outlook is None
    assert change(compared(same, same)) is None


def test_with_one_sample_per_cell_the_effect_of_more_samples_is_unknown() -> None:
    found = outlook(compared(cards(BASE), cards(NOISY)))
    assert (found.samples, found.sampling_known, found.briefs_usd) == (None, False, None)
    assert (found.briefs or 0) > 10


def test_as_many_briefs_as_proposed_find_the_difference_four_times_in_five() -> None:
    base, head = sampled(noise=0.0, spread=0.15, gain=0.1, briefs=12, samples=1, seed=3)
    found = outlook(compared(base, head))
    assert found.briefs is not None
    assert found.briefs > 12
    drawn = [sampled(0.0, 0.15, found.target, found.briefs, 1, seed) for seed in range(40)]
    better = [compared(base, head).verdict == "better" for base, head in drawn]
    assert sum(better) >= 0.75 * len(drawn)


def twice(briefs: int, *models: str) -> list[list[Scorecard]]:
    """Cells of two samples that are 0.1 away from their means: 0.5 on the base, and 0.68 or 0.42 on the head."""
    return [
        [
            card(mean + shift, model=model, brief=f"b{brief:02}", sample=sample)
            for model in models
            for brief in range(briefs)
            for mean in [0.5 + (0.18 if brief % 2 else -0.08) * side]
            for sample, shift in ((1, 0.1), (2, -0.1))
        ]
        for side in (0, 1)
    ]


@pytest.mark.parametrize("models", [("m",), ("a", "b")], ids=["one model", "two models"])
def test_the_samples_proposed_bring_the_variance_down_to_what_finds_the_difference(
    models: tuple[str, ...],
) -> None:
    base, head = twice(12, *models)
    result = compared(base, head, params(min_difference=0.11))
    found, test = outlook(result), result.overall.judgement.score.difference
    assert test.low is not None
    assert test.high is not None
    # The variance of a sample is 0.02, and that of a difference of two means of two samples the same.
    sampling = 0.02 / (12 * len(models))
    between = ((test.high - test.low) / 2 / 1.959964) ** 2 - sampling
    allowed = (0.11 / (1.959964 + 0.841621)) ** 2
    assert found.samples == max(3, math.ceil(2 * sampling / (allowed - between)))


def test_what_is_added_costs_what_the_answers_at_hand_cost() -> None:
    base, head = cards(BASE, est_cost_usd=0.01), cards(NOISY, est_cost_usd=0.03)
    found = outlook(compared(base, head))
    assert found.briefs is not None
    assert found.briefs_usd == pytest.approx((found.briefs - 10) * 0.04)
