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
    """The fewest briefs for a verdict.

    With n the sign-flip test's smallest two-sided p is 2 / 2^n, which must reach 1 - confidence.

    >>> least_briefs(0.95), least_briefs(0.99)
    (6, 8)
    """
    return max(2, math.ceil(math.log2(2 / (1 - confidence)) - 1e-9))


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

    1. *Could not measure*: fewer briefs with a score on both sides than a verdict requires, or less than
       half of those both sides asked.
    2. *Unchanged*: both sides hold the same answers with the same scores.
    3. *Better*: the interval lies above 0 and the difference is at least `min_difference`. *Worse*: the
       mirror image.
    4. *No meaningful difference*: the interval lies within plus or minus `min_difference`.
    5. *Cannot tell*.
    """
    required = least_briefs(confidence)
    value, low, high = difference.value, difference.low, difference.high
    if value is None or low is None or high is None or briefs < required:
        scored = f"{numbers.counted(briefs, 'brief')} with a score on both sides"
        return Judgement("could not measure", f"{scored}, and a verdict requires {required}")
    if 2 * briefs < asked:
        scored = f"only {briefs} of the {asked} briefs that both sides asked have a score on both"
        return Judgement("could not measure", f"{scored}: answers are missing")
    if same_answers and value == 0.0:
        return Judgement("unchanged", "both sides hold the same answers")
    clear = low > 0 or high < 0
    if clear and abs(value) >= min_difference:
        reason = "the difference is more than noise, and large enough to matter"
        return Judgement("better" if value > 0 else "worse", reason)
    if -min_difference < low and high < min_difference:
        reason = f"the interval lies within ±{min_difference:g}"
        return Judgement("no meaningful difference", reason)
    if clear:
        limit = f"the {min_difference:g} that matters"
        reason = f"there is a difference, and it may be smaller than {limit}"
        return Judgement("cannot tell", reason)
    return Judgement("cannot tell", _open_failures(difference) or "the difference may be noise")


def _open_failures(difference: Difference) -> str | None:
    """Why a difference is open though usable graphs differ clearly; None where they do not."""
    quality, usable = difference.quality, difference.usable
    if quality.low is None or quality.high is None or quality.low <= 0 <= quality.high:
        return None
    direction = "higher" if quality.low > 0 else "lower"
    interval = numbers.difference_interval(quality.low, quality.high)
    scores = f"usable graphs score {direction} ({numbers.difference(quality.value)}, {interval})"
    shares = numbers.difference_interval(usable.low, usable.high)
    unknown = "the change in the share of usable graphs is not known well enough"
    return f"{scores}, but {unknown} ({shares})"
