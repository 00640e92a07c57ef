"""How fast calls may go out, learned from the server's refusals."""

import math
from collections import deque
from collections.abc import Iterable

from stages.generate.pace.pacer import SLACK_S

SAME_BURST_S = 0.1
STEP_BACK = 0.95
AT_ONCE = 0.97
KEEP = 0.8
FIRST_FLAT_S = 12.0
LONGEST_FLAT_S = 90.0
DOUBLING_S = 2.0
DOUBLINGS_PER_FLAT = 2.0
FEW_SHARE = 0.25
SURPRISES = 4
FORGET_S = 60.0
MOST_AT_RANDOM = 0.5


class LearnedRate:
    """The rate at which a server that says 429 admits requests, in requests per second; unbounded until it first refuses.

    At the first refusal the rate becomes what was admitted in a second, for most servers forgive a burst of about a second's
    worth; it stays there for a while and then doubles every `DOUBLING_S`, for the burst may have been all that was forgiven
    (the sooner, the fewer were admitted). At each later refusal it steps back to what was admitted in the last second, or, where
    that is far from the first burst and from what was tried, to the geometric mean of both; at most to `STEP_BACK` of what was
    tried. From there it follows a cubic: quickly back towards the refused rate, flat for a while, then ever faster upwards. The
    flat part is a multiple of the pause that a refusal costs, and doubles while the limit proves stable.

    A server may also refuse at random, whatever the rate. When refusals come `SURPRISES` times in a row at rates well below
    those refused before, the rate is unbounded again for `FORGET_S`, and refusals only cost their pauses.

    Source of the curve: RFC 9438, CUBIC for Fast Long-Distance Networks.
    """

    def __init__(self) -> None:
        self._peak: float | None = None
        self._paced = False
        self._few = False
        self._burst = 1.0
        self._flat_s = 0.0
        self._resumed_at = 0.0
        self._sent = 0
        self._refused = 0
        self._sent_at: deque[float] = deque(maxlen=4096)
        self._refused_at: deque[float] = deque(maxlen=4096)
        self._free_at = -math.inf
        self._proven: deque[float] = deque(maxlen=3)
        self._tried: deque[float] = deque(maxlen=3)
        self._surprises = 0
        self._blind_until = -math.inf

    def rate(self, now: float) -> float:
        """Requests per second that may go out now; infinite before the first refusal."""
        if self._peak is None:
            return math.inf
        x = (now - self._resumed_at - self._flat_s) / self._flat_s
        if not self._paced:
            return self._peak * math.exp2(min(max(x, 0.0) * max(self._flat_s / DOUBLING_S, DOUBLINGS_PER_FLAT), 60.0))
        return self._peak * (1 + (1 - STEP_BACK) * x * x * x)

    def blind(self, now: float) -> bool:
        """True while refusals are taken to have nothing to do with the rate."""
        return now < self._blind_until

    def delay(self, now: float) -> float:
        """Seconds until the next sending, 0 when it may go now."""
        return max(self._free_at - now, 0.0)

    def take(self, now: float) -> None:
        """Count a sending."""
        self._sent += 1
        self._sent_at.append(now)
        rate = self.rate(now)
        if rate < math.inf:
            self._free_at = max(self._free_at, now - SLACK_S) + 1 / rate

    def refused(self, sent_at: float) -> None:
        """Count a refusal of something that was sent at `sent_at`."""
        self._refused += 1
        self._refused_at.append(sent_at)

    def resume(self, now: float, *, tried: float, stopped_at: float, sent_at: float) -> float:
        """Learn from the period that ended with a refusal and a pause.

        Args:
            now: The end of the pause.
            tried: The rate at the refusal.
            stopped_at: When the refusal came.
            sent_at: When what was refused had been sent.

        Returns:
            What was admitted of the last second's sendings.
        """
        until = min(sent_at + SAME_BURST_S, stopped_at)
        measured = float(_within(self._sent_at, until) - _within(self._refused_at, until))
        if self._refused > MOST_AT_RANDOM * self._sent:
            self._blind_until = -math.inf
        if self._sent > self._refused and not self.blind(now):
            self._few = measured < FEW_SHARE * _within(self._sent_at, until)
            self._step(now, tried, measured, pause_s=now - stopped_at)
        if measured >= 3:
            self._proven.append(measured)
        self._sent = self._refused = 0
        self._resumed_at = now
        self._free_at = now
        return measured

    def _step(self, now: float, tried: float, measured: float, *, pause_s: float) -> None:
        proven = max(self._proven, default=0.0)
        self._surprises = self._surprises + 1 if tried < STEP_BACK * max(self._tried, default=0.0) else 0
        if tried < math.inf:
            self._tried.append(tried)
        if self._surprises >= SURPRISES:
            self._surprises, self._peak, self._blind_until = 0, None, now + FORGET_S
            self._proven.clear()
            self._tried.clear()
            return
        before, self._paced = self._peak, self._peak is not None
        near = sorted([measured, *(rate for rate in self._proven if KEEP * measured < rate < measured / KEEP)])
        if before is None:
            self._burst = max(measured, 1.0)
        elif measured < 0.9 * tried and not KEEP < measured / self._burst < 1 / KEEP:
            near = [math.sqrt(measured * tried)]
        likely = near[(len(near) - 1) // 2]
        stepped = min(max(AT_ONCE * likely, KEEP * proven, 1 / max(pause_s, 1.0)), STEP_BACK * tried)
        stable = before is not None and abs(tried / before - 1) < 0.15
        longest_s = LONGEST_FLAT_S if self._paced else FIRST_FLAT_S
        once_s = min(max(30 * pause_s, 0.5), longest_s / (3 if self._paced else 1))
        self._flat_s = min(self._flat_s * 2, longest_s) if stable and self._paced else once_s
        if self._few and not self._paced:
            self._flat_s = min(self._flat_s, 2 * max(pause_s, 0.25))
        self._peak = stepped / (STEP_BACK if self._paced else 1.0)


def _within(times: Iterable[float], until: float) -> int:
    return sum(1 for time in times if until - 1.0 < time <= until)
