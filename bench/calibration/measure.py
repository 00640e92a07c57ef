"""Shares of repetitions that end with each verdict, by the functions of the product."""

from dataclasses import dataclass

import numpy as np

from bench.calibration.populations import Mask, Population, Scores
from graph_evaluator.analysis.interval import half_width

BRIEFS = (6, 8, 16, 25, 40)
SETTINGS = ((1, 1), (1, 8), (3, 2), (5, 1))
"""Models and samples."""
CONFIDENCE = 0.95
MIN_DIFFERENCE = 0.05
"""The default of compare.min_difference."""


@dataclass(frozen=True, slots=True)
class Verdicts:
    """Which repetitions have which verdict; the others cannot tell."""

    better: Mask
    worse: Mask
    same: Mask


@dataclass(frozen=True, slots=True)
class Shares:
    """Shares of repetitions with each verdict."""

    better: float
    worse: float
    same: float


def brief_differences(baseline: Scores, candidate: Scores) -> Scores:
    """Means over samples, then models, of scores (repetitions, models, briefs, samples)."""
    moves: Scores = np.nan_to_num(candidate).mean(3) - np.nan_to_num(baseline).mean(3)
    means: Scores = moves.mean(1)
    return means


def verdicts_of(baseline: Scores, candidate: Scores, confidence: float = CONFIDENCE) -> Verdicts:
    """The verdict of the paired test in each repetition."""
    differences = brief_differences(baseline, candidate)
    deviation = differences.std(-1, ddof=1)
    half = half_width(deviation, differences.shape[-1], confidence)
    low, high = differences.mean(-1) - half, differences.mean(-1) + half
    same = (low > -MIN_DIFFERENCE) & (high < MIN_DIFFERENCE)
    return Verdicts((low > 0) & ~same, (high < 0) & ~same, same)


def draw(
    population: Population, models: int, briefs: int, samples: int, effect: float, repetitions: int
) -> tuple[Scores, Scores]:
    """Both sides' scores, with a seed of their own."""
    name = population.name.encode()
    generator = np.random.default_rng([models, briefs, samples, round(1000 * effect), *name])
    return population.sides(generator, (repetitions, models, briefs, samples), effect)


def shares_of(
    population: Population, models: int, briefs: int, samples: int, effect: float, repetitions: int
) -> Shares:
    """How often each verdict is given where the candidate is better by `effect`."""
    found = verdicts_of(*draw(population, models, briefs, samples, effect, repetitions))
    return Shares(*(float(mask.mean()) for mask in (found.better, found.worse, found.same)))


def false_verdicts(population: Population, briefs: int, repetitions: int) -> Shares:
    """The greatest shares over all settings of models and samples, of equal expected scores."""
    cells = [
        shares_of(population, models, briefs, samples, 0.0, repetitions)
        for models, samples in SETTINGS
    ]
    return Shares(
        better=max(cell.better for cell in cells),
        worse=max(cell.worse for cell in cells),
        same=max(cell.same for cell in cells),
    )
