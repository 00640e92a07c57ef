"""Looks at 1, 2, 4 and 8 samples: wrong claims over all looks, gains found, calls saved."""

from dataclasses import dataclass

import numpy as np

from bench.calibration.populations import Population
from bench.calibration.rules import CONFIDENCE, claims_of, summarise
from stages.statistics.error_rate import look_confidences

SAMPLES = (1, 2, 4, 8)


@dataclass(frozen=True, slots=True)
class Settled:
    """Shares of the repetitions that end with a claim for the head or against it.

    `at_once` is any claim for the head from one look with all samples; `saved` the share of the
    last look's calls that were not made. Looks do not end early because the question is hopeless.
    """

    better: float
    worse: float
    in_favour: float
    against: float
    at_once: float
    saved: float


def settle_looks(
    population: Population, effect: float, models: int, briefs: int, repetitions: int
) -> Settled:
    """Settle again and again, each look at the confidence that `look_confidences` gives it."""
    generator = np.random.default_rng([models, briefs, *population.name.encode()])
    shape = (repetitions, models, briefs, SAMPLES[-1])
    base, head = population.sides(generator, shape, effect)
    undecided = np.full(repetitions, True)
    used = np.zeros(repetitions)
    better, worse, in_favour, against = (np.full(repetitions, False) for _ in range(4))
    for samples, level in zip(SAMPLES, look_confidences(SAMPLES, CONFIDENCE), strict=True):
        used[undecided] = samples
        claims = claims_of(summarise(base[..., :samples], head[..., :samples]), level)
        better |= undecided & claims.better
        worse |= undecided & claims.worse
        in_favour |= undecided & claims.in_favour
        against |= undecided & claims.against
        undecided &= ~(claims.in_favour | claims.against | claims.same)
    at_once = claims_of(summarise(base, head)).in_favour
    return Settled(
        better=float(better.mean()),
        worse=float(worse.mean()),
        in_favour=float(in_favour.mean()),
        against=float(against.mean()),
        at_once=float(at_once.mean()),
        saved=float(1 - used.mean() / SAMPLES[-1]),
    )
