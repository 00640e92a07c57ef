"""The verdict of a comparison, why, and what to do next."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, get_args

from stages.shell import numbers
from stages.statistics.claim import (
    MIN_BRIEFS,
    Claim,
    answers_to_exclude,
    claim_of,
    undoing_share,
)
from stages.statistics.error_rate import excludes_zero
from stages.statistics.estimates import Difference

Verdict = Literal[
    "could not measure",
    "unchanged",
    "better",
    "worse",
    "no meaningful difference",
    "better where usable",
    "worse where usable",
    "cannot tell",
]
VERDICTS: tuple[Verdict, ...] = get_args(Verdict)
EXIT_CODES: Mapping[str, int] = {
    "could not measure": 4,
    "unchanged": 0,
    "better": 0,
    "worse": 1,
    "no meaningful difference": 0,
    "better where usable": 3,
    "worse where usable": 1,
    "cannot tell": 3,
}
"""The exit code of each verdict; 2 is for wrong input."""
NEXT_STEPS: Mapping[Claim, str] = {
    "better": "take the head",
    "worse": "keep the base",
    "no meaningful difference": "take the side that costs less or answers faster",
    "better where usable": "take the head once so many new answers came without a failure "
    "(`settle --reliability` calls them), or now if a failure costs little",
    "worse where usable": "keep the base",
    "better graphs, more failures": "make the head fail less (what moved names the failures), "
    "then compare again",
    "worse graphs, fewer failures": "keep the base and give it what makes the head fail less, then "
    "compare again",
    "no meaningful difference where usable": "take the side that costs less or answers faster, "
    "unless rare failures matter",
    "no meaningful difference where usable, more failures": "keep the base, or make the head fail "
    "less (what moved names the failures), then compare again",
    "open": "keep the base, or run more briefs or samples",
}


@dataclass(frozen=True, slots=True)
class Judgement:
    """A verdict, why, and what to do next; the latter are parts of sentences."""

    verdict: Verdict
    reason: str
    next_step: str


def judge(
    difference: Difference,
    *,
    briefs: int,
    asked: int,
    unchanged: bool,
    min_difference: float,
    confidence: float,
) -> Judgement:
    """The verdict on one difference: the first that applies.

    1. *Could not measure*: fewer than six briefs with a score on both sides, or less than half of
       those that both sides asked.
    2. *Unchanged*: both sides hold the same answers with the same scores.
    3. What `stages.statistics.claim` makes of the expected scores, of the quality of usable graphs
       and of the failures; *cannot tell* where that is open.
    """
    if difference.low is None or briefs < MIN_BRIEFS:
        counted = numbers.counted(briefs, "brief")
        reason = f"{counted} with a score on both sides, and a verdict requires {MIN_BRIEFS}"
        return Judgement("could not measure", reason, "run both sides on more briefs")
    if 2 * briefs < asked:
        reason = (
            f"only {briefs} of the {asked} briefs that both sides asked have a score on both: "
            "answers are missing"
        )
        return Judgement("could not measure", reason, "run both sides again for what is missing")
    if unchanged:
        return Judgement(
            "unchanged", "both sides hold the same answers", "there is nothing to choose"
        )
    claim = claim_of(difference, min_difference)
    verdict: Verdict = next((verdict for verdict in VERDICTS if verdict == claim), "cannot tell")
    reason = _reason(claim, difference, min_difference, confidence)
    return Judgement(verdict, reason, NEXT_STEPS[claim])


def _reason(claim: Claim, difference: Difference, min_difference: float, confidence: float) -> str:
    base, head = 1 - difference.base_failures, 1 - difference.head_failures
    usable = f"usable, mean over briefs: {numbers.share(base)} before, {numbers.share(head)} now"
    match claim:
        case "better" | "worse":
            return "the difference is more than noise, and large enough to matter"
        case "no meaningful difference":
            return f"the interval lies within ±{min_difference:g}"
        case "better where usable":
            return _what_would_undo(difference, confidence)
        case "worse where usable":
            return f"the graphs are worse, and no fewer answers fail ({usable})"
        case "open":
            return _why_open(difference, usable)
        case _:
            return f"{claim} ({usable})"


def _what_would_undo(difference: Difference, confidence: float) -> str:
    """The failures that would undo a gain in quality, and the answers that would exclude them."""
    gain, base_quality = difference.quality.value or 0.0, difference.base_quality or 0.0
    share = undoing_share(gain, base_quality, difference.base_failures)
    answers = numbers.counted(answers_to_exclude(share, confidence) or 0, "answer")
    return (
        f"better overall unless more than {100 * share:.1f}% of the answers fail; {answers} to new "
        "briefs without a failure would exclude that"
    )


def _why_open(difference: Difference, usable: str) -> str:
    if excludes_zero(difference.usable):
        moved = "rose" if (difference.usable.value or 0.0) > 0 else "fell"
        return f"reliability {moved} ({usable}), which leaves the expected score open"
    if excludes_zero(difference) or excludes_zero(difference.quality):
        return "there is a difference, and it may be too small to matter"
    return "the difference may be noise"
