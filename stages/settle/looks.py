"""The looks of a settlement: what they are expected to show, what each shows, and how the
settlement ends. Pure.

A verdict is that of `compare`, with the intervals of the look. Looks add samples, not briefs: over
n briefs a mean difference has the variance `(brief_sd^2 + 2 answer_sd^2 / (models samples)) / n`,
of which samples reduce the second part.
"""

import math
from collections.abc import Sequence

import numpy as np
from scipy.special import ndtr, ndtri

from stages.compare.pairing import Pair, Pairing
from stages.compare.verdict import brief_differences, judge
from stages.contracts.settlement import (
    SettleDesign,
    Settlement,
    SettlementEnding,
    TakenLook,
)
from stages.shell import numbers
from stages.statistics.error_rate import look_confidences
from stages.statistics.estimates import IntervalEstimate
from stages.statistics.paired_test import paired_test

ASSUMED_BRIEF_SD, ASSUMED_ANSWER_SD = 0.03, 0.1
LEAST_SD = 0.01
"""What a standard deviation is taken to be at least: a few equal answers do not show that all
are.
"""
LEAST_REPEATED = 8
"""The repeated answers that replace an assumption."""
LEAST_CHANCE = 0.02
"""Below this chance of a verdict at the last look the briefs alone keep the question open."""


def answer_sd(pairs: Sequence[Pair]) -> float | None:
    """The standard deviation of the expected scores of answers to one cell; None with too few
    repeated answers.
    """
    cells = [end.scores for pair in pairs for end in pair.ends]
    return _pooled_sd([[score or 0.0 for score in scores] for scores in cells])


def _pooled_sd(cells: Sequence[Sequence[float]]) -> float | None:
    repeated = [cell for cell in cells if len(cell) > 1]
    freedom = sum(len(cell) - 1 for cell in repeated)
    if freedom < LEAST_REPEATED:
        return None
    squares = sum(len(cell) * float(np.var(cell)) for cell in repeated)
    return max(LEAST_SD, math.sqrt(squares / freedom))


def expected_half_widths(design: SettleDesign, sd: float | None) -> list[float]:
    """For each look how far its interval is expected to reach to either side of the difference,
    with this standard deviation of answers.

    The differences are taken to be normally distributed over briefs.
    """
    widths = []
    for look, level in zip(design.looks, _confidences(design), strict=True):
        differences = _typical_differences(design, sd or ASSUMED_ANSWER_SD, look.samples)
        widths.append(paired_test(differences, design.margin, level).high or 1.0)
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

    None with too few repeated answers. With the same briefs a difference moves only by what further
    samples add: normally, with the variance that they remove. What the briefs contribute remains.
    """
    sd = answer_sd(pairs)
    if sd is None:
        return None
    test = paired_test(brief_differences(pairs), design.margin, _confidences(design)[-1])
    per_sample = 2 * (1 / samples - 1 / design.looks[-1].samples) / len(pairs)
    return _chance(test, per_sample * sd**2, design.margin)


def _chance(estimate: IntervalEstimate, removed: float, margin: float) -> float:
    """The chance that the interval will exclude 0 or lie within the margin, once samples have
    removed this part of the variance.
    """
    value, low, high = estimate.value, estimate.low, estimate.high
    if value is None or low is None or high is None:
        return 0.0
    moves = math.sqrt(removed)
    remaining = ((high - low) / 2) ** 2 - 4 * removed
    half = math.sqrt(max(removed, remaining))
    inner = max(0.0, margin - half)
    clear = ndtr((-half - value) / moves) + ndtr((value - half) / moves)
    within = ndtr((inner - value) / moves) - ndtr((-inner - value) / moves)
    return float(min(1.0, clear + within))


def take_look(design: SettleDesign, index: int, pairing: Pairing, cells: int) -> TakenLook:
    """Judge the answers of a look, counted from 0, to so many `cells` of both sides."""
    samples, confidence = design.looks[index].samples, _confidences(design)[index]
    asked = len({brief for _, brief in pairing.asked})
    test = paired_test(brief_differences(pairing.pairs), design.margin, confidence)
    judgement = judge(pairing.pairs, test, asked, design.margin)
    chance = None
    if judgement.verdict == "cannot tell" and index + 1 < len(design.looks):
        chance = chance_left(design, samples, pairing.pairs)
    return TakenLook(
        samples=samples,
        cells=cells,
        answers=cells - pairing.base_unanswered - pairing.head_unanswered,
        confidence=confidence,
        value=test.value,
        low=test.low,
        high=test.high,
        briefs=test.n,
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
