"""The effect overall and per model, and what would settle an open question."""

import numpy as np
import pytest

from stages.compare.effect import model_effects, overall_effect
from stages.compare.pairing import pair
from stages.contracts.params import CompareParams
from stages.contracts.scorecard import Scorecard
from tests.compare.cards import BASE, BETTER, NOISY, PARAMS, card, cards, sampled


def params(**changes: float) -> CompareParams:
    return CompareParams.model_validate({**PARAMS.model_dump(), **changes})


def test_answers_that_one_model_loses_do_not_shift_the_mean() -> None:
    weak, strong = cards([0.3] * 10, model="weak"), cards([0.9] * 10, model="strong")
    found = overall_effect(pair([*weak, *strong], [*weak[:5], *strong]), PARAMS).difference
    assert found.value == 0.0


def test_the_models_share_one_error_rate() -> None:
    several = [*cards(BASE, model="a"), *cards(BASE, model="b"), *cards(BASE, model="c")]
    moved = [*cards(BETTER, model="a"), *cards(NOISY, model="b"), *cards(NOISY, model="c")]
    alone = model_effects(pair(cards(BASE), cards(BETTER)), PARAMS)["m"]
    together = model_effects(pair(several, moved), PARAMS)["a"]
    for single, shared in (
        (alone.difference.expected, together.difference.expected),
        (alone.difference.quality, together.difference.quality),
    ):
        assert (shared.low or 0) < (single.low or 0)
    assert together.judgement.verdict == "better"


def test_a_model_with_too_few_briefs_takes_no_share_of_the_error_rate() -> None:
    base, head = (
        [*cards(BASE), *cards(BASE[:3], model="few")],
        [*cards(BETTER), *cards(BETTER[:3], model="few")],
    )
    together = model_effects(pair(base, head), PARAMS)
    assert (
        together["m"].difference
        == model_effects(pair(cards(BASE), cards(BETTER)), PARAMS)["m"].difference
    )
    assert together["few"].judgement.verdict == "could not measure"


def test_a_model_without_a_pair_could_not_be_measured() -> None:
    effect = model_effects(pair([card()], [card(None)]), PARAMS)["m"]
    assert (effect.judgement.verdict, effect.difference.expected.low, effect.difference.n) == (
        "could not measure",
        None,
        0,
    )


def test_planned_looks_widen_the_intervals() -> None:
    pairing = pair(cards(BASE), cards(BETTER))
    once, often = (overall_effect(pairing, params(planned_looks=looks)) for looks in (1, 5))
    assert (often.difference.expected.low or 0) < (once.difference.expected.low or 0)
    assert (often.difference.quality.low or 0) < (once.difference.quality.low or 0)
    assert (
        often.difference.expected
        == overall_effect(pairing, params(confidence=0.99)).difference.expected
    )


def test_only_a_conclusion_has_caveats() -> None:
    """With ten briefs each conclusion is limited; where nothing is concluded, there is nothing to limit."""
    effects = [overall_effect(pair(cards(BASE), cards(head)), PARAMS) for head in (BETTER, NOISY)]
    assert [(effect.judgement.verdict, effect.caveats) for effect in effects] == [
        ("better", ("Few briefs: with fewer than 12 the interval may be too short.",)),
        ("cannot tell", ()),
    ]


def test_a_settled_comparison_has_no_outlook() -> None:
    assert overall_effect(pair(cards(BASE), cards(BETTER)), PARAMS).outlook is None


def test_with_one_sample_per_cell_the_effect_of_more_samples_is_unknown() -> None:
    found = overall_effect(pair(cards(BASE), cards(NOISY)), PARAMS).outlook
    assert found is not None
    assert (found.samples, found.sampling_known, found.sample_error) == (None, False, None)
    assert found.briefs is not None
    assert found.briefs > 10


def test_where_sampling_is_most_of_the_spread_more_samples_settle_it() -> None:
    base, head = sampled(noise=0.3, spread=0.0, gain=0.1, briefs=30, samples=2, seed=1)
    found = overall_effect(pair(base, head), params(min_difference=0.1)).outlook
    assert found is not None
    assert found.samples is not None
    assert found.samples > 2
    assert found.brief_error < (found.sample_error or 0)


def test_where_the_briefs_differ_more_samples_alone_cannot() -> None:
    base, head = sampled(noise=0.01, spread=0.2, gain=0.03, briefs=12, samples=2, seed=1)
    found = overall_effect(pair(base, head), PARAMS).outlook
    assert found is not None
    assert (found.samples, found.sampling_known) == (None, True)


def test_as_many_briefs_as_proposed_find_the_difference_four_times_in_five() -> None:
    base, head = sampled(noise=0.0, spread=0.15, gain=0.1, briefs=12, samples=1, seed=3)
    found = overall_effect(pair(base, head), PARAMS).outlook
    assert found is not None
    assert found.briefs is not None
    assert found.briefs > 12
    drawn = [sampled(0.0, 0.15, found.target, found.briefs, 1, seed) for seed in range(40)]
    better = [
        overall_effect(pair(*sides), params(min_difference=0.0)).judgement.verdict == "better"
        for sides in drawn
    ]
    assert np.mean(better) >= 0.75


def test_the_target_is_the_difference_found_or_what_matters_where_that_is_larger() -> None:
    pairing = pair(cards(BASE), cards(NOISY))
    small, large = (
        overall_effect(pairing, params(min_difference=size)).outlook for size in (0.001, 0.4)
    )
    assert small is not None
    assert small.target == pytest.approx(abs(sum(NOISY) - sum(BASE)) / 10)
    assert large is None or large.target == 0.4


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
def test_the_standard_error_has_a_part_from_sampling(models: tuple[str, ...]) -> None:
    effect = overall_effect(pair(*twice(12, *models)), params(min_difference=0.11))
    assert effect.outlook is not None
    quality = effect.difference.quality
    assert quality.low is not None
    assert quality.high is not None
    sampling = effect.outlook.sample_error or 0.0
    # The variance of a sample is 0.02, and that of a difference of two means of two samples the same.
    assert sampling**2 == pytest.approx(0.02 / (12 * len(models)))
    whole = (quality.high - quality.low) / 2 / 1.959964
    assert sampling**2 + effect.outlook.brief_error**2 == pytest.approx(whole**2)


def test_the_samples_proposed_bring_the_variance_down_to_what_finds_the_difference() -> None:
    found = overall_effect(pair(*twice(12, "a", "b")), params(min_difference=0.11)).outlook
    assert found is not None
    assert found.samples is not None
    allowed = (0.11 / (1.959964 + 0.841621)) ** 2
    enough, fewer = (
        found.brief_error**2 + (found.sample_error or 0) ** 2 * 2 / samples
        for samples in (found.samples, found.samples - 1)
    )
    assert enough <= allowed < fewer


def test_at_least_one_more_brief_is_proposed_where_a_difference_may_be_too_small_to_matter() -> (
    None
):
    head = [0.516 + 0.01 * (-1) ** brief for brief in range(16)]
    found = overall_effect(pair(cards([0.5] * 16), cards(head)), PARAMS).outlook
    assert found is not None
    assert (found.target, found.briefs) == (0.02, 17)
