"""Shares of repetitions: wrong claims, coverage and power, of each population and setting."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from bench.calibration.populations import Population, Scores
from bench.calibration.rules import (
    EXPECTED_RULES,
    SCORE_RULES,
    claims_of,
    is_better,
    is_worse,
    summarise,
)

BRIEFS = (8, 16, 25, 40)
SETTINGS = ((1, 1), (1, 4), (3, 1), (3, 4), (6, 1))
"""Models and samples."""


@dataclass(frozen=True, slots=True)
class WrongClaims:
    """The greatest shares over all settings, each of a claim that nothing supports."""

    better: float
    worse: float
    better_where_usable: float
    worse_where_usable: float


@dataclass(frozen=True, slots=True)
class RuleErrors:
    """One rule's shares of false *better* and *worse*, and its mean length."""

    better: float
    worse: float
    length: float


def draw(
    population: Population, models: int, briefs: int, samples: int, effect: float, repetitions: int
) -> tuple[Scores, Scores]:
    """Both sides' scores, with a seed of their own."""
    name = population.name.encode()
    generator = np.random.default_rng([models, briefs, samples, round(1000 * effect), *name])
    return population.sides(generator, (repetitions, models, briefs, samples), effect)


def wrong_claims(population: Population, briefs: int, repetitions: int) -> WrongClaims:
    """Both sides have the same mean expected score; in all settings of models and samples."""
    claims = [
        claims_of(summarise(*draw(population, models, briefs, samples, 0.0, repetitions)))
        for models, samples in SETTINGS
    ]
    return WrongClaims(
        better=max(float(claim.better.mean()) for claim in claims),
        worse=max(float(claim.worse.mean()) for claim in claims),
        better_where_usable=max(float(claim.better_where_usable.mean()) for claim in claims),
        worse_where_usable=max(float(claim.worse_where_usable.mean()) for claim in claims),
    )


def rule_errors(
    population: Population, models: int, briefs: int, samples: int, repetitions: int
) -> dict[str, RuleErrors]:
    """Every rule on the same draws."""
    drawn = summarise(*draw(population, models, briefs, samples, 0.0, repetitions))
    value = drawn.moves.mean(1)
    errors = {}
    for name, rule in EXPECTED_RULES.items():
        ends = rule(drawn)
        errors[name] = RuleErrors(
            better=float(is_better(value, ends).mean()),
            worse=float(is_worse(value, ends).mean()),
            length=float(np.nanmean(ends[1] - ends[0])),
        )
    return errors


def power(
    population: Population, effect: float, models: int, briefs: int, repetitions: int
) -> tuple[float, float]:
    """How often any claim is for a head that is better by `effect`, and how often *better*."""
    claims = claims_of(summarise(*draw(population, models, briefs, 1, effect, repetitions)))
    return float(claims.in_favour.mean()), float(claims.better.mean())


def score_coverage(population: Population, briefs: int, repetitions: int) -> dict[str, float]:
    """Each rule's coverage of one model's expected score: the least over sides and samples."""
    truths = [float(np.nan_to_num(side).mean()) for side in many_briefs(population)]
    covered: dict[str, list[float]] = {name: [] for name in SCORE_RULES}
    for samples in (1, 4):
        sides = draw(population, 1, briefs, samples, 0.0, repetitions)
        for side, target in zip(sides, truths, strict=True):
            expected = np.nan_to_num(side).mean(3)[:, 0]
            for name, rule in SCORE_RULES.items():
                low, high = rule(expected)
                covered[name].append(float(((low <= target) & (target <= high)).mean()))
    return {name: min(shares) for name, shares in covered.items()}


def many_briefs(population: Population) -> Sequence[Scores]:
    """Both sides' scores on 200,000 briefs of one model."""
    return draw(population, 1, 200_000, 1, 0.0, 1)
