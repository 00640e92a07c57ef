"""What would settle an open question: further briefs, more samples, and their price."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from scipy.special import ndtri

from stages.commands.compare.verdict import ModelComparison
from stages.shared.analysis.interval import briefs_for

POWER = 0.8
"""How often the study that an outlook proposes would find a difference of the size looked for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outlook:
    """What would find a difference of `target` in a number four times in five: `briefs` in total,
    or `samples` per cell, and what they cost beyond those at hand, US dollars.

    None: none would, or, of dollars, not known. The effect of more samples is known of the score
    alone, where every model has cells with two (`sampling_known`).
    """

    number: Literal["score", "content"]
    target: float
    briefs: int | None
    briefs_usd: float | None
    samples: int | None
    samples_usd: float | None
    sampling_known: bool


def outlook_of(overall: ModelComparison, models: Sequence[ModelComparison]) -> Outlook | None:
    """What would settle an open question; None where nothing is open.

    An interval whose half width is at most `target z(1 - alpha/2) / (z(1 - alpha/2) + z(power))`
    finds the target, which is the difference at hand or the least that matters. More samples reduce
    only the sampling part of the variance.
    """
    test = overall.judgement.open_test
    if test is None or test.difference.ends is None:
        return None
    difference, (low, high) = test.difference, test.difference.ends
    target = max(abs(difference.value or 0.0), test.min_difference)
    if target <= 0:
        return None
    is_score = test is overall.judgement.score
    quantile = float(ndtri(0.5 + test.confidence / 2))
    half_width = target * quantile / (quantile + float(ndtri(POWER)))
    briefs = briefs_for(difference, half_width)
    briefs = None if briefs is None else max(difference.n + 1, briefs)
    sampling = _sampling_variance(models) if is_score else None
    answers = overall.baseline.answered + overall.candidate.answered
    samples_now = answers / (2 * difference.n * len(models))
    samples = None
    if sampling is not None:
        variance = ((high - low) / 2 / quantile) ** 2
        between = max(0.0, variance - sampling)
        allowed = (half_width / quantile) ** 2
        if between < allowed:
            times = (variance - between) / (allowed - between)
            samples = max(math.floor(samples_now) + 1, math.ceil(samples_now * times))
    usd = _usd(overall)
    return Outlook(
        number="score" if is_score else "content",
        target=target,
        briefs=briefs,
        briefs_usd=_added(usd, briefs, difference.n),
        samples=samples,
        samples_usd=_added(usd, samples, samples_now),
        sampling_known=sampling is not None,
    )


def _usd(overall: ModelComparison) -> float | None:
    """What the answers of both sides cost, US dollars; None where not all of it is known."""
    costs = (overall.baseline.cost, overall.candidate.cost)
    known = [cost.usd for cost in costs if cost.usd is not None and not cost.unknown]
    return math.fsum(known) if len(known) == len(costs) else None


def _added(usd: float | None, wanted: int | None, now: float) -> float | None:
    """What the briefs or samples beyond those at hand cost, if these cost so much."""
    return None if usd is None or wanted is None else usd * (wanted / now - 1)


def _sampling_variance(models: Sequence[ModelComparison]) -> float | None:
    """The part of the difference's variance that more samples would reduce.

    None where a model has no cell with two samples on a side, and for a policy.
    """
    total = 0.0
    for model in models:
        for side in (model.baseline, model.candidate):
            if side.spread.samples is None:
                return None
            total += side.spread.samples**2 / side.answered / len(models) ** 2
    return total
