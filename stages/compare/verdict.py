"""The verdict of a comparison, and why."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, get_args

from stages.shell import numbers
from stages.statistics.estimates import Difference

Verdict = Literal[
    "could not measure", "unchanged", "better", "worse", "no meaningful difference", "cannot tell"
]
VERDICTS: tuple[Verdict, ...] = get_args(Verdict)
EXIT_CODES: Mapping[str, int] = {
    "could not measure": 4, "unchanged": 0, "better": 0, "worse": 1, "no meaningful difference": 0, "cannot tell": 3,
}  # fmt: skip
"""The exit code of each verdict; 2 is for wrong input."""


@dataclass(frozen=True, slots=True)
class Judgement:
    """A verdict and the sentence that explains it."""

    verdict: Verdict
    reason: str


def least_briefs(confidence: float) -> int:
    """The fewest briefs for a verdict: with n the sign-flip test's smallest two-sided p is 2 / 2^n, which must reach 1 - confidence.

    >>> least_briefs(0.95), least_briefs(0.99)
    (6, 8)
    """
    return max(2, math.ceil(math.log2(2 / (1 - confidence)) - 1e-9))


def judge(
    found: Difference,
    *,
    briefs: int,
    asked: int,
    same_answers: bool,
    min_difference: float,
    confidence: float,
) -> Judgement:
    """The verdict on one difference: the first that applies.

    1. *Could not measure*: fewer briefs with a score on both sides than a verdict requires, or less than half of those both sides asked.
    2. *Unchanged*: both sides hold the same answers with the same scores.
    3. *Better*: the interval lies above 0 and the difference is at least `min_difference`. *Worse*: the mirror image.
    4. *No meaningful difference*: the interval lies within plus or minus `min_difference`.
    5. *Cannot tell*.
    """
    needed = least_briefs(confidence)
    if found.value is None or found.low is None or found.high is None or briefs < needed:
        counted = numbers.counted(briefs, "brief")
        return Judgement(
            "could not measure",
            f"{counted} with a score on both sides, and a verdict requires {needed}",
        )
    if 2 * briefs < asked:
        reason = f"only {briefs} of the {asked} briefs that both sides asked have a score on both: answers are missing"
        return Judgement("could not measure", reason)
    if same_answers and found.value == 0.0:
        return Judgement("unchanged", "both sides hold the same answers")
    clear = found.low > 0 or found.high < 0
    if clear and abs(found.value) >= min_difference:
        reason = "the difference is more than noise, and large enough to matter"
        return Judgement("better" if found.value > 0 else "worse", reason)
    if -min_difference < found.low and found.high < min_difference:
        return Judgement(
            "no meaningful difference", f"the interval lies within ±{min_difference:g}"
        )
    if clear:
        reason = (
            f"there is a difference, and it may be smaller than the {min_difference:g} that matters"
        )
        return Judgement("cannot tell", reason)
    return Judgement("cannot tell", _open_failures(found) or "the difference may be noise")


def _open_failures(found: Difference) -> str | None:
    quality, usable = found.quality, found.usable
    if (
        quality.value is None
        or quality.low is None
        or quality.high is None
        or quality.low <= 0 <= quality.high
    ):
        return None
    direction = "higher" if quality.low > 0 else "lower"
    scores = (
        f"usable graphs score {direction} ({numbers.difference(quality.value)}, "
        f"{numbers.difference_interval(quality.low, quality.high)})"
    )
    shares = numbers.difference_interval(usable.low, usable.high)
    return f"{scores}, but the change in the share of usable graphs is not known well enough ({shares})"
