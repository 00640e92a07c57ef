"""Populations of briefs with a known truth: what baseline and candidate score on drawn briefs.

A draw gives the scores of both sides, each (repetitions, models, briefs, samples), 0..1; nan is an
answer without a usable graph.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq

Scores: TypeAlias = NDArray[np.float64]
Mask: TypeAlias = NDArray[np.bool_]
Shape: TypeAlias = tuple[int, int, int, int]
"""Repetitions, models, briefs, samples."""
Draw: TypeAlias = Callable[[np.random.Generator, Shape, float], tuple[Scores, Scores]]
BALANCE_BRIEFS = 200_000
SHARES = (0.03, 0.10, 0.15)
"""Failure rates of a candidate whose better graphs make up for its failures."""


@dataclass(frozen=True, slots=True)
class Population:
    """A named population; `draw` gives baseline and candidate, whose graphs are better by about a gain.

    `kind`: differences are symmetric without a gain, or skewed, or briefs are not independent.
    """

    name: str
    draw: Draw
    kind: Literal["symmetric", "skewed", "dependent"] = "symmetric"

    def sides(
        self, generator: np.random.Generator, shape: Shape, effect: float
    ) -> tuple[Scores, Scores]:
        """Base and candidate, the candidate's mean expected score higher by `effect`."""
        if not effect and self.kind != "skewed":
            return self.draw(generator, shape, 0.0)
        return self.draw(generator, shape, gain_of(self, effect, shape[1]))


@cache
def gain_of(population: Population, effect: float, models: int) -> float:
    """The gain with which the mean expected scores differ by `effect`; error about 0.0005."""
    shape = (1, models, BALANCE_BRIEFS // models, 1)

    def excess(gain: float) -> float:
        baseline, candidate = population.draw(np.random.default_rng(1), shape, gain)
        return float(np.nan_to_num(candidate).mean() - np.nan_to_num(baseline).mean()) - effect

    return float(brentq(excess, -0.4, 0.6, xtol=1e-4))


def graphs(
    generator: np.random.Generator, shape: Shape, gain: float, noise: float = 0.065
) -> tuple[Scores, Scores]:
    """Usable graphs of both sides: briefs differ in difficulty and in gain, answers vary.

    The difference of one answer from another on the same brief has a standard deviation of 0.10.
    """
    repetitions, _, briefs, _ = shape
    brief = generator.normal(0.72, 0.08, (repetitions, 1, briefs, 1))
    moves = generator.normal(gain, 0.04, (repetitions, 1, briefs, 1))
    variation = generator.normal(0, noise, (2, *shape))
    return np.clip(brief + variation[0], 0, 1), np.clip(brief + moves + variation[1], 0, 1)


def fail(generator: np.random.Generator, scores: Scores, rate: float | Scores) -> Scores:
    """The scores, each a failure with its rate."""
    failed: Scores = np.where(generator.random(scores.shape) < rate, np.nan, scores)
    return failed


def same_everywhere(brief: Scores, shape: Shape) -> Scores:
    """One score for each brief, of every model and sample."""
    return np.broadcast_to(np.clip(brief, 0, 1), shape).copy()


def failing(baseline_rate: float, candidate_rate: float) -> Draw:
    """Answers fail on their own."""

    def draw(generator: np.random.Generator, shape: Shape, gain: float) -> tuple[Scores, Scores]:
        baseline, candidate = graphs(generator, shape, gain)
        return fail(generator, baseline, baseline_rate), fail(generator, candidate, candidate_rate)

    return draw


def whole_briefs(baseline_rate: float, candidate_rate: float) -> Draw:
    """A brief fails in all models and samples of a side, or in none."""

    def draw(generator: np.random.Generator, shape: Shape, gain: float) -> tuple[Scores, Scores]:
        baseline, candidate = graphs(generator, shape, gain)
        lost = generator.random((2, shape[0], 1, shape[2], 1))
        return np.where(lost[0] < baseline_rate, np.nan, baseline), np.where(
            lost[1] < candidate_rate, np.nan, candidate
        )

    return draw


def bounded(generator: np.random.Generator, shape: Shape, gain: float) -> tuple[Scores, Scores]:
    """Scores crowd below 1: beta distributions."""
    brief = 0.85 * generator.beta(8, 2, (shape[0], 1, shape[2], 1))
    moves = generator.normal(gain, 0.05, (shape[0], 1, shape[2], 1))
    means = [np.clip(np.broadcast_to(mean, shape), 0.01, 0.99) for mean in (brief, brief + moves)]
    baseline, candidate = (generator.beta(20 * mean, 20 * (1 - mean)) for mean in means)
    return baseline, candidate


def skewed(generator: np.random.Generator, shape: Shape, gain: float) -> tuple[Scores, Scores]:
    """Most briefs lose a little, a few gain a lot: exponential."""
    baseline, candidate = graphs(generator, shape, gain, noise=0.02)
    tail = generator.exponential(0.06, (shape[0], 1, shape[2], 1)) - 0.06
    return baseline, np.clip(candidate + tail, 0, 1)


def one_in_eight(
    generator: np.random.Generator, shape: Shape, gain: float
) -> tuple[Scores, Scores]:
    """One brief in eight gains 0.3, the others lose a little, all the same."""
    size = (shape[0], 1, shape[2], 1)
    brief = generator.normal(0.55, 0.06, size)
    few = generator.random(size) < 1 / 8
    moves = np.where(few, 0.3, -0.3 / 7) + gain
    return same_everywhere(brief, shape), same_everywhere(np.round(brief + moves, 6), shape)


def ceiling(generator: np.random.Generator, shape: Shape, gain: float) -> tuple[Scores, Scores]:
    """Most answers of both sides score 1.0, one in ten loses up to 0.3."""

    def side(shift: float) -> Scores:
        slips = generator.random(shape) < 0.1
        lost = generator.uniform(0.02, 0.3, shape)
        scores: Scores = np.clip(np.where(slips, 1.0 - lost, 1.0) + shift, 0, 1)
        return scores

    return side(0.0), side(gain)


def families(generator: np.random.Generator, shape: Shape, gain: float) -> tuple[Scores, Scores]:
    """Four briefs in a row move alike, in all models."""
    repetitions, _, briefs, _ = shape
    baseline, candidate = (scores - 0.2 for scores in graphs(generator, shape, gain))
    shared = generator.normal(0, 0.08, (repetitions, 1, -(-briefs // 4), 1))
    moves = np.repeat(shared, 4, axis=2)[:, :, :briefs]
    return np.clip(baseline, 0, 1), np.clip(candidate + moves, 0, 1)


POPULATIONS = (
    Population("no failures", failing(0, 0)),
    Population("below 1", bounded),
    Population("ties at 1.0", ceiling),
    Population("both fail 3 %", failing(0.03, 0.03)),
    Population("both fail 12 %", failing(0.12, 0.12)),
    Population("whole briefs, both 10 %", whole_briefs(0.1, 0.1)),
    Population("skewed", skewed, "skewed"),
    Population("one in eight", one_in_eight, "skewed"),
    *(Population(f"candidate fails {rate:.0%}", failing(0, rate), "skewed") for rate in SHARES),
    Population("3 % and 10 % fail", failing(0.03, 0.10), "skewed"),
    *(
        Population(f"whole briefs, candidate {rate:.0%}", whole_briefs(0, rate), "skewed")
        for rate in SHARES
    ),
    Population("families of four", families, "dependent"),
)
BY_NAME = {population.name: population for population in POPULATIONS}
