"""How fast calls may go out, learned from the server's refusals."""

import math
from collections import deque

from stages.generate.pace.bucket_fit import refill_rate
from stages.generate.pace.pacer import SLACK_S
from stages.generate.pace.sendings import Sendings

SAME_BURST_S = 0.1  # sent within this of what was refused: the same burst
SEARCH_FROM = 3.0  # times the first burst, per second
SEARCH_DOUBLING_S = 0.3
STRICT_DOUBLING_S = 0.15  # where most of the first burst was refused, so that the rate may be anything
STRICT_SHARE = 0.25
ALIKE = 0.8  # two bursts of the same size
CERTAIN = 0.5  # of what the refill says: a burst below that is no second's worth
START = 0.97
KEEP = 0.97  # what is read is that exact
MORE = 1.2  # than what was tried: the most that is looked for
MOST_DOWN = 8.0
FLAT_PAUSES = 14.0  # then pauses cost some five parts in a hundred
SHORTEST_FLAT_S = 0.5
FIRST_FLAT_S = 30.0
STUCK_FLAT_S = 10.0  # what passed on average is a guess
LONGEST_FLAT_S = 90.0
USED = 6.0  # times what was sent in the last second; doublings in `STRICT_DOUBLING_S` send a fifth of their rate in a second
LOOK_BACK_S = 60.0
AT_RANDOM_BELOW = 0.5
FORGET_S = 60.0
MOST_AT_RANDOM = 0.5
MOST = 10_000.0


class LearnedRate:
    """The rate at which a server that says 429 admits requests, in requests per second; unbounded until it first refuses.

    The first refusal tells how large a burst is forgiven, not how fast it is refilled. So the rate then starts at a few times
    that burst per second and doubles quickly until the server refuses again. The second refusal tells the refill: it is read
    from all that was admitted by `refill_rate`, or is what was admitted in the last second, where that is a whole burst again
    (servers that count per second). From there on the rate is kept: it follows a cubic, from `START` of what was read quickly
    up to it, flat for a multiple of the pause that a refusal costs, then ever faster upwards. The flat part doubles each time
    that a refusal comes only after it.

    A server that refuses one try after the other lets nothing pass for longer than any pause: then the rate is what passed on
    average over the last minute, pauses included (servers that count per minute). A server may also refuse at random, whatever
    the rate. When one comes at less than `AT_RANDOM_BELOW` of a rate that was kept before, the rate is unbounded again for
    `FORGET_S`, and refusals only cost their pauses, unless more than `MOST_AT_RANDOM` are refused.

    Source of the curve: RFC 9438, CUBIC for Fast Long-Distance Networks.
    """

    def __init__(self, sendings: Sendings) -> None:
        self._sendings = sendings
        self._rate: float | None = None
        self._known = False
        self._doubling_s = SEARCH_DOUBLING_S
        self._flat_s = 0.0
        self._burst, self._burst_at = 1.0, 0.0
        self._resumed_at = 0.0
        self._sent = 0
        self._refused = 0
        self._last_second: deque[float] = deque()
        self._free_at = -math.inf
        self._passing = math.inf
        self._tried: deque[float] = deque(maxlen=12)
        self._blind_until = -math.inf

    def rate(self, now: float) -> float:
        """Requests per second that may go out now; infinite before the first refusal."""
        if self._rate is None:
            return math.inf
        since_s = now - self._resumed_at
        cubic = 1 + (1 - START) * (since_s / self._flat_s - 1) ** 3 if self._known else 1.0
        grown = cubic if self._known else math.exp2(min(since_s / self._doubling_s, 60.0))
        if grown <= 1:
            return self._rate * grown
        used = USED * len(self._last_second)
        return min(self._rate * grown, max(self._rate, used))  # what nobody uses proves nothing

    @property
    def admitted_any(self) -> bool:
        """Whether anything that was sent since the last pause has not been refused."""
        return self._sent > self._refused

    def blind(self, now: float) -> bool:
        """True while refusals are taken to have nothing to do with the rate."""
        return now < self._blind_until

    def delay(self, now: float) -> float:
        """Seconds until the next sending, 0 when it may go now."""
        return max(self._free_at - now, 0.0)

    def take(self, now: float) -> None:
        """Count a sending."""
        self._sent += 1
        self._last_second.append(now)
        while self._last_second[0] <= now - 1.0:
            self._last_second.popleft()
        rate = self.rate(now)
        if rate < math.inf:
            # To catch up must not be a burst that is refused.
            slack_s = min(SLACK_S, max(self._burst - 1, 1) / 2 / rate)
            self._free_at = max(self._free_at, now - slack_s) + 1 / rate

    def refused(self) -> None:
        """Count a refusal."""
        self._refused += 1

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
        measured = self._sendings.of_second_before(until)
        if self._refused > MOST_AT_RANDOM * self._sent:
            self._blind_until = -math.inf
        flat_s = max(FLAT_PAUSES * (now - stopped_at), SHORTEST_FLAT_S)
        if not self.admitted_any:
            if tried < math.inf:
                passed = self._sendings.admitted_per_s((now + stopped_at) / 2, span_s=LOOK_BACK_S)
                self._keep(min(tried, max(passed, self._passing / MOST_DOWN)), min(flat_s, STUCK_FLAT_S))
        elif not self.blind(now) and not self._surprised(now, tried):
            self._passing = min(tried, float(len(self._last_second)))
            slowest = 1 / max(now - stopped_at, 1.0)
            if self._rate is None:
                self._search(measured, until, slowest)
            else:
                proven = self._known and stopped_at - self._resumed_at >= self._flat_s / 2
                longest_s = min(self._flat_s * 2, LONGEST_FLAT_S) if proven else min(flat_s, FIRST_FLAT_S)
                read = self._read(measured, until, sent_at, tried)
                kept = tried / START if read >= tried else KEEP * read  # what the rate does not explain was chance
                self._keep(max(kept, tried / MOST_DOWN, slowest), longest_s)
        self._sent = self._refused = 0
        self._resumed_at = now
        self._free_at = now
        return measured

    def _surprised(self, now: float, tried: float) -> bool:
        """Whether refusals have nothing to do with the rate."""
        if not self._known:
            return False
        self._tried.append(tried)
        if tried >= AT_RANDOM_BELOW * max(self._tried):
            return False
        self._rate, self._known, self._blind_until = None, False, now + FORGET_S
        self._tried.clear()
        return True

    def _search(self, measured: int, until: float, slowest: float) -> None:
        strict = measured < STRICT_SHARE * self._sent
        self._burst, self._burst_at = max(float(measured), 1.0), until
        self._doubling_s = STRICT_DOUBLING_S if strict else SEARCH_DOUBLING_S
        self._rate, self._known = max(SEARCH_FROM * measured, slowest), False

    def _read(self, measured: int, until: float, sent_at: float, tried: float) -> float:
        refilled = refill_rate(
            self._sendings.admitted(until),
            burst=self._burst,
            burst_at=self._burst_at,
            refused_at=sent_at,
            most=min(MORE * tried, MOST),
        )
        a_burst_again = ALIKE < measured / self._burst < 1 / ALIKE
        return measured if a_burst_again and refilled < measured / CERTAIN else refilled

    def _keep(self, rate: float, flat_s: float) -> None:
        self._rate, self._known, self._flat_s = rate, True, flat_s
