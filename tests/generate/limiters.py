"""Rate limits as servers keep them, in virtual time: each says True, or the wait that it asks for (None: it does not say)."""

from collections import deque
from dataclasses import dataclass, field


@dataclass
class SlidingWindow:
    """At most `per_s` in any second."""

    per_s: int
    wait_s: float | None = 1.0
    admitted: deque[float] = field(default_factory=deque)

    def __call__(self, now: float) -> float | bool | None:
        while self.admitted and self.admitted[0] <= now - 1:
            self.admitted.popleft()
        if len(self.admitted) >= self.per_s:
            return self.wait_s
        self.admitted.append(now)
        return True


@dataclass
class TokenBucket:
    """`per_s` on average, bursts up to `capacity`."""

    per_s: float
    capacity: float
    wait_s: float | None = 1.0
    left: float = -1.0
    at: float = 0.0

    def __call__(self, now: float) -> float | bool | None:
        before = self.capacity if self.left < 0 else self.left
        self.left, self.at = min(self.capacity, before + (now - self.at) * self.per_s), now
        if self.left < 1:
            return self.wait_s
        self.left -= 1
        return True


@dataclass
class FixedWindow:
    """At most `per_s` in each second of the clock."""

    per_s: int
    wait_s: float | None = 1.0
    second: int = -1
    count: int = 0

    def __call__(self, now: float) -> float | bool | None:
        if int(now) != self.second:
            self.second, self.count = int(now), 0
        self.count += 1
        return True if self.count <= self.per_s else self.wait_s


@dataclass
class AtOnce:
    """At most `most` calls at once; whoever is admitted says with `done` when it has left."""

    most: int
    wait_s: float | None = 1.0
    out: int = 0

    def __call__(self, now: float) -> float | bool | None:
        if self.out >= self.most:
            return self.wait_s
        self.out += 1
        return True

    def done(self) -> None:
        """One has left."""
        self.out -= 1
