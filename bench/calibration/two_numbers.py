"""Verdicts on score and content together, over populations whose gains in both are known."""

from collections import Counter
from collections.abc import Mapping

import numpy as np

from bench.calibration.measure import CONFIDENCE, brief_differences, draw
from bench.calibration.populations import Population, Scores
from graph_evaluator.analysis.paired_test import joint_test
from graph_evaluator.records.params import CompareParams

EFFECTS = 6
"""Stated effects of a brief: some are found by nearly every answer, some by few."""
MEAN = 0.75
"""The content of the baseline."""
PARAMS = CompareParams.model_validate({})


def verdict_shares(
    population: Population,
    gains: tuple[float, float],
    briefs: int,
    samples: int,
    repetitions: int,
) -> Mapping[str, float]:
    """How often each verdict is given, of one model whose candidate gains so much in score and in
    content.
    """
    sides = draw(population, 1, briefs, samples, gains[0], repetitions)
    generator = np.random.default_rng([briefs, samples, round(1000 * abs(gains[1]))])
    chances = generator.beta(1.0, 1 / MEAN - 1, (repetitions, 1, briefs, 1, EFFECTS))
    before = contents_of(generator, chances, 0.0, sides[0])
    after = contents_of(generator, chances, gains[1], sides[1])
    scores, contents = brief_differences(*sides), brief_differences(before, after)
    verdicts = Counter(
        joint_test(of_score, of_content, PARAMS, CONFIDENCE).verdict
        for of_score, of_content in zip(scores.tolist(), contents.tolist(), strict=True)
    )
    return {verdict: count / repetitions for verdict, count in verdicts.items()}


def contents_of(
    generator: np.random.Generator, chances: Scores, gain: float, scores: Scores
) -> Scores:
    """The share of the effects that each answer has right, by the chance of each and a gain on
    average; nan, which counts 0, for a failure.
    """
    shape = (*scores.shape, EFFECTS)
    right = generator.random(shape) < chances
    moved = generator.random(shape) < abs(gain) / (1 - MEAN if gain > 0 else MEAN)
    right = right | moved if gain > 0 else right & ~moved
    contents: Scores = np.where(np.isnan(scores), np.nan, right.mean(-1))
    return contents
