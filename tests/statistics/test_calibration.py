"""The calibration in short: its arrays are the product's functions, and claims are rarely wrong."""

from pathlib import Path

import numpy as np
import pytest

from bench.calibration.decisions import MODELS, decide_models
from bench.calibration.measure import draw, power, rule_errors, score_coverage, wrong_claims
from bench.calibration.populations import BY_NAME, Scores
from bench.calibration.rules import (
    claims_of,
    expected_interval,
    quality_interval,
    score_interval,
    summarise,
)
from bench.calibration.settling import settle_looks
from stages.statistics.claim import claim_of
from stages.statistics.estimates import Side, difference_of, score_of, side_of

RESULTS = Path(__file__).parents[2] / "bench" / "calibration" / "RESULTS.md"
NOISE = 0.012
"""Two standard errors of a share near 3 % in 800 repetitions."""


def sides(scores: Scores) -> dict[str, Side]:
    """One repetition's scores (models, briefs, samples) as the product takes them."""
    return {
        f"m{model}": side_of(
            {
                f"b{brief:02}": [None if np.isnan(score) else float(score) for score in samples]
                for brief, samples in enumerate(briefs)
            }
        )
        for model, briefs in enumerate(scores)
    }


@pytest.mark.parametrize(
    "name", ["both fail 30 %", "ties", "one in eight", "whole briefs, head 20%"]
)
@pytest.mark.parametrize(("models", "briefs", "samples"), [(1, 8, 1), (3, 12, 2)])
def test_the_arrays_are_the_functions_of_the_product(
    name: str, models: int, briefs: int, samples: int
) -> None:
    base, head = draw(BY_NAME[name], models, briefs, samples, 0.05, 60)
    drawn = summarise(base, head)
    low, high = expected_interval(drawn)
    quality_low, quality_high = quality_interval(drawn.gains)
    claims = claims_of(drawn)
    score_low, score_high = score_interval(np.nan_to_num(base).mean(3)[:, 0])
    for number, (old, new) in enumerate(zip(base, head, strict=True)):
        difference = difference_of(sides(old), sides(new))
        quality, score = difference.quality, score_of(sides(old)["m0"])
        claim = claim_of(difference, 0.02)
        assert (difference.low, difference.high) == pytest.approx((low[number], high[number]))
        assert (score.low, score.high) == pytest.approx((score_low[number], score_high[number]))
        assert (claim == "better") == claims.better[number]
        assert (claim == "better where usable") == claims.better_where_usable[number]
        assert (claim == "worse where usable") == claims.worse_where_usable[number]
        if quality.low is not None:
            ends = (quality_low[number], quality_high[number])
            assert (quality.low, quality.high) == pytest.approx(ends, abs=1e-9)


@pytest.mark.parametrize("briefs", [8, 25])
@pytest.mark.parametrize(
    "name", ["bounded", "head fails 10%", "both fail 12 %", "whole briefs, head 15%"]
)
def test_claims_are_wrong_at_most_three_times_in_a_hundred_and_where_usable_five(
    name: str, briefs: int
) -> None:
    wrong = wrong_claims(BY_NAME[name], briefs, 800)
    assert max(wrong.better, wrong.worse) <= 0.03 + NOISE
    if BY_NAME[name].equal_quality:
        assert max(wrong.better_where_usable, wrong.worse_where_usable) <= 0.05 + NOISE


def test_the_budget_would_catch_a_rule_that_ignores_failures_it_did_not_see() -> None:
    errors = rule_errors(BY_NAME["whole briefs, head 15%"], 3, 16, 1, 400)
    assert errors["Student's t"].better > 0.1
    assert errors["four at the higher quality, plain mean (the product)"].better <= 0.03 + NOISE


@pytest.mark.parametrize("name", ["bounded", "both fail 30 %", "whole briefs, head 10%"])
def test_a_mean_score_covers_93_percent(name: str) -> None:
    shares = score_coverage(BY_NAME[name], 16, 400)
    assert shares["a brief of 0 and one of 1 (the product)"] >= 0.925


@pytest.mark.parametrize(
    ("models", "effect", "least"), [(1, 0.1, 0.9), (3, 0.1, 0.95), (1, 0.05, 0.4)]
)
def test_a_gain_without_failures_is_found(models: int, effect: float, least: float) -> None:
    in_favour, _ = power(BY_NAME["no failures"], effect, models, 16, 800)
    assert in_favour >= least


def test_models_that_differ_are_told_apart_where_usable() -> None:
    decided = decide_models(MODELS[0], 16, 400)
    assert decided.undecided <= 0.28
    assert decided.false_leads + decided.false_where_usable <= 0.03 + NOISE


def test_looks_are_wrong_as_rarely_as_one_and_save_calls() -> None:
    equal = settle_looks(BY_NAME["both fail 12 %"], 0.0, 3, 16, 400)
    assert max(equal.better, equal.worse) <= 0.03 + NOISE
    better = settle_looks(BY_NAME["no failures"], 0.05, 3, 16, 400)
    assert better.in_favour >= better.at_once - 0.1
    assert better.saved > 0.4


def test_the_published_figures_are_those_that_the_program_measures() -> None:
    row = next(
        line
        for line in RESULTS.read_text(encoding="utf-8").splitlines()
        if line.startswith("| head fails 10%")
    )
    wrong = wrong_claims(BY_NAME["head fails 10%"], 16, 4000)
    assert row.split("|")[3].strip() == f"{100 * wrong.better:.1f} / {100 * wrong.worse:.1f}"
