"""Pseudo-random numbers that are a pure function of a key: the same on every machine and in every
Python version.
"""

import hashlib
from collections.abc import Sequence
from typing import TypeVar

from stages.shared.records.json_text import canonical

Chosen = TypeVar("Chosen")


class Stream:
    """Numbers from SHA-256 in counter mode; streams with different keys are independent."""

    def __init__(self, *key: str) -> None:
        self._seed = hashlib.sha256(canonical(list(key))).digest()
        self._counter = 0

    def branch(self, name: str) -> "Stream":
        """An independent stream for one named part of the work; does not advance this one."""
        return Stream(self._seed.hex(), name)

    def between(self, low: float, high: float) -> float:
        """A number in [low, high)."""
        block = hashlib.sha256(self._seed + self._counter.to_bytes(8, "big")).digest()
        self._counter += 1
        bits = int.from_bytes(block[:8], "big") >> 11
        return low + (high - low) * bits * 2.0**-53

    def chance(self, probability: float) -> bool:
        """True with the given probability."""
        return self.between(0, 1) < probability

    def choice(self, choices: Sequence[Chosen]) -> Chosen:
        """One of the choices, of which there is at least one."""
        return choices[int(self.between(0, len(choices)))]

    def hex(self, digits: int) -> str:
        """The first digits (64 at most) of the key's hash: an identifier."""
        return self._seed.hex()[:digits]
