"""How fast calls may go out at a fixed rate."""

import math

SLACK_S = 0.05


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
