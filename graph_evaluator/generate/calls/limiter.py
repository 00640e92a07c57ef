"""The pace of all calls of one endpoint and key: how fast, and when none at all."""

import math
from collections import defaultdict

from graph_evaluator.generate.calls.outcome import Fault, RateLimits
from graph_evaluator.generate.plan.call import Call
from graph_evaluator.records.params import RuntimeParams

TYPICAL_OUTPUT_TOKENS = 2_000
"""The output that is expected of an answer before it is known."""
Used = tuple[float, ...]
"""The requests and the tokens that a model was sent up to and with a call."""


class Limiter:
    """The rate of calls, from what the user set, what the server says and what it refuses.

    A refusal (HTTP 429) holds every call and lowers the rate (`Pace`). `x-ratelimit-*` headers (per
    model, as providers limit models separately) and the user's limit are never exceeded. The
    window, `runtime.max_concurrency`, is the runner's. Times are seconds of a monotonic clock.
    """

    def __init__(self, settings: RuntimeParams) -> None:
        self.begun = 0
        """Calls that were sent and are not done."""
        self._max_wait_s = settings.max_wait_s
        self._pace = Pace(settings.requests_per_minute, settings.max_wait_s)
        self._allowances = defaultdict[str, tuple[Allowance, Allowance]](
            lambda: (Allowance(), Allowance())
        )
        """The requests and the tokens of each model."""

    def delay_s(self, call: Call, now: float) -> float:
        """Seconds until the call may be sent."""
        delays = [allowance.delay_s(units, now) for allowance, units in self._needs(call)]
        return max(self._pace.delay_s(now), *delays)

    def send(self, call: Call, now: float) -> Used:
        """Count a call that is sent now; what its model was sent up to and with it."""
        self._pace.send(now)
        return tuple(allowance.take(units) for allowance, units in self._needs(call))

    def record_answer(self, call: Call, sent_at: float, used: Used, limits: RateLimits) -> None:
        """Take the answer to a call into account, and what its headers say."""
        self._pace.answers += 1
        for allowance, units, limit in zip(self._allowances[call.model], used, limits, strict=True):
            if limit is not None:
                until = sent_at + min(limit.reset_s, self._max_wait_s)
                allowance.update(units, limit.left, until)

    def record_fault(self, sent_at: float, fault: Fault, now: float) -> None:
        """Take a failed call into account."""
        if fault.status == "rate_limited":
            self._pace.refuse(sent_at, fault.wait_s or 0.0, now)

    def _needs(self, call: Call) -> list[tuple["Allowance", int]]:
        requests, tokens = self._allowances[call.model]
        output_tokens = min(call.planned.most_output_tokens, TYPICAL_OUTPUT_TOKENS)
        return [(requests, 1), (tokens, call.input_tokens + output_tokens)]


class Allowance:
    """What the newest `x-ratelimit-*` headers leave of one limit of one model until its reset."""

    MARGIN_S = 0.05
    """A reset is taken to come later: it is rounded, and counts from the call's arrival."""

    def __init__(self) -> None:
        self._used = self._reported = 0.0
        self._allowed = math.inf
        self._until = -math.inf

    def delay_s(self, units: float, now: float) -> float:
        """Seconds until `units` are allowed."""
        if self._used + units <= self._allowed:
            return 0.0
        return max(self._until - now, 0.0)

    def take(self, units: float) -> float:
        """Count units; what was used up to and with them."""
        self._used += units
        return self._used

    def update(self, used: float, left: int, until: float) -> None:
        """Read the headers of the call with which `used` was used; older ones say nothing new."""
        if used >= self._reported:
            self._reported = used
            self._allowed = used + left
            self._until = until + self.MARGIN_S


class Pace:
    """The rate of calls, evenly spaced, to a server that refuses some: it falls with a refusal and
    grows again.

    After a refusal nothing is sent for as long as the server asks, and for a time that doubles
    while there are no answers. What the server allows is between the rate of answers since the last
    refusal and the rate that was sent: the calls go on at the geometric mean of both, and the rate
    grows evenly, to the one that was sent within `HOLDS_PER_RISE` times the hold. As some servers
    refuse at random, a third of the best rate of answers is kept.
    """

    FIRST_HOLD_S = 0.25
    HOLDS_PER_RISE = 20.0
    MIN_RISE_S = 8.0
    MAX_BURST = 20.0
    """The rate that was sent, over that of answers, at most."""
    MAX_SLACK_S = 0.05
    """A call that is this late may be caught up."""

    def __init__(self, per_minute: float | None, max_hold_s: float) -> None:
        self.answers = 0
        """Since the last refusal."""
        self._most_per_s = per_minute / 60 if per_minute else math.inf
        self._max_hold_s = max_hold_s
        self._free_at = self._refused_at = -math.inf
        self._held_until = 0.0
        self._own_hold_s = self.FIRST_HOLD_S
        self._start_per_s = math.inf
        self._growth = self._best_per_s = 0.0

    def delay_s(self, now: float) -> float:
        """Seconds until the next call."""
        return max(self._held_until - now, self._free_at - now, 0.0)

    def send(self, now: float) -> None:
        """Count a call."""
        spacing_s = 1 / min(self._rate(now), self._most_per_s)
        slack_s = min(spacing_s / 20, self.MAX_SLACK_S)
        self._free_at = max(self._free_at, now - slack_s) + spacing_s

    def refuse(self, sent_at: float, wait_s: float, now: float) -> None:
        """Hold all calls; the first refusal of those sent since the last hold lowers the rate."""
        if sent_at >= self._held_until:
            wait_s = max(wait_s, self._own_hold_s)
            self._own_hold_s = min(2 * self._own_hold_s, self._max_hold_s)
            if self.answers:
                self._own_hold_s = self.FIRST_HOLD_S
                self._lower(wait_s, now)
            self._refused_at = now
            self.answers = 0
        self._held_until = max(self._held_until, now + min(wait_s, self._max_hold_s))

    def _lower(self, hold_s: float, now: float) -> None:
        answers_per_s = self.answers / (now - self._refused_at)
        if answers_per_s == 0:  # the first refusal: no time is known
            return
        sent_per_s = min(self._rate(now), self.MAX_BURST * answers_per_s)
        self._best_per_s = max(self._best_per_s, answers_per_s)
        mean_per_s = math.sqrt(answers_per_s * sent_per_s)
        self._start_per_s = max(0.95 * mean_per_s, self._best_per_s / 3)
        rise_s = max(self.HOLDS_PER_RISE * hold_s, self.MIN_RISE_S)
        self._growth = abs(sent_per_s - self._start_per_s) / rise_s

    def _rate(self, now: float) -> float:
        """Calls per second; infinite before a refusal."""
        return self._start_per_s + self._growth * (now - self._held_until)
