"""How often an interval holds the truth: the product's own function, and the candidates it was chosen from."""

import math
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from bench.calibration.candidates import CANDIDATES, with_equal_rows
from bench.calibration.populations import Population, differences, truth
from stages.contracts.interval import mean_interval

EFFECT = 0.03
BRIEFS = (8, 12, 16, 25, 50)
SAMPLES = (1, 3, 5)


class Covered(NamedTuple):
    """The share of repetitions whose interval holds the truth, and the intervals' mean length."""

    population: str
    method: str
    briefs: int
    samples: int
    share: float
    length: float


def product_coverage(population: Population, briefs: int, samples: int, *, repetitions: int, target: float) -> Covered:
    """The coverage of `stages.contracts.interval.mean_interval`, at 95 %."""
    generator = np.random.default_rng([briefs, samples, *population.name.encode()])
    rows = differences(*population.draw(generator, (repetitions, briefs, samples), EFFECT))
    held, length, counted = 0, 0.0, 0
    for row in rows:
        found = mean_interval([float(value) for value in row if not math.isnan(value)], bounds=(-1.0, 1.0))
        if found is not None:
            counted += 1
            held += found.low <= target <= found.high
            length += found.high - found.low
    return Covered(population.name, "product", briefs, samples, held / counted, length / counted)


def candidate_coverage(
    population: Population, briefs: int, samples: int, *, repetitions: int, target: float
) -> Iterable[Covered]:
    """The coverage of every candidate on the same draws; a population with gaps is left to `product_coverage`."""
    generator = np.random.default_rng([briefs, samples, *population.name.encode()])
    rows = differences(*population.draw(generator, (repetitions, briefs, samples), EFFECT))
    for name, method in CANDIDATES.items():
        low, high = with_equal_rows(method)(rows)
        held = float(np.mean((low <= target) & (target <= high)))
        yield Covered(population.name, name, briefs, samples, held, float(np.mean(high - low)))


def targets(populations: Iterable[Population]) -> dict[str, float]:
    """The truth of each population under `EFFECT`."""
    return {population.name: truth(population, EFFECT) for population in populations}
