"""The verdict: better, worse, cannot tell or could not measure, and why."""

import math
from dataclasses import dataclass
from typing import Literal, get_args

from stages.contracts.interval import Interval

Verdict = Literal["better", "worse", "cannot tell", "could not measure"]
VERDICTS: tuple[Verdict, ...] = get_args(Verdict)
EXIT_CODES: dict[Verdict, int] = {"better": 0, "worse": 1, "cannot tell": 3, "could not measure": 4}
"""What the command ends with; 2 is left to wrong input."""


@dataclass(frozen=True, slots=True)
class Judgement:
    """A verdict and the sentence that explains it. `equivalent`: it cannot tell because no difference that matters is left."""

    verdict: Verdict
    reason: str
    equivalent: bool = False


def least_briefs(alpha: float) -> int:
    """The fewest briefs with which a verdict is possible at all.

    With n briefs the smallest two-sided p of the sign-flip test is 2 / 2^n, which must be able to reach alpha.

    >>> least_briefs(0.05), least_briefs(0.01)
    (6, 8)
    """
    return max(2, math.ceil(math.log2(2 / alpha) - 1e-9))


def judge(
    *,
    count: int,
    asked: int,
    difference: float | None,
    interval: Interval | None,
    p: float | None,
    same_answers: bool,
    min_difference: float,
    alpha: float,
) -> Judgement:
    """The verdict on one difference.

    *Better*: p is at most alpha, the interval lies above zero (or all briefs moved by the same, which leaves no spread to make
    one of), and the difference is at least `min_difference`. *Worse*: the mirror image. *Could not measure*: fewer pairs than a
    verdict takes, or fewer than half of what was asked on both sides.
    Else *cannot tell*.

    Args:
        count: Briefs with a difference.
        asked: Briefs that both sides asked.
        difference: The mean over briefs, head less base; None without briefs.
        interval: Of that mean.
        p: Of the sign-flip test, corrected where several comparisons share an error rate.
        same_answers: Both sides hold the very same answers.
        min_difference: The smallest difference that matters.
        alpha: The error rate.
    """
    needed = least_briefs(alpha)
    if difference is None or interval is None or p is None or count < needed:
        why = f"{count} brief{'' if count == 1 else 's'} with a score on both sides, and a verdict takes {needed}"
        return Judgement("could not measure", why)
    if 2 * count < asked:
        why = f"only {count} of the {asked} briefs that both sides asked have a score on both: answers are missing"
        return Judgement("could not measure", why)
    if same_answers and difference == 0.0:
        return Judgement("cannot tell", "both sides hold the same answers: nothing changed", equivalent=True)
    alike = interval.method == "all-equal"
    if alike and difference == 0.0:
        return Judgement("cannot tell", f"none of the {count} briefs moved, and others might")
    # Where all moved by the same, the interval allows for briefs that were not asked, and the test alone speaks of chance.
    clear = p <= alpha and (alike or interval.low > 0.0 or interval.high < 0.0)
    if clear and abs(difference) >= min_difference:
        reason = "the difference is more than noise, and large enough to matter"
        return Judgement("better" if difference > 0 else "worse", reason)
    if -min_difference < interval.low and interval.high < min_difference:
        reason = f"no difference that matters: the interval lies within ±{min_difference:g}"
        return Judgement("cannot tell", reason, equivalent=True)
    if clear:
        reason = f"there is a difference, and it may be smaller than the {min_difference:g} that matter"
        return Judgement("cannot tell", reason)
    return Judgement("cannot tell", "the difference may be noise")
