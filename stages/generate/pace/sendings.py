"""What was sent to a server and what became of it: the evidence from which its limits are read."""

import math
from collections import deque
from itertools import accumulate

REMEMBERED = 2048


class Sending:
    """One call that was sent: `ended_at` is infinite until it comes back; `refused` when it was told to come later."""

    __slots__ = ("ended_at", "refused", "sent_at")

    def __init__(self, sent_at: float) -> None:
        self.sent_at = sent_at
        self.ended_at = math.inf
        self.refused = False


class Sendings:
    """The last `REMEMBERED`, in the order of their sending, in seconds of one clock.

    What has not come back counts as admitted, for a refusal comes sooner than an answer.
    """

    def __init__(self) -> None:
        self._all: deque[Sending] = deque(maxlen=REMEMBERED)

    def add(self, now: float) -> Sending:
        """Remember a sending."""
        self._all.append(Sending(now))
        return self._all[-1]

    def of_second_before(self, until: float) -> int:
        """How many were admitted of those sent in the second that ended then."""
        return sum(until - 1.0 < one.sent_at <= until for one in self._all if not one.refused)

    def admitted(self, until: float) -> list[float]:
        """When those that were admitted had been sent, up to then, rising."""
        return [one.sent_at for one in self._all if not one.refused and one.sent_at <= until]

    def admitted_per_s(self, until: float, *, span_s: float) -> float:
        """How many were admitted per second of the last `span_s`, or since the first one; 0 when nothing was sent."""
        oldest = self._all[0].sent_at if self._all else until
        began = max(oldest, until - span_s)
        return sum(not one.refused and one.sent_at >= began for one in self._all) / max(until - began, 1e-3)

    def in_flight(self, at: float) -> int:
        """How many that were admitted were out then."""
        return sum(one.sent_at <= at < one.ended_at for one in self._all if not one.refused)

    def most_in_flight(self, since: float, until: float) -> int:
        """How many that were admitted were out at once at most, of those sent by `until` and not back by `since`."""
        out = [one for one in self._all if not one.refused and one.sent_at <= until and one.ended_at > since]
        changes = sorted([(one.sent_at, 1) for one in out] + [(one.ended_at, -1) for one in out])
        return max(accumulate(change for _, change in changes), default=0)
