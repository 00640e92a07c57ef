"""How fast calls may go out: a fixed rate, or one that is learned from the server's refusals."""

import math

FIRST_PERIOD_S = 8.0
LONGEST_PERIOD_S = 60.0
STEP_BACK = 0.95
SLACK_S = 0.05
SLOWEST_PER_S = 0.05


class Pacer:
    """Lets units (requests or tokens) pass at a fixed rate, evenly spaced (the generic cell rate algorithm without a burst).

    A sender that came late by up to `SLACK_S` may catch up, so that the rate is reached in spite of a slow clock.
    """

    def __init__(self, per_minute: float) -> None:
        self._unit_s = 60.0 / per_minute
        self._free_at = -math.inf

    def delay(self, now: float) -> float:
        """Seconds until the next sending, 0 when it may go now."""
        return max(self._free_at - now, 0.0)

    def take(self, now: float, units: float = 1.0) -> None:
        """Count a sending of so many units."""
        self._free_at = max(self._free_at, now - SLACK_S) + units * self._unit_s

    def correct(self, units: float) -> None:
        """A past sending was of so many units more (or less) than was counted."""
        self._free_at += units * self._unit_s


class LearnedRate:
    """The rate at which a server that says 429 admits requests, in requests per second; unbounded until it first refuses.

    At each refusal the rate steps back to what was admitted over the last period (pauses included, so that a burst which the
    server forgave does not count twice), at most to `STEP_BACK` times what was tried. From there it follows a cubic: quickly
    back towards the rate that was refused, then flat for a while, then ever faster upwards. Each refusal near the last one
    doubles the flat part, because every refusal costs a pause.

    Source of the curve: RFC 9438, CUBIC for Fast Long-Distance Networks.
    """

    def __init__(self) -> None:
        self._peak: float | None = None
        self._period_s = FIRST_PERIOD_S / 2
        self._resumed_at = 0.0
        self._began_at: float | None = None
        self._sent = 0
        self._refused = 0
        self._free_at = -math.inf

    def rate(self, now: float) -> float:
        """Requests per second that may go out now; infinite before the first refusal."""
        if self._peak is None:
            return math.inf
        x = (now - self._resumed_at - self._period_s) / self._period_s
        return self._peak * (1 + (1 - STEP_BACK) * x**3)

    def delay(self, now: float) -> float:
        """Seconds until the next sending, 0 when it may go now."""
        return max(self._free_at - now, 0.0)

    def take(self, now: float) -> None:
        """Count a sending."""
        if self._began_at is None:
            self._began_at = now
        self._sent += 1
        rate = self.rate(now)
        if rate < math.inf:
            self._free_at = max(self._free_at, now - SLACK_S) + 1 / rate

    def refused(self) -> None:
        """Count a refusal of something that was sent."""
        self._refused += 1

    def resume(self, now: float, *, tried: float) -> float:
        """Learn from the period that ended with a refusal and a pause; `tried` is the rate at the refusal. The admitted rate."""
        elapsed_s = max(now - (self._began_at if self._began_at is not None else now), 1.0)
        admitted = max(self._sent - self._refused, 0)
        measured = admitted / elapsed_s
        stepped = max(min(STEP_BACK * tried, measured / STEP_BACK), SLOWEST_PER_S)
        before = self._peak
        self._peak = stepped / STEP_BACK
        near = before is not None and abs(tried / before - 1) < 0.15
        self._period_s = min(self._period_s * 2, LONGEST_PERIOD_S) if near or before is None else FIRST_PERIOD_S
        self._resumed_at = now
        self._free_at = now
        if admitted >= 3 and now - (self._began_at or now) >= 1.0:
            self._began_at, self._sent, self._refused = now, 0, 0
        return measured
