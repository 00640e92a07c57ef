"""The three parts of the briefs: those that the proposer learns from, those that choose among its
candidates, and those that prove the best one. Pure.
"""

import hashlib
from collections import Counter
from collections.abc import Mapping, Sequence
from fractions import Fraction

from stages.contracts.brief import Brief
from stages.contracts.improvement import BriefParts, Part

MIN_PROVING, USUAL_BRIEFS = 8, 16
"""The fewest briefs that prove, and the fewest briefs in all for which nobody is asked."""
MIN_IN_ALL = MIN_PROVING + 4
_SEED = "parts 1"


def draw_parts(briefs: Sequence[Brief], earlier: BriefParts) -> BriefParts:
    """The parts with every brief in one: half of them prove, eight at least, a quarter each learns
    and chooses.

    A brief stays in its part. New ones are dealt complexity by complexity, in an order that depends
    on their ids alone, each to the part that lacks most of its share.
    """
    parts = dict(earlier.parts)
    counts = Counter(parts.values())
    new = [brief for brief in briefs if brief.id not in parts]
    shares = _shares(len(parts) + len(new))
    for brief in sorted(new, key=_draw_key):
        dealt = len(parts) + 1
        lacking = {part: share * dealt - counts[part] for part, share in shares.items()}
        part = max(lacking, key=lacking.__getitem__)
        parts[brief.id] = part
        counts[part] += 1
    return earlier.model_copy(update={"parts": parts})


def _shares(briefs: int) -> Mapping[Part, Fraction]:
    proving = max(Fraction(1, 2), Fraction(MIN_PROVING, max(briefs, MIN_PROVING)))
    other = (1 - proving) / 2
    return {"prove": proving, "learn": other, "choose": other}


def _draw_key(brief: Brief) -> tuple[str, bytes]:
    lot = hashlib.sha256(f"{_SEED}/{brief.id}".encode()).digest()
    return brief.expectations.complexity, lot


def confidence_of_use(confidence: float, number: int) -> float:
    """The confidence of a use, counted from 1: its error rate is that of all uses over k (k + 1).

    >>> [round(confidence_of_use(0.95, number), 4) for number in (1, 2, 3)]
    [0.975, 0.9917, 0.9958]
    """
    return 1 - (1 - confidence) / (number * (number + 1))
