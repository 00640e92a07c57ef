"""Looks at 1, 2, 4 and 8 samples: wrong claims over all looks, gains found, calls saved; and what
new briefs make of *better where usable*.
"""

from dataclasses import dataclass

import numpy as np

from bench.calibration.populations import Mask, Population
from bench.calibration.rules import CONFIDENCE, Drawn, claims_of, mean_where_known, summarise
from stages.statistics.error_rate import look_confidences

SAMPLES = (1, 2, 4, 8)
NEW_BRIEFS = 200
"""How many briefs with `purpose: reliability` there are."""


@dataclass(frozen=True, slots=True)
class Settled:
    """Shares of the repetitions that end with a claim for the head or against it.

    `at_once` is any claim for the head from one look with all samples; `saved` the share of the
    last look's calls that were not made. Looks do not end early because the question is hopeless.
    `by_reliability` is *better* because all answers to new briefs were usable.
    """

    better: float
    worse: float
    in_favour: float
    against: float
    at_once: float
    saved: float
    by_reliability: float


def settle_looks(
    population: Population, effect: float, models: int, briefs: int, repetitions: int
) -> Settled:
    """Settle again and again, each look at the confidence that `look_confidences` gives it."""
    generator = np.random.default_rng([models, briefs, *population.name.encode()])
    shape = (repetitions, models, briefs, SAMPLES[-1])
    base, head = population.sides(generator, shape, effect)
    undecided = np.full(repetitions, True)
    used = np.zeros(repetitions)
    better, worse, in_favour, against, reliable = (np.full(repetitions, False) for _ in range(5))
    new_briefs = (repetitions, models, NEW_BRIEFS, 1)
    _, answers = population.sides(generator, new_briefs, effect)
    usable = np.asarray(np.isfinite(answers).all((1, 3)))
    for samples, level in zip(SAMPLES, look_confidences(SAMPLES, CONFIDENCE), strict=True):
        used[undecided] = samples
        drawn = summarise(base[..., :samples], head[..., :samples])
        claims = claims_of(drawn, level)
        reliable |= undecided & claims.better_where_usable & all_usable(drawn, usable)
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
        by_reliability=float(reliable.mean()),
    )


def all_usable(drawn: Drawn, usable: Mask) -> Mask:
    """Whether the answers to the first m* of the new briefs are usable, m* being there.

    As in `stages.settle.looks`, m* is that of a base that never fails.
    """
    gain = np.fmax(mean_where_known(drawn.gains, 1), 1e-9)
    share = np.clip(gain / (drawn.base_quality + gain), 1e-9, 1 - 1e-9)
    needed = np.ceil(np.log((1 - CONFIDENCE) / 2) / np.log1p(-share))
    usable_in_a_row = np.cumprod(usable, axis=1).sum(1)
    shown: Mask = (needed <= NEW_BRIEFS) & (usable_in_a_row >= needed)
    return shown
