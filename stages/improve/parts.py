"""The three parts of the briefs: those that the proposer learns from, those that choose among its
candidates, and those that prove the best one. Pure.
"""

import hashlib
from collections import Counter
from collections.abc import Mapping, Sequence
from fractions import Fraction

from stages.contracts.brief import Brief
from stages.contracts.improvement import BriefParts, BriefRole

MIN_PROVING = 8
"""The fewest briefs that prove."""


def draw_parts(briefs: Sequence[Brief], earlier: BriefParts) -> BriefParts:
    """The parts with every brief in one: half of them prove, eight at least, a quarter each learns
    and chooses. A brief stays in its part.

    New ones are dealt complexity by complexity, in an order that depends on hashes of their ids
    alone, each to the part that lacks most of its share; the first of equal ones.
    """
    parts = dict(earlier.parts)
    new = [brief for brief in briefs if brief.id not in parts]
    shares = _shares(len(parts) + len(new))
    new.sort(key=lambda brief: (brief.expectations.complexity, _lot(brief.id)))
    for brief in new:
        counts = Counter(parts.values())
        dealt = len(parts) + 1
        lacking = {part: share * dealt - counts[part] for part, share in shares.items()}
        parts[brief.id] = max(lacking, key=lacking.__getitem__)
    return earlier.model_copy(update={"parts": parts})


def _lot(brief_id: str) -> str:
    return hashlib.sha256(f"parts 1/{brief_id}".encode()).hexdigest()


def _shares(briefs: int) -> Mapping[BriefRole, Fraction]:
    proving = max(Fraction(1, 2), Fraction(MIN_PROVING, max(briefs, MIN_PROVING)))
    other = (1 - proving) / 2
    return {"prove": proving, "learn": other, "choose": other}
