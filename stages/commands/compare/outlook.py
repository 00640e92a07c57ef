"""What would change a verdict: further briefs, more samples, their price; or failures."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

from scipy.special import ndtri

from stages.commands.compare.changes import brief_differences
from stages.commands.compare.pairing import Pair, PairEnd, by_model
from stages.commands.compare.verdict import Judgement
from stages.shared.analysis.interval import briefs_for
from stages.shared.analysis.paired_test import paired_test
from stages.shared.records.params import CompareParams

POWER = 0.8
"""How often the study that an outlook proposes would find a difference of the size looked for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outlook:
    """What would find a difference of `target` four times in five: `briefs` in total, or `samples`
    per cell, and what they cost beyond those at hand, US dollars.

    None: none would, or, of dollars, not known. Without two samples in a cell the effect of more is
    unknown (not `sampling_known`).
    """

    target: float
    briefs: int | None
    briefs_usd: float | None
    samples: int | None
    samples_usd: float | None
    sampling_known: bool


def outlook_of(
    pairs: Sequence[Pair], judgement: Judgement, params: CompareParams, confidence: float
) -> Outlook | None:
    """What would settle an open question; None where nothing is open.

    An interval whose half width is at most `target z(1 - alpha/2) / (z(1 - alpha/2) + z(power))`
    finds the target, which is the difference at hand or the least that matters. More samples reduce
    only the sampling part of the variance.
    """
    test = judgement.difference
    if judgement.verdict != "cannot tell" or test.ends is None:
        return None
    target = max(abs(test.value or 0.0), params.min_difference)
    if target <= 0:
        return None
    quantile = float(ndtri(0.5 + confidence / 2))
    half_width = target * quantile / (quantile + float(ndtri(POWER)))
    usd = _usd(pairs)
    briefs = briefs_for(test, half_width)
    briefs = None if briefs is None else max(test.n + 1, briefs)
    samples_now = fmean(len(end.scores) for end in _ends(pairs))
    noise = _sampling_variance(pairs)
    samples = None
    if noise is not None:
        variance = ((test.ends[1] - test.ends[0]) / 2 / quantile) ** 2
        times = _more_times(variance, min(noise, variance), (half_width / quantile) ** 2)
        if times is not None:
            samples = max(math.floor(samples_now) + 1, math.ceil(samples_now * times))
    return Outlook(
        target=target,
        briefs=briefs,
        briefs_usd=_scaled(usd, None if briefs is None else briefs / test.n),
        samples=samples,
        samples_usd=_scaled(usd, None if samples is None else samples / samples_now),
        sampling_known=noise is not None,
    )


def _more_times(variance: float, sampling: float, allowed: float) -> float | None:
    """How many times as many samples leave the allowed variance; None where none do."""
    between = variance - sampling
    return sampling / (allowed - between) if between < allowed else None


def _ends(pairs: Sequence[Pair]) -> list[PairEnd]:
    return [end for pair in pairs for end in (pair.baseline, pair.candidate)]


def _usd(pairs: Sequence[Pair]) -> float | None:
    """What the answers of both sides cost, US dollars; None where not all of it is known."""
    costs = [end.summary.cost for end in _ends(pairs)]
    known = [cost.usd for cost in costs if cost.usd is not None and not cost.unknown]
    return math.fsum(known) if len(known) == len(costs) else None


def _scaled(usd: float | None, times: float | None) -> float | None:
    """The cost of what is added where there is so many times as much."""
    return None if usd is None or times is None else usd * (times - 1)


def _sampling_variance(pairs: Sequence[Pair]) -> float | None:
    """The part of the difference's variance that more samples would reduce.

    None where a model has no cell with two samples, and for a policy.
    """
    total = 0.0
    models = by_model(pairs)
    for group in models.values():
        cells = _ends(group)
        freedom = sum(len(cell.scores) - 1 for cell in cells)
        if not freedom or not all(cell.scores for cell in cells):
            return None
        squares = math.fsum((score - cell.expected) ** 2 for cell in cells for score in cell.scores)
        of_means = math.fsum(1 / len(cell.scores) for cell in cells)
        total += squares / freedom * of_means / (len(group) * len(models)) ** 2
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
    lost = fmean((pair.baseline if is_better else pair.candidate).expected for pair in pairs)
    move = -lost if is_better else lost
    differences = list(brief_differences(pairs).values())
    for further in range(1, len(differences) + 1):
        with_failures = [*differences, *[move] * further]
        again = paired_test(with_failures, params.min_difference, confidence)
        if again.verdict != judgement.verdict:
            return further
    return None
