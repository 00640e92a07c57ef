"""The sign-flip test: could paired differences like these arise if nothing had changed?"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

EXACT_UP_TO = 18
"""The number of differences up to which all patterns of signs are counted (2^18 = 262,144)."""
DRAWS = 19_999
"""The number of patterns that are drawn at random beyond that."""


@dataclass(frozen=True, slots=True)
class SignFlip:
    """A two-sided p-value in 0..1, and whether it is exact or estimated from random patterns."""

    p: float
    exact: bool


def sign_flip(differences: Sequence[float], *, seed: int) -> SignFlip:
    """Test that the mean of paired differences is zero.

    If nothing changed, base and head could swap names in every brief, so every pattern of signs is equally likely: p is the
    share of patterns whose mean is at least as far from zero as the observed one. No shape of distribution is assumed. Zero
    differences are the same under any sign. Without differences, or with zeros only, p is 1.

    Args:
        differences: One per brief.
        seed: Of the random patterns, where there are too many to count all.

    >>> sign_flip([0.1, 0.2, 0.3, 0.1, 0.2, 0.4], seed=1)
    SignFlip(p=0.03125, exact=True)
    """
    moved = np.array([value for value in differences if value != 0.0], dtype=np.float64)
    if not moved.size:
        return SignFlip(1.0, True)
    seen = abs(float(moved.sum())) - 1e-12 * float(np.abs(moved).sum())  # sums that differ by rounding are ties
    if moved.size <= EXACT_UP_TO:
        sums = np.zeros(1)
        for value in moved[1:]:  # the first keeps its sign: its other half mirrors this one
            sums = np.concatenate([sums + value, sums - value])
        return SignFlip(float(np.mean(np.abs(sums + moved[0]) >= seen)), True)
    generator = np.random.default_rng(seed)
    extreme, left = 0, DRAWS
    while left:
        block = min(left, 2_000_000 // moved.size or 1)
        flipped = generator.integers(0, 2, size=(block, moved.size), dtype=np.int8).astype(np.float64)
        extreme += int(np.count_nonzero(np.abs(moved.sum() - 2 * (flipped @ moved)) >= seen))
        left -= block
    return SignFlip((extreme + 1) / (DRAWS + 1), False)
