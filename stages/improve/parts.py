"""The three parts of the briefs: those that the proposer learns from, those that choose among its
candidates, and those that prove the best one. Pure.
"""

import hashlib
from collections import Counter
from collections.abc import Mapping, Sequence
from fractions import Fraction

from stages.contracts.brief import Brief
from stages.contracts.improvement import BriefParts, Part

MIN_PROVING, MIN_IN_ALL = 8, 12
"""The fewest briefs that prove, and in all."""
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
