"""Settlements in interim analyses: wrong verdicts over all of them, gains found, calls saved."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from bench.calibration.measure import CONFIDENCE, verdicts_of
from bench.calibration.populations import Population
from graph_evaluator.analysis.interval import analysis_confidences

SAMPLES = (1, 2, 4, 8)
"""Samples per cell at each interim analysis."""


@dataclass(frozen=True, slots=True)
class Settled:
    """Shares of the repetitions that end *better* and *worse*.

    `at_once` is *better* from one analysis of all samples; `saved` the share of the last analysis's
    calls that were not made.
    """

    better: float
    worse: float
    at_once: float
    saved: float


def settle(
    population: Population,
    effect: float,
    briefs: int,
    repetitions: int,
    *,
    models: int = 1,
    planned: Sequence[int] = SAMPLES,
    confidence: float = CONFIDENCE,
) -> Settled:
    """Settle again and again; all interim analyses together have the confidence."""
    generator = np.random.default_rng([models, briefs, *population.name.encode()])
    baseline, candidate = population.sides(
        generator, (repetitions, models, briefs, planned[-1]), effect
    )
    is_open = np.full(repetitions, True)
    used = np.zeros(repetitions)
    better, worse = (np.full(repetitions, False) for _ in range(2))
    for samples, level in zip(planned, analysis_confidences(planned, confidence), strict=True):
        used[is_open] = samples
        found = verdicts_of(baseline[..., :samples], candidate[..., :samples], level)
        better |= is_open & found.better
        worse |= is_open & found.worse
        is_open &= ~(found.better | found.worse | found.same)
    return Settled(
        better=float(better.mean()),
        worse=float(worse.mean()),
        at_once=float(verdicts_of(baseline, candidate, confidence).better.mean()),
        saved=float(1 - used.mean() / planned[-1]),
    )
