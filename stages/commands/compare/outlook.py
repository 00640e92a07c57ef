"""What would change a verdict: further briefs, more samples, their price; or failures."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Literal

from scipy.special import ndtri

from stages.commands.compare.pairs import (
    Pair,
    by_model,
    content_differences,
    ends_of,
    score_differences,
)
from stages.commands.compare.verdict import Judgement
from stages.shared.analysis.interval import briefs_for
from stages.shared.analysis.joint_test import joint_test
from stages.shared.records.params import CompareParams

POWER = 0.8
"""How often the study that an outlook proposes would find a difference of the size looked for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outlook:
    """What would find a difference of `target` in a number four times in five: `briefs` in total,
    or `samples` per cell, and what they cost beyond those at hand, US dollars.

    None: none would, or, of dollars, not known. Without two samples in a cell the effect of more is
    unknown (not `sampling_known`).
    """

    number: Literal["score", "content"]
    target: float
    briefs: int | None
    briefs_usd: float | None
    samples: int | None
    samples_usd: float | None
    sampling_known: bool


def outlook_of(pairs: Sequence[Pair], judgement: Judgement) -> Outlook | None:
    """What would settle an open question; None where nothing is open.

    An interval whose half width is at most `target z(1 - alpha/2) / (z(1 - alpha/2) + z(power))`
    finds the target, which is the difference at hand or the least that matters. More samples reduce
    only the sampling part of the variance.
    """
    test = judgement.open_test
    if test is None or test.difference.ends is None:
        return None
    difference, (low, high) = test.difference, test.difference.ends
    target = max(abs(difference.value or 0.0), test.min_difference)
    if target <= 0:
        return None
    is_content = test is judgement.content
    quantile = float(ndtri(0.5 + test.confidence / 2))
    half_width = target * quantile / (quantile + float(ndtri(POWER)))
    usd = _usd(pairs)
    briefs = briefs_for(difference, half_width)
    briefs = None if briefs is None else max(difference.n + 1, briefs)
    samples_now = fmean(len(end.scores) for end in ends_of(pairs))
    noise = _sampling_variance(pairs, is_content=is_content)
    samples = None
    if noise is not None:
        variance = ((high - low) / 2 / quantile) ** 2
        times = _more_times(variance, min(noise, variance), (half_width / quantile) ** 2)
        if times is not None:
            samples = max(math.floor(samples_now) + 1, math.ceil(samples_now * times))
    return Outlook(
        number="content" if is_content else "score",
        target=target,
        briefs=briefs,
        briefs_usd=_scaled(usd, None if briefs is None else briefs / difference.n),
        samples=samples,
        samples_usd=_scaled(usd, None if samples is None else samples / samples_now),
        sampling_known=noise is not None,
    )


def _more_times(variance: float, sampling: float, allowed: float) -> float | None:
    """How many times as many samples leave the allowed variance; None where none do."""
    between = variance - sampling
    return sampling / (allowed - between) if between < allowed else None


def _usd(pairs: Sequence[Pair]) -> float | None:
    """What the answers of both sides cost, US dollars; None where not all of it is known."""
    costs = [end.summary.cost for end in ends_of(pairs)]
    known = [cost.usd for cost in costs if cost.usd is not None and not cost.unknown]
    return math.fsum(known) if len(known) == len(costs) else None


def _scaled(usd: float | None, times: float | None) -> float | None:
    """The cost of what is added where there is so many times as much."""
    return None if usd is None or times is None else usd * (times - 1)


def _sampling_variance(pairs: Sequence[Pair], *, is_content: bool) -> float | None:
    """The part of the difference's variance that more samples would reduce.

    None where a model has no cell with two samples, and for a policy.
    """
    total = 0.0
    models = by_model(pairs)
    for group in models.values():
        cells = [end.contents if is_content else end.scores for end in ends_of(group)]
        known = [values for values in cells if values]
        freedom = sum(len(values) - 1 for values in known)
        if not freedom or not (is_content or len(known) == len(cells)):
            return None
        squares = math.fsum((value - fmean(values)) ** 2 for values in known for value in values)
        of_means = math.fsum(1 / len(values) for values in known)
        briefs = len(known) / 2
        total += squares / freedom * of_means / (briefs * len(models)) ** 2
    return total


def undone_by(
    pairs: Sequence[Pair], judgement: Judgement, params: CompareParams, confidence: float
) -> int | None:
    """How many further briefs on which the better side alone fails would undo a verdict of
    *better* or *worse*; None without one, and where as many again would not.
    """
    if judgement.verdict not in ("better", "worse"):
        return None
    is_better = judgement.verdict == "better"
    sign = -1 if is_better else 1
    others = [pair.baseline if is_better else pair.candidate for pair in pairs]
    scores = list(score_differences(pairs).values())
    lost_score = sign * fmean(end.expected for end in others)
    contents, lost_content = None, 0.0
    if judgement.content_left_out is None:
        contents = list(content_differences(pairs).values())
        lost_content = sign * fmean(end.content for end in others if end.content is not None)
    for further in range(1, len(scores) + 1):
        with_failures = [*scores, *[lost_score] * further]
        of_content = None if contents is None else [*contents, *[lost_content] * further]
        if joint_test(with_failures, of_content, params, confidence).verdict != judgement.verdict:
            return further
    return None
