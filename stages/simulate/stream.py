"""A stream of pseudo-random draws that is a pure function of its key: the same on every machine and in every version."""

import hashlib
from collections.abc import Sequence
from typing import TypeVar

from stages.contracts.json_text import canonical

Item = TypeVar("Item")

_UNIT = 2.0**-53


class Stream:
    """Draws from SHA-256 in counter mode.

    Streams with different keys are independent; a part of the work that has its own named branch is not disturbed when
    another part takes more or fewer draws.
    """

    def __init__(self, *key: str) -> None:
        self._seed = hashlib.sha256(canonical(list(key))).digest()
        self._counter = 0
        self._ready: list[int] = []

    def branch(self, name: str) -> "Stream":
        """An independent stream for one named part of the work; takes no draw from this one."""
        return Stream(self._seed.hex(), name)

    def unit(self) -> float:
        """A number in [0, 1)."""
        return (self._word() >> 11) * _UNIT

    def below(self, bound: int) -> int:
        """An integer in 0 ... bound - 1; `bound` is at least 1."""
        return int(self.unit() * bound)

    def between(self, low: float, high: float) -> float:
        """A number in [low, high)."""
        return low + (high - low) * self.unit()

    def chance(self, probability: float) -> bool:
        """True with the given probability."""
        return self.unit() < probability

    def choice(self, items: Sequence[Item]) -> Item:
        """One of the items, which are not empty."""
        return items[self.below(len(items))]

    def shuffled(self, items: Sequence[Item]) -> list[Item]:
        """The items in another order (Fisher and Yates)."""
        order = list(items)
        for last in range(len(order) - 1, 0, -1):
            other = self.below(last + 1)
            order[last], order[other] = order[other], order[last]
        return order

    def hex(self, digits: int) -> str:
        """An identifier of `digits` hexadecimal digits."""
        text = ""
        while len(text) < digits:
            text += f"{self._word():016x}"
        return text[:digits]

    def _word(self) -> int:
        if not self._ready:
            block = hashlib.sha256(self._seed + self._counter.to_bytes(8, "big")).digest()
            self._counter += 1
            self._ready = [int.from_bytes(block[start : start + 8], "big") for start in (24, 16, 8, 0)]
        return self._ready.pop()
