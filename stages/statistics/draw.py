"""A draw of parts that can be repeated and continued. Pure."""

import hashlib
from collections import Counter
from collections.abc import Mapping
from fractions import Fraction
from typing import TypeVar

PartName = TypeVar("PartName", bound=str)


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
