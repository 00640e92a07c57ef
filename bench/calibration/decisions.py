"""Which model is named for a mode, and how often wrongly, over models of known quality.

Where no model leads or is not worse by the expected scores, the same rule is applied to the quality
of usable graphs, if the named model failed no more often than any rival.
"""

from dataclasses import dataclass

import numpy as np

from bench.calibration.populations import Mask, Scores
from bench.calibration.rules import expected_interval, quality_interval, summarise

ALPHA, MARGIN = 0.05, 0.03


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
    """Shares of the repetitions; false: not the best alone, or worse by more than the margin."""

    leads: float
    not_worse: float
    leads_where_usable: float
    not_worse_where_usable: float
    undecided: float
    false_leads: float
    false_not_worse: float
    false_where_usable: float


def decide_models(models: Models, briefs: int, repetitions: int) -> Decided:
    """Draw the models' answers on so many briefs, a sample each, and name one."""
    scores = draw_models(models, briefs, repetitions)
    count = len(models.quality)
    strict = 1 - 2 * ALPHA / max(4, count - 1)
    one_sided = 1 - 2 * ALPHA / (count - 1)
    expected, quality = lead_bounds(scores, strict)
    expected_gap, quality_gap = lead_bounds(scores, one_sided)
    failures = np.isnan(scores).mean(2)
    most_usable = failures <= failures.min(1, keepdims=True) + 1e-12

    leads = expected.min(2) > 0
    led = leads.any(1, keepdims=True)
    not_worse = cheapest(~led & (expected_gap.min(2) > -MARGIN))
    decided = led | not_worse.any(1, keepdims=True)
    usable_leads = ~decided & most_usable & (quality.min(2) > 0)
    decided = decided | usable_leads.any(1, keepdims=True)
    usable_not_worse = cheapest(~decided & most_usable & (quality_gap.min(2) > -MARGIN))
    decided = decided | usable_not_worse.any(1, keepdims=True)

    truth = np.array(models.quality) * (1 - np.array(models.failing))
    behind_quality = max(models.quality) - np.array(models.quality)
    return Decided(
        leads=float(leads.any(1).mean()),
        not_worse=float(not_worse.any(1).mean()),
        leads_where_usable=float(usable_leads.any(1).mean()),
        not_worse_where_usable=float(usable_not_worse.any(1).mean()),
        undecided=float(1 - decided.mean()),
        false_leads=float(leads[:, ~best_alone(truth)].any(1).mean()),
        false_not_worse=float(not_worse[:, truth < truth.max() - MARGIN].any(1).mean()),
        false_where_usable=float(
            usable_leads[:, ~best_alone(np.array(models.quality))].any(1).mean()
            + usable_not_worse[:, behind_quality > MARGIN].any(1).mean()
        ),
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


def lead_bounds(scores: Scores, level: float) -> tuple[Scores, Scores]:
    """Lower ends of each model's lead over each: expected score, quality; infinite over itself."""
    repetitions, count, _ = scores.shape
    expected = np.full((repetitions, count, count), np.inf)
    quality = expected.copy()
    for model in range(count):
        for rival in range(count):
            if model != rival:
                base, head = scores[:, [rival], :, None], scores[:, [model], :, None]
                drawn = summarise(base, head)
                expected[:, model, rival] = expected_interval(drawn, level)[0]
                quality[:, model, rival] = quality_interval(drawn.gains, level)[0]
    return expected, quality


def cheapest(named: Mask) -> Mask:
    """Of the models that may be named, the last, which costs least."""
    later = np.cumsum(named[:, ::-1], axis=1)[:, ::-1]
    last: Mask = named & (later == 1)
    return last


def best_alone(values: Scores) -> Mask:
    """Which model is better than every other: one or none."""
    best: Mask = values > np.max(values) - 1e-9
    return best if best.sum() == 1 else np.zeros_like(best)
