"""The verdict of a comparison, and why."""

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
from stages.statistics.estimates import Difference, IntervalEstimate

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
CLAIM_VERDICTS: Mapping[Claim, Verdict] = {
    "better": "better",
    "worse": "worse",
    "no meaningful difference": "no meaningful difference",
    "better where usable": "better where usable",
    "worse where usable": "worse where usable",
}
"""The verdict that states each claim; the others leave it open."""


@dataclass(frozen=True, slots=True)
class Judgement:
    """A verdict and the sentence that explains it."""

    verdict: Verdict
    reason: str


def judge(
    difference: Difference,
    *,
    briefs: int,
    asked: int,
    same_answers: bool,
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
        return Judgement("could not measure", reason)
    if 2 * briefs < asked:
        reason = (
            f"only {briefs} of the {asked} briefs that both sides asked have a score on both: "
            "answers are missing"
        )
        return Judgement("could not measure", reason)
    if same_answers and difference.value == 0.0:
        return Judgement("unchanged", "both sides hold the same answers")
    claim = claim_of(difference, min_difference)
    verdict = CLAIM_VERDICTS.get(claim, "cannot tell")
    return Judgement(verdict, _reason(claim, difference, min_difference, confidence))


def _reason(claim: Claim, difference: Difference, min_difference: float, confidence: float) -> str:
    quality = _with_interval(difference.quality)
    base, head = difference.base_failures, difference.head_failures
    failures = f"{numbers.share(head)} of the answers fail ({numbers.share(base)} before)"
    match claim:
        case "better" | "worse":
            return "the difference is more than noise, and large enough to matter"
        case "no meaningful difference":
            return f"the interval lies within ±{min_difference:g}"
        case "better where usable":
            limit = _what_would_undo(difference, confidence)
            return f"usable graphs score higher ({quality}), and {failures}; {limit}"
        case "worse where usable":
            return f"usable graphs score lower ({quality}), and {failures}"
        case "better graphs, more failures":
            return f"better graphs ({quality}), more failures: {failures}"
        case "worse graphs, fewer failures":
            return f"worse graphs ({quality}), fewer failures: {failures}"
        case "no meaningful difference where usable":
            return f"no meaningful difference where usable ({quality}), and {failures}"
        case "open":
            return _why_open(difference)


def _what_would_undo(difference: Difference, confidence: float) -> str:
    """The failures that would undo a gain in quality, and the answers that would exclude them."""
    gain, base_quality = difference.quality.value or 0.0, difference.base_quality or 0.0
    share = undoing_share(gain, base_quality, difference.base_failures)
    answers = numbers.counted(answers_to_exclude(share, confidence) or 0, "answer")
    return (
        f"better overall unless more than {100 * share:.1f}% of the answers fail, which {answers} "
        "to new briefs without a failure would exclude"
    )


def _why_open(difference: Difference) -> str:
    expected = IntervalEstimate(difference.value, difference.low, difference.high)
    if excludes_zero(difference.usable):
        shares = _with_interval(difference.usable)
        return f"the share of usable graphs changed ({shares}), the expected score may not have"
    if excludes_zero(expected):
        return "there is a difference, and it may be too small to matter"
    return "the difference may be noise"


def _with_interval(estimate: IntervalEstimate) -> str:
    interval = numbers.difference_interval(estimate.low, estimate.high)
    return f"{numbers.difference(estimate.value)}, {interval}"
