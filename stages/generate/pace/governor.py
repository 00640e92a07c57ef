"""The pace of all calls of one endpoint and key: how many at once, how fast, and when to hold still."""

import math
from collections import defaultdict

import msgspec

from stages.contracts.params import RuntimeParams
from stages.generate.call import Call
from stages.generate.caller import Fault, Limits
from stages.generate.pace.headroom import Headroom
from stages.generate.pace.learned_cap import LearnedCap
from stages.generate.pace.learned_rate import LearnedRate
from stages.generate.pace.pacer import Pacer
from stages.generate.pace.pause import Pause
from stages.generate.pace.sendings import Sending, Sendings

DECREASE = 0.75
TYPICAL_OUTPUT_TOKENS = 2_000


class Ticket(msgspec.Struct, frozen=True):
    """A call that is out: when it was sent, and where it stood."""

    model: str
    sent_at: float
    tokens: int
    stand: tuple[int, int]
    sending: Sending


class Governor:
    """Additive increase, multiplicative decrease over the calls at once, and a rate or a cap learned from refusals.

    A 429 stops every call of the key for as long as the server asks (else for a back-off), brings the concurrency down to
    `DECREASE` of itself, though not below what the admitted rate needs (Little's law), and sets the pace. Refusals of calls
    that were sent before the stop belong to the same event. Every other answer widens the concurrency by 1 / itself. Where
    refusals turn out to depend on how many calls are out, that cap holds instead of the pace. What `x-ratelimit-*` headers
    leave is not exceeded, per model, for limits are per model.

    Time is passed in, in seconds of any monotonic clock.
    """

    def __init__(self, settings: RuntimeParams) -> None:
        self._settings = settings
        self._most = settings.max_concurrency
        self._window = float(self._most)
        self._out = 0
        self._requests = Pacer(settings.requests_per_minute) if settings.requests_per_minute else None
        self._tokens = Pacer(settings.tokens_per_minute) if settings.tokens_per_minute else None
        self._sendings = Sendings()
        self._learned = LearnedRate(self._sendings)
        self._cap = LearnedCap()
        self._pause = Pause(settings.max_wait_s)
        self._headroom: defaultdict[str, Headroom] = defaultdict(lambda: Headroom(settings.max_wait_s))
        self._stopped_at = -math.inf
        self._until = -math.inf
        self._refused_sent_at = -math.inf
        self._tried: float | None = None
        self._resumed_at = -math.inf
        self._latency_s: float | None = None
        self._output: dict[str, float] = {}

    @property
    def concurrency(self) -> int:
        """Calls that may be out at once now, at least 1."""
        return max(int(self._window if self._cap.at_most is None else min(self._window, self._cap.at_most)), 1)

    def delay(self, call: Call, now: float) -> float:
        """Seconds until `call` may be sent: 0 for now, infinite when another call has to come back first."""
        if now < self._until:
            return self._until - now
        if self._tried is not None:
            self._resume(now)
        if self._out >= self.concurrency:
            return math.inf
        learned_s = self._learned.delay(now) if self._cap.at_most is None else 0.0
        delays = [learned_s, self._headroom[call.model].delay(self._expected_tokens(call), now)]
        delays += [pacer.delay(now) for pacer in (self._requests, self._tokens) if pacer is not None]
        return max(delays)

    def sent(self, call: Call, now: float) -> Ticket:
        """`call` goes out now."""
        tokens = self._expected_tokens(call)
        self._out += 1
        self._learned.take(now)
        if self._requests is not None:
            self._requests.take(now)
        if self._tokens is not None:
            self._tokens.take(now, tokens)
        return Ticket(call.model, now, tokens, self._headroom[call.model].sent(tokens), self._sendings.add(now))

    def answered(self, ticket: Ticket, call: Call, limits: Limits, tokens: int | None, now: float) -> None:
        """A call came back with an answer that used so many tokens."""
        self._back(ticket, limits, now)
        self._latency_s = _smooth(self._latency_s, now - ticket.sent_at)
        if tokens is not None:
            used = max(tokens - call.input_tokens_estimate, 0)
            self._output[call.model] = _smooth(self._output.get(call.model), used)
            if self._tokens is not None:
                self._tokens.correct(tokens - ticket.tokens)

    def failed(self, ticket: Ticket, fault: Fault, now: float, draw: float) -> None:
        """A call came back without an answer."""
        if fault.status != "rate_limited":
            self._back(ticket, fault.limits, now)
            return
        self._out -= 1
        self._learned.refused()
        ticket.sending.refused = True
        ticket.sending.ended_at = now
        self._headroom[ticket.model].heard(ticket.stand, fault.limits, sent_at=ticket.sent_at)
        if ticket.sent_at >= self._stopped_at and self._tried is None:
            self._tried = self._learned.rate(now)
            self._stopped_at = now
            self._refused_sent_at = ticket.sent_at
            self._until = now + self._pause.after(fault.wait_s, now, sent_at=ticket.sent_at, draw=draw)
        elif fault.wait_s is not None:
            self._until = max(self._until, now + self._pause.at_most(fault.wait_s))

    def _back(self, ticket: Ticket, limits: Limits, now: float) -> None:
        self._out -= 1
        ticket.sending.ended_at = now
        self._window = min(self._window + 1 / self._window, self._most)
        self._cap.answered(now)
        self._headroom[ticket.model].heard(ticket.stand, limits, sent_at=ticket.sent_at)

    def _resume(self, now: float) -> None:
        tried, self._tried = self._tried or math.inf, None
        self._pause.over(now, admitted_any=self._learned.admitted_any)
        admitted = self._learned.resume(now, tried=tried, stopped_at=self._stopped_at, sent_at=self._refused_sent_at)
        self._cap.resume(
            now,
            out=self._sendings.in_flight(self._refused_sent_at),
            most=self._sendings.most_in_flight(self._resumed_at, self._refused_sent_at),
            pause_s=now - self._stopped_at,
        )
        self._resumed_at = self._stopped_at = now
        if not self._learned.blind(now):
            needed = math.ceil(admitted * (self._latency_s or 0.0))
            self._window = min(max(self._window * DECREASE, needed, 1.0), self._most)

    def _expected_tokens(self, call: Call) -> int:
        output = self._output.get(call.model, min(call.output_tokens_upper, TYPICAL_OUTPUT_TOKENS))
        return call.input_tokens_estimate + int(output)


def _smooth(before: float | None, value: float) -> float:
    return value if before is None else 0.8 * before + 0.2 * value
