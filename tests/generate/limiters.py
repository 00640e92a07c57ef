"""Rate limits as servers keep them, in virtual time: each says whether a call is admitted."""

from collections import Counter, deque
from dataclasses import dataclass, field


@dataclass
class SlidingWindow:
    """At most `most` in any `span_s`."""

    most: int
    span_s: float = 1.0
    admitted: deque[float] = field(default_factory=deque)

    @property
    def per_s(self) -> float:
        return self.most / self.span_s

    def __call__(self, now: float) -> bool:
        while self.admitted and self.admitted[0] <= now - self.span_s:
            self.admitted.popleft()
        if len(self.admitted) >= self.most:
            return False
        self.admitted.append(now)
        return True


@dataclass
class TokenBucket:
    """`per_s` on average, bursts up to `capacity`."""

    per_s: float
    capacity: float
    used: float = 0.0
    at: float = 0.0

    def __call__(self, now: float) -> bool:
        self.used, self.at = max(0.0, self.used - (now - self.at) * self.per_s), now
        if self.used + 1 > self.capacity:
            return False
        self.used += 1
        return True


@dataclass
class FixedWindow:
    """At most `per_s` in each second of the clock; `counts` has the calls of each second."""

    per_s: float
    counts: Counter[int] = field(default_factory=Counter)

    def __call__(self, now: float) -> bool:
        self.counts[int(now)] += 1
        return self.counts[int(now)] <= self.per_s


@dataclass
class AtOnce:
    """At most `most` calls at once; whoever is admitted says with `done` when it has left."""

    most: int
    out: int = 0

    def __call__(self, now: float) -> bool:
        if self.out >= self.most:
            return False
        self.out += 1
        return True

    def done(self) -> None:
        """One has left."""
        self.out -= 1


Server = SlidingWindow | TokenBucket | FixedWindow
