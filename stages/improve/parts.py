"""The three parts of the briefs: those that the proposer learns from, those that choose among its
candidates, and those that prove the best one. Pure.
"""

import hashlib
from collections import Counter
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import TypeVar

from stages.contracts.brief import Brief
from stages.contracts.improvement import BriefParts, BriefRole

MIN_PROVING, MIN_IN_ALL = 8, 12
"""The fewest briefs that prove, and in all."""
_SEED = "parts 1"
PartName = TypeVar("PartName", bound=str)


def draw_parts(briefs: Sequence[Brief], earlier: BriefParts) -> BriefParts:
    """The parts with every brief in one, within each complexity: half of them prove, eight at
    least, a quarter each learns and chooses. A brief stays in its part.
    """
    complexities = {brief.id: brief.expectations.complexity for brief in briefs}
    shares = _shares(len(complexities | earlier.parts))
    parts = deal(complexities, shares, earlier.parts, _SEED)
    return earlier.model_copy(update={"parts": parts})


def _shares(briefs: int) -> Mapping[BriefRole, Fraction]:
    proving = max(Fraction(1, 2), Fraction(MIN_PROVING, max(briefs, MIN_PROVING)))
    other = (1 - proving) / 2
    return {"prove": proving, "learn": other, "choose": other}


def deal(
    strata: Mapping[str, str],
    shares: Mapping[PartName, Fraction],
    dealt: Mapping[str, PartName],
    seed: str,
) -> dict[str, PartName]:
    """The part of every name: that in which it was `dealt`, or a new one for the names of `strata`.

    New names are dealt stratum by stratum, in an order that depends on their hashes alone, each to
    the part that lacks most of its share; the first of equal ones.

    >>> strata = {"a": "easy", "b": "easy", "c": "hard", "d": "hard"}
    >>> half = Fraction(1, 2)
    >>> sorted(deal(strata, {"x": half, "y": half}, {}, "1").values())
    ['x', 'x', 'y', 'y']
    """
    parts = dict(dealt)
    counts = Counter(parts.values())
    lots = {name: hashlib.sha256(f"{seed}/{name}".encode()).digest() for name in strata}
    new = [name for name in strata if name not in parts]
    for name in sorted(new, key=lambda name: (strata[name], lots[name])):
        lacking = {part: share * (len(parts) + 1) - counts[part] for part, share in shares.items()}
        part = max(lacking, key=lacking.__getitem__)
        parts[name] = part
        counts[part] += 1
    return parts
