"""Judges one look: the verdict of `compare` with the look's longer interval, or why further samples are not worth their price. Pure."""

from stages.compare.effect import paired_difference
from stages.compare.pairing import Pairing
from stages.compare.verdict import judge
from stages.contracts.settlement import Ending, SettleDesign, Settlement, TakenLook
from stages.settle.design import chance_left, lengthened, spread_of
from stages.shell import numbers

LEAST_CHANCE = 0.02
"""Below this chance of a verdict at the last look the briefs alone keep the question open, and the settlement ends."""


def take_look(design: SettleDesign, index: int, pairing: Pairing, *, cells: int, answers: int) -> TakenLook:
    """Judge the answers of a look.

    Args:
        design: The plan.
        index: Which look it is, from 0.
        pairing: The scorecards of both sides with that many samples.
        cells: Of both sides.
        answers: How many of them have one.
    """
    planned, last, pairs = design.looks[index], design.looks[-1], pairing.pairs
    found = lengthened(paired_difference(pairs, design.confidence), pairs, planned.widening or 1e9, design.confidence)
    judgement = judge(
        found,
        briefs=len({pair.brief_id for pair in pairs}),
        asked=len({brief for _, brief in pairing.asked}),
        same_answers=bool(pairs) and all(pair.same_answers for pair in pairs),
        min_difference=design.margin,
        confidence=design.confidence,
    )
    spread = spread_of(pairs, [scores for pair in pairs for scores in (pair.base_scores, pair.head_scores)])
    known = judgement.verdict == "cannot tell" and planned is not last and "answer_sd" not in spread.assumed
    return TakenLook(
        samples=planned.samples,
        cells=cells,
        answers=answers,
        value=found.value,
        low=found.low,
        high=found.high,
        briefs=found.briefs,
        verdict=judgement.verdict,
        reason=judgement.reason,
        chance_left=chance_left(found, spread, planned, last, design.confidence, design.margin) if known else None,
    )


def ending_of(design: SettleDesign, look: TakenLook) -> Ending | None:
    """How a look ends the settlement; None when the next look is to be taken."""
    if look.verdict == "could not measure":
        return "failures"
    if look.verdict != "cannot tell":
        return "verdict"
    if look.samples == design.looks[-1].samples:
        return "looks"
    return "briefs" if look.chance_left is not None and look.chance_left < LEAST_CHANCE else None


def recorded_look(settlement: Settlement, ending: Ending) -> TakenLook | None:
    """The last look of which all calls were made; None when there is none."""
    looks = settlement.looks[:-1] if ending in ("budget", "failures") else settlement.looks
    return looks[-1] if looks else None


def finished(settlement: Settlement, ending: Ending, failure: str | None, commands: tuple[str, ...]) -> Settlement:
    """The settlement after its last look; `failure` says why answers are missing, with the endings "budget" and "failures"."""
    look, number = settlement.looks[-1], len(settlement.looks)
    verdict, reason = look.verdict, look.reason
    if failure is not None:
        verdict = "cannot tell" if number > 1 else "could not measure"
        cause = "the cap on the cost ended" if ending == "budget" else "failures ended"
        reason = f"{cause} look {number} with {look.answers:,} of {look.cells:,} answers ({failure})"
        reason += "" if ending == "budget" else "; the same command continues"
    elif ending == "briefs":
        reason = (
            f"it cannot be settled with these briefs and at most {settlement.design.looks[-1].samples} samples per cell: "
            f"the samples that remain would give a verdict with a chance of {numbers.share(look.chance_left)}"
        )
    elif ending == "looks":
        reason = f"{reason}, and this was the last look"
    update = {"verdict": verdict, "reason": reason, "ended": ending, "commands": commands}
    return settlement.model_copy(update=update)
