"""The looks of a settlement: what they are expected to show, what each shows, and how the
settlement ends. Pure.

A verdict is that of `compare`, with the intervals of the look. Looks add samples, not briefs: over
n briefs a mean difference has the variance `(brief_sd^2 + 2 answer_sd^2 / (models samples)) / n`,
of which samples reduce the second part.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

import numpy as np
from scipy.special import ndtr, ndtri

from stages.compare.effect import judge_pairs, paired_difference
from stages.compare.pairing import Pair, Pairing
from stages.contracts.decision import Measurement
from stages.contracts.settlement import (
    ReliabilityCheck,
    SettleDesign,
    Settlement,
    SettlementEnding,
    TakenLook,
)
from stages.shell import numbers
from stages.statistics.claim import answers_to_exclude, undoing_share
from stages.statistics.error_rate import look_confidences
from stages.statistics.estimates import IntervalEstimate
from stages.statistics.interval import mean_interval, share_interval, unseen_interval

ASSUMED_BRIEF_SD, ASSUMED_ANSWER_SD, ASSUMED_SCORE = 0.03, 0.1, 0.75
LEAST_SD = 0.01
"""What a standard deviation is taken to be at least: a few equal answers do not show that all
are.
"""
LEAST_REPEATED = 8
"""The repeated answers that replace an assumption."""
LEAST_CHANCE = 0.02
"""Below this chance of a verdict at the last look the briefs alone keep the question open."""


@dataclass(frozen=True, slots=True)
class Parts:
    """A number for the expected score, 0 without a usable graph, and one for usable graphs."""

    expected: float
    quality: float


def answer_sds(pairs: Sequence[Pair]) -> Parts | None:
    """The standard deviations of the answers to one cell; None with too few repeated answers."""
    cells = [end.scores for pair in pairs for end in pair.ends]
    expected = _pooled_sd([[score or 0.0 for score in scores] for scores in cells])
    usable = [[score for score in scores if score is not None] for scores in cells]
    if expected is None:
        return None
    return Parts(expected, _pooled_sd(usable) or ASSUMED_ANSWER_SD)


def _pooled_sd(cells: Sequence[Sequence[float]]) -> float | None:
    repeated = [cell for cell in cells if len(cell) > 1]
    freedom = sum(len(cell) - 1 for cell in repeated)
    if freedom < LEAST_REPEATED:
        return None
    squares = sum(len(cell) * float(np.var(cell)) for cell in repeated)
    return max(LEAST_SD, math.sqrt(squares / freedom))


def expected_half_widths(design: SettleDesign, sds: Parts | None) -> list[Parts]:
    """For each look how far its intervals are expected to reach to either side of the difference.

    The differences are taken to be normally distributed over briefs.
    """
    sds = sds or Parts(ASSUMED_ANSWER_SD, ASSUMED_ANSWER_SD)
    widths = []
    for look, level in zip(design.looks, _confidences(design), strict=True):
        expected, quality = (
            _typical_differences(design, sd, look.samples) for sd in (sds.expected, sds.quality)
        )
        of_expected = unseen_interval(expected, ASSUMED_SCORE, level)
        of_quality = mean_interval(quality, level, bounds=(-1.0, 1.0))
        widths.append(Parts(of_expected.high, of_quality.high if of_quality else 1.0))
    return widths


def _confidences(design: SettleDesign) -> tuple[float, ...]:
    """The confidence of the intervals at each look."""
    return look_confidences([look.samples for look in design.looks], design.confidence)


def _typical_differences(design: SettleDesign, answer_sd: float, samples: int) -> list[float]:
    """A difference for each brief, around 0, at the quantiles of a normal distribution."""
    quantiles = ndtri((np.arange(design.briefs) + 0.5) / design.briefs)
    sd = math.sqrt(ASSUMED_BRIEF_SD**2 + 2 * answer_sd**2 / (design.models * samples))
    differences: list[float] = (quantiles * sd / np.std(quantiles, ddof=1)).tolist()
    return differences


def chance_left(design: SettleDesign, samples: int, pairs: Sequence[Pair]) -> float | None:
    """The chance that the last look has a verdict, given the answers at an earlier one.

    The greater of the chances of the expected score and of quality; None with too few repeated
    answers. With the same briefs a difference moves only by what further samples add: normally,
    with the variance that they remove. What the briefs contribute remains.
    """
    sds = answer_sds(pairs)
    if sds is None:
        return None
    difference = paired_difference(pairs, _confidences(design)[-1])
    per_sample = 2 * (1 / samples - 1 / design.looks[-1].samples) / len(pairs)
    clear, within = _chances(difference, per_sample * sds.expected**2, design.margin)
    clear_quality, _ = _chances(difference.quality, per_sample * sds.quality**2, design.margin)
    return max(clear + within, clear_quality)


def _chances(estimate: IntervalEstimate, removed: float, margin: float) -> tuple[float, float]:
    """The chances that the interval will exclude 0, and that it will lie within the margin, once
    samples have removed this part of the variance.
    """
    value, low, high = estimate.value, estimate.low, estimate.high
    if value is None or low is None or high is None:
        return 0.0, 0.0
    moves = math.sqrt(removed)
    remaining = ((high - low) / 2) ** 2 - 4 * removed
    half = math.sqrt(max(removed, remaining))
    outer, inner = max(half, margin), max(0.0, margin - half)
    clear = ndtr((-outer - value) / moves) + ndtr((value - outer) / moves)
    within = ndtr((inner - value) / moves) - ndtr((-inner - value) / moves)
    return float(clear), float(within)


def take_look(design: SettleDesign, index: int, pairing: Pairing, cells: int) -> TakenLook:
    """Judge the answers of a look, counted from 0, to so many `cells` of both sides."""
    samples, confidence = design.looks[index].samples, _confidences(design)[index]
    difference = paired_difference(pairing.pairs, confidence)
    asked = len({brief for _, brief in pairing.asked})
    judgement = judge_pairs(
        pairing.pairs,
        difference,
        asked,
        min_difference=design.margin,
        confidence=design.confidence,
    )
    chance = None
    if judgement.verdict == "cannot tell" and index + 1 < len(design.looks):
        chance = chance_left(design, samples, pairing.pairs)
    quality, share = difference.quality, None
    if judgement.verdict == "better where usable":
        # how often the base fails is an estimate, and any failures of it would make the share
        # larger and the answers to exclude it fewer
        share = undoing_share(quality.value or 0.0, difference.base_quality or 0.0, 0.0)
    return TakenLook(
        samples=samples,
        cells=cells,
        answers=cells - pairing.base_unanswered - pairing.head_unanswered,
        confidence=confidence,
        value=difference.value,
        low=difference.low,
        high=difference.high,
        briefs=difference.n,
        quality=Measurement.model_validate(quality, from_attributes=True),
        base_failures=difference.base_failures,
        head_failures=difference.head_failures,
        undoing_share=share,
        answers_to_exclude=answers_to_exclude(share, design.confidence) if share else None,
        verdict=judgement.verdict,
        reason=judgement.reason,
        chance_left=chance,
    )


def ending_of(design: SettleDesign, look: TakenLook) -> SettlementEnding | None:
    """How a look ends the settlement; None when the next look is to be taken."""
    if look.verdict == "could not measure":
        return "failures"
    if look.verdict != "cannot tell":
        return "verdict"
    if look.samples == design.looks[-1].samples:
        return "looks"
    if look.chance_left is not None and look.chance_left < LEAST_CHANCE:
        return "briefs"
    return None


def recorded_look(settlement: Settlement, ending: SettlementEnding | None) -> TakenLook | None:
    """The last look of which all calls were made; None when there is none."""
    looks = settlement.looks[:-1] if ending in ("budget", "failures") else settlement.looks
    return looks[-1] if looks else None


def end_settlement(
    settlement: Settlement, ending: SettlementEnding, failure: str | None, commands: tuple[str, ...]
) -> Settlement:
    """The settlement after its last look; `failure` says why answers are missing, with the endings
    "budget" and "failures".
    """
    look, number = settlement.looks[-1], len(settlement.looks)
    verdict, reason = look.verdict, look.reason
    if failure is not None:
        verdict = "cannot tell" if number > 1 else "could not measure"
        answers = f"look {number} with {look.answers:,} of {look.cells:,} answers ({failure})"
        reason = f"failures ended {answers}; the same command continues"
        if ending == "budget":
            reason = f"the cap on the cost ended {answers}"
    elif ending == "briefs":
        chance = numbers.share(look.chance_left)
        reason += (
            "; it cannot be settled with these briefs: the samples that remain, up to "
            f"{settlement.design.looks[-1].samples}, would give a verdict with a chance of {chance}"
        )
    elif ending == "looks":
        reason += ", and this was the last look"
    update = {"verdict": verdict, "reason": reason, "ended": ending, "commands": commands}
    return settlement.model_copy(update=update)


def plan_reliability(settlement: Settlement, present: Mapping[str, str]) -> Settlement:
    """The settlement with the new briefs that are to be counted, of those `present` with the
    SHA-256 of their files.

    A check planned before keeps its number and its briefs; only missing ones are added.
    """
    look, check = settlement.looks[-1], settlement.reliability
    if check is None:
        check = ReliabilityCheck(
            planned=look.answers_to_exclude or 0,
            answered=0,
            failed=(),
            low=0.0,
            high=1.0,
            undoing_share=look.undoing_share or 0.0,
        )
    candidates = {**check.briefs, **present}
    briefs = dict(islice(candidates.items(), check.planned))
    check = check.model_copy(update={"briefs": briefs})
    return settlement.model_copy(update={"reliability": check})


def count_reliability(
    check: ReliabilityCheck, usable: Mapping[str, bool], confidence: float
) -> ReliabilityCheck:
    """The check with the new briefs that were answered, each usable in every model or not."""
    failed = tuple(brief for brief, is_usable in usable.items() if not is_usable)
    answered = len(usable)
    share = len(failed) / answered if answered else 0.0
    interval = share_interval(share, answered, confidence)
    counts = {"answered": answered, "failed": failed, "low": interval.low, "high": interval.high}
    return check.model_copy(update=counts)


def end_reliability(
    settlement: Settlement, check: ReliabilityCheck, failure: str | None
) -> Settlement:
    """The settlement with the outcome of its check.

    *Better* where all planned answers are usable; else the verdict stays, and its reason has the
    interval of the failures. `failure` says why answers are missing.
    """
    answered, undoing = check.answered, check.undoing_share
    asked = (
        f"{numbers.share_of(answered - len(check.failed), answered)} of the answers to new briefs"
    )
    limit = f"more than {100 * undoing:.1f}% of the answers would have to fail to undo the gain"
    failures = numbers.share_interval(check.low, check.high)
    verdict = "better where usable"
    reason = f"{asked} are usable, so that {failures} of them fail; {limit}"
    if answered == check.planned and not check.failed:
        verdict, reason = "better", f"usable graphs score higher, and {asked} are usable: {limit}"
    elif answered < check.planned:
        reason += f"; {check.planned} usable answers would exclude that"
    if failure:
        reason += f" (not all were called: {failure})"
    update = {"reliability": check, "verdict": verdict, "reason": reason}
    return settlement.model_copy(update=update)
