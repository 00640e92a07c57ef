"""What a comparison may claim, from expected scores, quality and failures. Pure."""

import math
from typing import Literal

from stages.statistics.error_rate import excludes_zero
from stages.statistics.estimates import Difference, IntervalEstimate
from stages.statistics.interval import ROUNDING

Reading = Literal["better", "worse", "no meaningful difference", "open"]
Claim = Literal[
    "better",
    "worse",
    "no meaningful difference",
    "better where usable",
    "worse where usable",
    "better graphs, more failures",
    "worse graphs, fewer failures",
    "no meaningful difference where usable",
    "no meaningful difference where usable, more failures",
    "open",
]
MIN_BRIEFS = 6
"""The fewest briefs with a score on both sides for a claim."""
FEW_BRIEFS, FEW_USABLE_BRIEFS = 12, 25
"""Below so many briefs a claim carries the caveat that they are few; the second where usable."""


def claim_of(difference: Difference, min_difference: float) -> Claim:
    """The claim that a difference supports; `choose_claim` has the rule."""
    return choose_claim(
        read_interval(difference.expected, min_difference),
        read_interval(difference.quality, min_difference),
        difference.base_failures,
        difference.head_failures,
    )


def read_interval(estimate: IntervalEstimate, min_difference: float) -> Reading:
    """What one interval says of a difference of which less than `min_difference` does not matter.

    *Better*: it lies above 0 and the estimate is at least `min_difference`; *worse* is the mirror
    image. *No meaningful difference*: it lies within plus or minus `min_difference`. *Open*:
    anything else, no interval, and fewer than `MIN_BRIEFS` briefs.
    """
    value, low, high = estimate.value, estimate.low, estimate.high
    if value is None or low is None or high is None or estimate.n < MIN_BRIEFS:
        return "open"
    if excludes_zero(estimate) and abs(value) >= min_difference - ROUNDING:
        return "better" if value > 0 else "worse"
    if -min_difference < low and high < min_difference:
        return "no meaningful difference"
    return "open"


def choose_claim(
    expected: Reading, quality: Reading, base_failures: float, head_failures: float
) -> Claim:
    """The claim from both readings and the shares of answers without a usable graph, 0 to 1.

    What the expected scores say is claimed. Where they are open, the graphs are better where usable
    if the head failed no more often than the base, and worse where usable if it failed no less
    often.

    >>> choose_claim("open", "better", 0.0, 0.0), choose_claim("open", "better", 0.0, 0.1)
    ('better where usable', 'better graphs, more failures')
    """
    if expected != "open":
        return expected
    more_failures = head_failures > base_failures + ROUNDING
    fewer_failures = head_failures < base_failures - ROUNDING
    if quality == "better":
        return "better graphs, more failures" if more_failures else "better where usable"
    if quality == "worse":
        return "worse graphs, fewer failures" if fewer_failures else "worse where usable"
    if quality == "no meaningful difference" and more_failures:
        return "no meaningful difference where usable, more failures"
    if quality == "no meaningful difference":
        return "no meaningful difference where usable"
    return "open"


def caveats_of(briefs: int, *, where_usable: bool = False) -> tuple[str, ...]:
    """What limits a claim from so many briefs, in sentences: that they are few.

    >>> caveats_of(16), caveats_of(16, where_usable=True)
    ((), ('Few briefs: with fewer than 25 the interval may be too short.',))
    """
    enough = FEW_USABLE_BRIEFS if where_usable else FEW_BRIEFS
    if briefs >= enough:
        return ()
    return (f"Few briefs: with fewer than {enough} the interval may be too short.",)


def undoing_share(
    gain: float, base_quality: float, base_failures: float, margin: float = 0.0
) -> float:
    """The share of the head's answers, 0 to 1, that may fail before its gain is lost: f*.

    f* = 1 - ((1 - r) q - m) / (q + g), and 0 at least: `gain` is the difference in quality g,
    `base_quality` is q, `base_failures` is r, and `margin` m is by how much the head may be worse.
    A head that fails on that share has the base's expected score less the margin.

    >>> round(undoing_share(0.10, 0.75, 0.0), 3)
    0.118
    """
    if base_quality + gain <= 0:
        return 0.0
    needed = (1 - base_failures) * base_quality - margin
    return min(1.0, max(0.0, 1 - needed / (base_quality + gain)))


def answers_to_exclude(failure_share: float, confidence: float = 0.95) -> int | None:
    """How many answers on new briefs without a failure exclude such a rate: m*; None for 0.

    ceil(ln((1 - confidence) / 2) / ln(1 - f*)): with that rate so many all succeed with a
    chance of (1 - confidence) / 2 at most.

    >>> answers_to_exclude(0.118)
    30
    """
    if failure_share <= 0:
        return None
    if failure_share >= 1:
        return 1
    return math.ceil(math.log((1 - confidence) / 2) / math.log1p(-failure_share))
