"""Populations of briefs with a known truth: what a base and a head score on briefs that are drawn from them.

Every draw gives two arrays (repetitions, briefs, samples) of scores in 0..1; nan is a cell in which no answer came.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Scores = NDArray[np.float64]
Draw = Callable[[np.random.Generator, tuple[int, int, int], float], tuple[Scores, Scores]]


class Population(NamedTuple):
    """A named population; `draw(generator, shape, effect)` gives base and head, the head better by about `effect`."""

    name: str
    about: str
    draw: Draw


def _beta(generator: np.random.Generator, mean: Scores, concentration: float, samples: int) -> Scores:
    wide = np.repeat(np.clip(mean, 0.01, 0.99)[..., None], samples, axis=2)
    return generator.beta(wide * concentration, (1 - wide) * concentration)


def _even(generator: np.random.Generator, shape: tuple[int, int, int], effect: float) -> tuple[Scores, Scores]:
    brief = generator.normal(0.6, 0.08, shape[:2])
    moved = brief + generator.normal(effect, 0.06, shape[:2])
    noise = generator.normal(0, 0.08, (2, *shape))
    return np.clip(brief[..., None] + noise[0], 0, 1), np.clip(moved[..., None] + noise[1], 0, 1)


def _bounded(generator: np.random.Generator, shape: tuple[int, int, int], effect: float) -> tuple[Scores, Scores]:
    brief = generator.beta(8, 2, shape[:2])
    moved = brief + effect + generator.normal(0, 0.05, shape[:2])
    return _beta(generator, brief, 15, shape[2]), _beta(generator, moved, 15, shape[2])


def _skewed(generator: np.random.Generator, shape: tuple[int, int, int], effect: float) -> tuple[Scores, Scores]:
    brief = generator.beta(6, 5, shape[:2])
    gain = generator.exponential(0.06, shape[:2]) - 0.06 + effect
    return _beta(generator, brief, 60, shape[2]), _beta(generator, brief + gain, 60, shape[2])


def _ties(generator: np.random.Generator, shape: tuple[int, int, int], effect: float) -> tuple[Scores, Scores]:
    brief = np.round(generator.beta(8, 3, shape[:2]) * 14 + 3) / 20
    step = generator.choice([-0.1, -0.05, 0.05, 0.1], shape[:2]) + np.where(
        generator.random(shape[:2]) < 0.5, effect * 2.5, 0
    )
    moved = brief + np.where(generator.random(shape[:2]) < 0.6, 0.0, np.round(step * 20) / 20)
    return np.repeat(brief[..., None], shape[2], axis=2), np.repeat(moved[..., None], shape[2], axis=2)


def _failures(generator: np.random.Generator, shape: tuple[int, int, int], effect: float) -> tuple[Scores, Scores]:
    base, head = np.clip(generator.normal(0.85, 0.06, (2, *shape)), 0, 1)
    return base * (generator.random(shape) > 0.12), head * (generator.random(shape) > 0.12 - effect)


def _missing(generator: np.random.Generator, shape: tuple[int, int, int], effect: float) -> tuple[Scores, Scores]:
    base, head = _bounded(generator, shape, effect)
    gaps = generator.random((2, *shape)) < 0.15
    return np.where(gaps[0], np.nan, base), np.where(gaps[1], np.nan, head)


def _rare(generator: np.random.Generator, shape: tuple[int, int, int], effect: float) -> tuple[Scores, Scores]:
    base, head = np.clip(generator.normal(0.85, 0.06, (2, *shape)), 0, 1)
    rate = generator.beta(0.4, 4, shape[:2])[..., None]
    return base * (generator.random(shape) > rate), head * (generator.random(shape) > rate * max(0.0, 1 - 20 * effect))


POPULATIONS = (
    Population("even", "briefs and samples spread evenly around their means", _even),
    Population("bounded", "scores crowd below 1 (beta, skewed)", _bounded),
    Population("skewed", "most briefs gain little, a few a lot (exponential)", _skewed),
    Population("ties", "scores on a grid of 0.05, most briefs stand still, samples agree", _ties),
    Population("failures", "one cell in eight fails and counts 0", _failures),
    Population("missing", "as bounded, and no answer in 15 % of the cells", _missing),
)
HARD = (Population("rare failures", "failures in few briefs, most of them mended: a sample may hold none", _rare),)
"""What no method that goes by the sample alone can cover: reported, and left out of the demand."""


def differences(base: Scores, head: Scores) -> Scores:
    """Per brief, head less base, of the means over the samples that have an answer; nan where one side has none."""
    with np.errstate(all="ignore"):
        means = [np.nansum(side, axis=2) / np.sum(~np.isnan(side), axis=2) for side in (base, head)]
    return np.asarray(means[1] - means[0], dtype=np.float64)


def truth(population: Population, effect: float) -> float:
    """The mean difference over the whole population, from a million briefs with a sample each (error about 0.0002)."""
    generator = np.random.default_rng(20_260_101)
    base, head = population.draw(generator, (1, 1_000_000, 1), effect)
    return float(np.nanmean(head - base) if population.name != "missing" else np.nanmean(head) - np.nanmean(base))
