"""Looks at 1, 2, 4 and 8 samples: wrong verdicts over all looks, gains found, calls saved."""

from dataclasses import dataclass

import numpy as np

from bench.calibration.measure import CONFIDENCE, verdicts_of
from bench.calibration.populations import Population
from stages.statistics.error_rate import look_confidences

SAMPLES = (1, 2, 4, 8)


@dataclass(frozen=True, slots=True)
class Settled:
    """Shares of the repetitions that end *better* and *worse*.

    `at_once` is *better* from one look with all samples; `saved` the share of the last look's calls
    that were not made. Looks do not end early because the question is hopeless.
    """

    better: float
    worse: float
    at_once: float
    saved: float


def settle_looks(
    population: Population, effect: float, models: int, briefs: int, repetitions: int
) -> Settled:
    """Settle again and again, each look at the confidence that `look_confidences` gives it."""
    generator = np.random.default_rng([models, briefs, *population.name.encode()])
    shape = (repetitions, models, briefs, SAMPLES[-1])
    base, head = population.sides(generator, shape, effect)
    is_open = np.full(repetitions, True)
    used = np.zeros(repetitions)
    better, worse = (np.full(repetitions, False) for _ in range(2))
    for samples, level in zip(SAMPLES, look_confidences(SAMPLES, CONFIDENCE), strict=True):
        used[is_open] = samples
        found = verdicts_of(base[..., :samples], head[..., :samples], level)
        better |= is_open & found.better
        worse |= is_open & found.worse
        is_open &= ~(found.better | found.worse | found.same)
    return Settled(
        better=float(better.mean()),
        worse=float(worse.mean()),
        at_once=float(verdicts_of(base, head).better.mean()),
        saved=float(1 - used.mean() / SAMPLES[-1]),
    )
