"""Populations of briefs with a known truth: what a base and a head score on briefs that are drawn from them.

Every draw gives two arrays (repetitions, models, briefs, samples) of scores in 0..1; nan is an answer without a usable graph, which
counts 0, and `UNANSWERED` a cell without an answer.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Scores = NDArray[np.float64]
Shape = tuple[int, int, int, int]
Draw = Callable[[np.random.Generator, Shape, float], tuple[Scores, Scores]]
UNANSWERED = -1.0


class Population(NamedTuple):
    """A named population; `draw(generator, shape, effect)` gives base and head, the head better by about `effect`."""

    name: str
    about: str
    draw: Draw


def _beta(
    generator: np.random.Generator, mean: Scores, concentration: float, samples: int
) -> Scores:
    wide = np.repeat(np.clip(mean, 0.01, 0.99)[..., None], samples, axis=-1)
    return generator.beta(wide * concentration, (1 - wide) * concentration)


def _even(generator: np.random.Generator, shape: Shape, effect: float) -> tuple[Scores, Scores]:
    brief = generator.normal(0.6, 0.08, shape[:-1])
    moved = brief + generator.normal(effect, 0.06, shape[:-1])
    noise = generator.normal(0, 0.08, (2, *shape))
    return np.clip(brief[..., None] + noise[0], 0, 1), np.clip(moved[..., None] + noise[1], 0, 1)


def _bounded(generator: np.random.Generator, shape: Shape, effect: float) -> tuple[Scores, Scores]:
    brief = generator.beta(8, 2, shape[:-1])
    moved = brief + effect + generator.normal(0, 0.05, shape[:-1])
    return _beta(generator, brief, 15, shape[-1]), _beta(generator, moved, 15, shape[-1])


def _skewed(generator: np.random.Generator, shape: Shape, effect: float) -> tuple[Scores, Scores]:
    brief = generator.beta(6, 5, shape[:-1])
    gain = generator.exponential(0.06, shape[:-1]) - 0.06 + effect
    return _beta(generator, brief, 60, shape[-1]), _beta(generator, brief + gain, 60, shape[-1])


def _ties(generator: np.random.Generator, shape: Shape, effect: float) -> tuple[Scores, Scores]:
    brief = np.round(generator.beta(8, 3, shape[:-1]) * 14 + 3) / 20
    step = generator.choice([-0.1, -0.05, 0.05, 0.1], shape[:-1]) + np.where(
        generator.random(shape[:-1]) < 0.5, effect * 2.5, 0
    )
    moved = brief + np.where(generator.random(shape[:-1]) < 0.6, 0.0, np.round(step * 20) / 20)
    return _sampled(brief, shape), _sampled(moved, shape)


def _one_in_eight(
    generator: np.random.Generator, shape: Shape, effect: float
) -> tuple[Scores, Scores]:
    brief = generator.normal(0.55, 0.06, shape[:-1])
    gain = np.where(generator.random(shape[:-1]) < 1 / 8, 0.3, (effect - 0.3 / 8) * 8 / 7)
    return _sampled(brief, shape), _sampled(np.round(brief + gain, 6), shape)


def _lognormal(
    generator: np.random.Generator, shape: Shape, effect: float
) -> tuple[Scores, Scores]:
    brief = generator.normal(0.5, 0.05, shape[:-1])
    gain = generator.lognormal(-3.5, 0.8, shape[:-1]) - np.exp(-3.5 + 0.32) + effect
    return _sampled(brief, shape), _sampled(brief + gain, shape)


def _zeros(generator: np.random.Generator, shape: Shape, effect: float) -> tuple[Scores, Scores]:
    brief = generator.beta(5, 5, shape[:-1]) * 0.8
    gain = generator.exponential(0.07, shape[:-1]) - 0.07 + effect / 0.7
    still = generator.random(shape[:-1]) < 0.3
    return _sampled(brief, shape), _sampled(brief + np.where(still, 0.0, gain), shape)


def _sampled(brief: Scores, shape: Shape) -> Scores:
    return np.repeat(np.clip(brief, 0, 1)[..., None], shape[-1], axis=-1)


def _usable(generator: np.random.Generator, shape: Shape, gain: float) -> tuple[Scores, Scores]:
    brief = generator.normal(0.75, 0.08, shape[:-1])[..., None]
    noise = generator.normal(0, 0.06, (2, *shape))
    return np.clip(brief + noise[0], 0, 1), np.clip(brief + gain + noise[1], 0, 1)


def _failing(base_rate: float, head_rate: float) -> Draw:
    """Answers fail on their own; the head's quality makes up for its failures, so that it is better by `effect` in the mean."""

    def draw(generator: np.random.Generator, shape: Shape, effect: float) -> tuple[Scores, Scores]:
        gain = (effect + 0.75 * (head_rate - base_rate)) / (1 - head_rate)
        base, head = _usable(generator, shape, gain)
        fails = generator.random((2, *shape))
        return np.where(fails[0] < base_rate, np.nan, base), np.where(
            fails[1] < head_rate, np.nan, head
        )

    return draw


def _hard_briefs(
    generator: np.random.Generator, shape: Shape, effect: float
) -> tuple[Scores, Scores]:
    base, head = _usable(generator, shape, effect)
    hard = generator.random(shape[:-1])[..., None] < 0.12
    fails = generator.random((2, *shape)) < 0.5
    return np.where(hard & fails[0], np.nan, base - 0.1 * hard), np.where(
        hard & fails[1], np.nan, head - 0.1 * hard
    )


def _missing(generator: np.random.Generator, shape: Shape, effect: float) -> tuple[Scores, Scores]:
    base, head = _bounded(generator, shape, effect)
    gaps = generator.random((2, *shape)) < 0.15
    return np.where(gaps[0], UNANSWERED, base), np.where(gaps[1], UNANSWERED, head)


def _lost_half(
    generator: np.random.Generator, shape: Shape, effect: float
) -> tuple[Scores, Scores]:
    base, head = _even(generator, shape, effect)
    base[:, 0], head[:, 0] = np.maximum(base[:, 0] - 0.3, 0), np.maximum(head[:, 0] - 0.3, 0)
    lost = generator.random(shape[:-1]) < 0.5
    lost[:, 1:] = False
    return base, np.where(lost[..., None], UNANSWERED, head)


def _rare(generator: np.random.Generator, shape: Shape, effect: float) -> tuple[Scores, Scores]:
    base, head = _usable(generator, shape, 0.0)
    rate = generator.beta(0.4, 4, shape[:-1])[..., None]
    fails = generator.random((2, *shape))
    return np.where(fails[0] < rate, np.nan, base), np.where(
        fails[1] < rate * max(0.0, 1 - 15 * effect), np.nan, head
    )


def _shared(generator: np.random.Generator, shape: Shape, effect: float) -> tuple[Scores, Scores]:
    base, head = _usable(generator, shape, (effect + 0.75 * 0.06) / 0.94)
    hard = generator.random((shape[0], 1, shape[2], 1)) < 0.06
    return base, np.where(hard, np.nan, head)


POPULATIONS = (
    Population("even", "briefs and samples spread evenly around their means", _even),
    Population("bounded", "scores crowd below 1 (beta, skewed)", _bounded),
    Population("skewed", "most briefs gain little, a few a lot (exponential)", _skewed),
    Population(
        "ties", "scores on a grid of 0.05, six briefs in ten do not move, samples agree", _ties
    ),
    Population(
        "one in eight",
        "one brief in eight gains 0.3, the others lose a little, all the same",
        _one_in_eight,
    ),
    Population("lognormal", "lognormal differences", _lognormal),
    Population("30 % zeros", "three briefs in ten do not move, the others are skewed", _zeros),
    Population("missing", "as bounded, and no answer in 15 % of the cells", _missing),
    Population(
        "lost half", "half of the head's answers of the weakest model are missing", _lost_half
    ),
    Population(
        "head fails 2 %",
        "the base never fails; the head's quality makes up for its failures",
        _failing(0, 0.02),
    ),
    Population("head fails 6 %", "the same", _failing(0, 0.06)),
    Population("head fails 10 %", "the same", _failing(0, 0.10)),
    Population("3 % and 10 % fail", "the same", _failing(0.03, 0.10)),
    Population("both fail 6 %", "answers fail on their own", _failing(0.06, 0.06)),
    Population("both fail 12 %", "answers fail on their own", _failing(0.12, 0.12)),
    Population("both fail 30 %", "answers fail on their own", _failing(0.30, 0.30)),
    Population(
        "hard briefs",
        "on 12 % of the briefs half of the answers fail and the rest score less",
        _hard_briefs,
    ),
    Population("rare failures", "failures in few briefs, most of them fixed by the head", _rare),
)
HARD = (
    Population(
        "shared failures", "on 6 % of the briefs the head's answers of all models fail", _shared
    ),
)
"""What no method that goes by the sample alone can cover with several models: reported, and left out of the targets."""


def expected(scores: Scores) -> Scores:
    """Per brief the mean over the samples with an answer, 0 for one without a usable graph; nan where no sample has an answer."""
    answered = scores != UNANSWERED
    counted = np.where(answered, np.nan_to_num(scores), 0.0).sum(axis=-1)
    number = answered.sum(axis=-1)
    means: Scores = np.divide(counted, number, out=np.full(counted.shape, np.nan), where=number > 0)
    return means


def differences(base: Scores, head: Scores) -> Scores:
    """Per brief, head less base of the first model's expected scores; nan where one side has no answer."""
    return (expected(head) - expected(base))[:, 0]


def truth(population: Population, effect: float, models: int = 1) -> tuple[float, float]:
    """The mean difference and the head's mean over the whole population, from a million briefs (error about 0.0002)."""
    generator = np.random.default_rng(20_260_101)
    base, head = (
        expected(side)[0]
        for side in population.draw(generator, (1, models, 1_000_000 // models, 1), effect)
    )
    pairs = np.nanmean(head, axis=1) - np.nanmean(base, axis=1)
    return float(np.mean(pairs)), float(np.nanmean(head[0]))
