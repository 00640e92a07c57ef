"""What a look of a settlement shows, and how it ends: the verdict of `compare`, with the intervals
of the look. Pure.
"""

from collections.abc import Mapping
from itertools import islice

from stages.compare.effect import judge_pairs, paired_difference
from stages.compare.pairing import Pairing
from stages.contracts.decision import Measurement
from stages.contracts.settlement import (
    ReliabilityCheck,
    SettleDesign,
    Settlement,
    SettlementEnding,
    TakenLook,
)
from stages.settle.plan import chance_left
from stages.shell import numbers
from stages.statistics.claim import answers_to_exclude, undoing_share
from stages.statistics.error_rate import look_confidences
from stages.statistics.estimates import Difference
from stages.statistics.interval import share_interval

LEAST_CHANCE = 0.02
"""Below this chance of a verdict at the last look the briefs alone keep the question open."""


def take_look(design: SettleDesign, index: int, pairing: Pairing, cells: int) -> TakenLook:
    """Judge the answers of a look, counted from 0, to so many `cells` of both sides."""
    samples = [look.samples for look in design.looks]
    confidence = look_confidences(samples, design.confidence)[index]
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
    if judgement.verdict == "cannot tell" and index + 1 < len(samples):
        chance = chance_left(design, samples[index], pairing.pairs)
    share = _undoing_share(difference) if judgement.verdict == "better where usable" else None
    quality = difference.quality
    return TakenLook(
        samples=samples[index],
        cells=cells,
        answers=cells - pairing.base_unanswered - pairing.head_unanswered,
        confidence=confidence,
        value=difference.value,
        low=difference.low,
        high=difference.high,
        briefs=difference.briefs,
        quality=Measurement(value=quality.value, low=quality.low, high=quality.high, n=quality.n),
        base_failures=difference.base_failures,
        head_failures=difference.head_failures,
        undoing_share=share,
        answers_to_exclude=answers_to_exclude(share, design.confidence) if share else None,
        verdict=judgement.verdict,
        reason=judgement.reason,
        chance_left=chance,
    )


def _undoing_share(difference: Difference) -> float:
    """With a base that never fails: how often it does is an estimate, and any failures of it would
    make the share larger and the answers to exclude it fewer.
    """
    gain, base_quality = difference.quality.value or 0.0, difference.base_quality or 0.0
    return undoing_share(gain, base_quality, base_failures=0.0)


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


def finish(
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


def finish_reliability(
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
    base_failures = settlement.looks[-1].base_failures or 0.0
    if check.low > 1 - (1 - base_failures) * (1 - undoing):
        reason += ". Even the fewest failures of that interval undo the gain"
        if base_failures:
            reason += f", against the {numbers.share(base_failures)} of the base"
    if failure:
        reason += f" (not all were called: {failure})"
    update = {"reliability": check, "verdict": verdict, "reason": reason}
    return settlement.model_copy(update=update)
