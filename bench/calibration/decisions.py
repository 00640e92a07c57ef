"""Which model is named for a mode, and how often wrongly, over models of known expected score."""

from dataclasses import dataclass

import numpy as np

from bench.calibration.measure import MIN_DIFFERENCE
from bench.calibration.populations import Mask, Scores
from graph_evaluator.analysis.paired_test import difference_ends

ALPHA = 0.05


@dataclass(frozen=True, slots=True)
class Models:
    """Models by mean quality and failure rate; each costs more than the next."""

    about: str
    quality: tuple[float, ...]
    failing: tuple[float, ...]


MODELS = (
    Models("three, 0.05 apart", (0.80, 0.75, 0.70), (0, 0, 0)),
    Models("three, 0.10 apart", (0.85, 0.75, 0.65), (0, 0, 0)),
    Models("three, 0.05 apart, all fail 6 %", (0.80, 0.75, 0.70), (0.06, 0.06, 0.06)),
    Models("two equal", (0.75, 0.75), (0, 0)),
    Models("two equal, both fail 12 %", (0.75, 0.75), (0.12, 0.12)),
    Models("two equal, one fails 6 % and makes up for it", (0.75 / 0.94, 0.75), (0.06, 0)),
    Models("two equal, one fails 12 % and makes up for it", (0.75 / 0.88, 0.75), (0.12, 0)),
    Models("four equal, all fail 6 %", (0.75,) * 4, (0.06,) * 4),
    Models("one 0.16 ahead of two, all fail 6 %", (0.86, 0.69, 0.69), (0.06, 0.06, 0.06)),
)


@dataclass(frozen=True, slots=True)
class Decided:
    """Shares of the repetitions; false: not the best alone, or worse by more than what matters."""

    leads: float
    not_worse: float
    undecided: float
    false_leads: float
    false_not_worse: float


def decide_models(models: Models, briefs: int, repetitions: int) -> Decided:
    """Draw the models' answers on so many briefs, a sample each, and name one."""
    scores = draw_models(models, briefs, repetitions)
    leads = all_above(scores, 0.0)
    led = leads.any(1, keepdims=True)
    not_worse = cheapest(~led & all_above(scores, -MIN_DIFFERENCE))
    decided = led | not_worse.any(1, keepdims=True)
    truth = np.array(models.quality) * (1 - np.array(models.failing))
    behind = truth < truth.max() - MIN_DIFFERENCE
    return Decided(
        leads=float(leads.any(1).mean()),
        not_worse=float(not_worse.any(1).mean()),
        undecided=float(1 - decided.mean()),
        false_leads=float(leads[:, ~best_alone(truth)].any(1).mean()),
        false_not_worse=float(not_worse[:, behind].any(1).mean()),
    )


def draw_models(models: Models, briefs: int, repetitions: int) -> Scores:
    """The scores (repetitions, models, briefs); nan is a failure."""
    generator = np.random.default_rng([briefs, *models.about.encode()])
    shape = (repetitions, len(models.quality), briefs)
    brief = generator.normal(0, 0.08, (repetitions, 1, briefs))
    scores = np.array(models.quality)[:, None] + brief + generator.normal(0, 0.06, shape)
    fails = generator.random(shape) < np.array(models.failing)[:, None]
    drawn: Scores = np.where(fails, np.nan, np.clip(scores, 0, 1))
    return drawn


def all_above(scores: Scores, limit: float) -> Mask:
    """Which models' leads over all others are above the limit, by Holm's procedure."""
    rivals = scores.shape[1] - 1
    levels = [1 - ALPHA / count for count in range(1, rivals + 1)]
    settled = np.array([lead_bounds(scores, level) > limit for level in levels])
    open_leads = np.ones(settled.shape[1:], dtype=bool)
    for _ in levels:
        count = np.maximum(open_leads.sum(2) - 1, 1)  # without the model itself, always settled
        at_level = np.take_along_axis(settled, (count - 1)[None, :, :, None], axis=0)[0]
        open_leads &= ~at_level | np.eye(rivals + 1, dtype=bool)
    above: Mask = open_leads.sum(2) == 1
    return above


def lead_bounds(scores: Scores, level: float) -> Scores:
    """Lower ends of each model's lead over each; infinite over itself."""
    expected = np.nan_to_num(scores)
    repetitions, count, _ = scores.shape
    bounds = np.full((repetitions, count, count), np.inf)
    for model in range(count):
        for rival in range(count):
            if model != rival:
                differences = expected[:, model] - expected[:, rival]
                bounds[:, model, rival] = difference_ends(differences, level)[0]
    return bounds


def cheapest(named: Mask) -> Mask:
    """Of the models that may be named, the last, which costs least."""
    later = np.cumsum(named[:, ::-1], axis=1)[:, ::-1]
    last: Mask = named & (later == 1)
    return last


def best_alone(values: Scores) -> Mask:
    """Which model is better than every other: one or none."""
    best: Mask = values > np.max(values) - 1e-9
    return best if best.sum() == 1 else np.zeros_like(best)
