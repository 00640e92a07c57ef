"""The pace of all calls of one endpoint and key: how many at once, how fast, and how long none at all after a refusal."""

import math
from collections import defaultdict
from dataclasses import dataclass

from stages.contracts.params import RuntimeParams
from stages.generate.calls.faults import Fault, RateLimits
from stages.generate.calls.retry import backoff_s
from stages.generate.plan.cells import Call

DECREASE = 0.75
"""What a refusal leaves of the concurrency."""
SHORTEST_HOLD_S = 0.05
"""By then the refusals of the calls that were sent together have come back."""
LONG_HOLD_S = 10.0
"""A hold that lasts longer is worth a message."""
TRUSTED_HOLDS = 2
"""After so many holds in a row in which nothing was admitted, the wait that the server asks for is taken to be too short."""
TYPICAL_OUTPUT_TOKENS = 2_000
"""The output that is expected of a model before its first answer."""


@dataclass(frozen=True, slots=True)
class Permit:
    """A call that was sent: `requests` and `tokens` count what the model was sent up to and with it."""

    model: str
    sent_at: float
    expected_tokens: int
    requests: float
    tokens: float


class Limiter:
    """Concurrency with additive increase and multiplicative decrease, and everything that servers say about their limits.

    A 429 holds every call of the key for as long as the server asks, else for a back-off with jitter, reduces the concurrency
    to `DECREASE` of itself (though not below what the admitted rate needs by Little's law) and limits the rate (`Pace`). Every
    answer raises the concurrency by 1 / itself. `x-ratelimit-*` headers (per model, as providers limit models separately),
    `requests_per_minute` and `tokens_per_minute` are never exceeded. Times are seconds of one monotonic clock.
    """

    def __init__(self, settings: RuntimeParams) -> None:
        self._settings = settings
        self._window = float(settings.max_concurrency)
        self._in_flight = 0
        self._pace = Pace()
        self._requests = Spacing(60 / settings.requests_per_minute if settings.requests_per_minute else 0.0)
        self._tokens = Spacing(60 / settings.tokens_per_minute if settings.tokens_per_minute else 0.0)
        self._requests_left: defaultdict[str, Allowance] = defaultdict(lambda: Allowance(settings.max_wait_s))
        self._tokens_left: defaultdict[str, Allowance] = defaultdict(lambda: Allowance(settings.max_wait_s))
        self._output_tokens: dict[str, float] = {}
        self._latency_s = 0.0
        self._held_since: float | None = None
        self._held_until = self._resumed_at = -math.inf
        self._fruitless_holds = 0

    @property
    def concurrency(self) -> int:
        """The calls that may be in flight, at least 1."""
        return max(int(self._window), 1)

    def model_delay(self, call: Call, now: float) -> float:
        """Seconds until the headers of the call's model allow it, 0 when they do."""
        tokens = self._tokens_left[call.model].delay(self._expected_tokens(call), now)
        return max(tokens, self._requests_left[call.model].delay(1, now))

    def delay(self, now: float) -> float:
        """Seconds until the key allows a call: 0 for now, infinite when another call has to end first."""
        if now < self._held_until:
            return self._held_until - now
        if self._held_since is not None:
            self._resume(self._held_since, now)
        if self._in_flight >= self.concurrency:
            return math.inf
        return max(self._pace.delay(now), self._requests.delay(now), self._tokens.delay(now))

    def sent(self, call: Call, now: float) -> Permit:
        """The call is sent now."""
        tokens = self._expected_tokens(call)
        self._in_flight += 1
        self._pace.take(now)
        self._requests.take(now)
        self._tokens.take(now, tokens)
        requests_left, tokens_left = self._requests_left[call.model], self._tokens_left[call.model]
        return Permit(call.model, now, tokens, requests_left.take(1), tokens_left.take(tokens))

    def answered(self, permit: Permit, call: Call, limits: RateLimits, tokens: int | None, now: float) -> None:
        """The call has an answer that used so many tokens in all."""
        self._ended(permit, limits)
        self._latency_s = _smooth(self._latency_s, now - permit.sent_at)
        if tokens is None:
            return
        self._output_tokens[call.model] = _smooth(
            self._output_tokens.get(call.model, 0.0), max(tokens - call.planned.input_tokens, 0)
        )
        self._tokens.correct(tokens - permit.expected_tokens)

    def failed(self, permit: Permit, fault: Fault, now: float, draw: float) -> float | None:
        """The call has no answer; the seconds for which every call of the key is now held, when that became a long time.

        Refusals of calls that were sent before the last hold belong to what caused it. `draw` is uniform in [0, 1).
        """
        if fault.status != "rate_limited":
            self._ended(permit, fault.limits)
            return None
        self._in_flight -= 1
        self._pace.refused(permit.sent_at)
        self._report(permit, fault.limits)
        longest_s, hold_s = self._settings.max_wait_s, fault.wait_s or 0.0
        if self._held_since is None and permit.sent_at >= self._resumed_at:
            self._held_since = now
            backoff = backoff_s(self._fruitless_holds + 1, max(draw, 0.2), most_s=longest_s)
            trusted = fault.wait_s is not None and self._fruitless_holds < TRUSTED_HOLDS
            hold_s = max(hold_s, SHORTEST_HOLD_S if trusted else backoff)
        before, self._held_until = self._held_until, max(self._held_until, now + min(hold_s, longest_s))
        return self._held_until - now if self._held_until > max(before, now) + LONG_HOLD_S else None

    def _ended(self, permit: Permit, limits: RateLimits) -> None:
        self._in_flight -= 1
        self._window = min(self._window + 1 / self._window, self._settings.max_concurrency)
        self._report(permit, limits)

    def _report(self, permit: Permit, limits: RateLimits) -> None:
        """Take up the headers of the answer to a call; they describe the moment at which the server admitted it."""
        model, at = permit.model, permit.sent_at
        self._requests_left[model].report(permit.requests, limits.requests_left, limits.requests_reset_s, at)
        self._tokens_left[model].report(permit.tokens, limits.tokens_left, limits.tokens_reset_s, at)

    def _resume(self, held_since: float, now: float) -> None:
        """The hold is over: send more slowly than before it."""
        self._held_since = None
        self._resumed_at = now
        self._fruitless_holds = 0 if self._pace.admitted_any else self._fruitless_holds + 1
        self._pace.reduce(held_since, now)
        if self._pace.rate(now) < math.inf:
            needed = self._pace.rate(now) * self._latency_s
            self._window = min(max(self._window * DECREASE, needed, 1.0), self._settings.max_concurrency)

    def _expected_tokens(self, call: Call) -> int:
        output = self._output_tokens.get(call.model, min(call.planned.model.most_output_tokens, TYPICAL_OUTPUT_TOKENS))
        return call.planned.input_tokens + int(output)


class Spacing:
    """Lets units (requests or tokens) pass one every `unit_s`, evenly spaced; who is a little late may catch up."""

    SLACK_S = 0.05

    def __init__(self, unit_s: float) -> None:
        self._unit_s = unit_s
        self._free_at = -math.inf

    def delay(self, now: float) -> float:
        """Seconds until the next call, 0 when it may be sent now."""
        return max(self._free_at - now, 0.0)

    def take(self, now: float, units: float = 1) -> None:
        """Count a call."""
        takes_s = units * self._unit_s
        self._free_at = max(self._free_at, now - min(self.SLACK_S, takes_s / 5)) + takes_s

    def correct(self, units: float) -> None:
        """A past call was of so many units more (or less) than counted."""
        self._free_at += units * self._unit_s


class Allowance:
    """What the newest `x-ratelimit-*` headers leave of one limit of one model until its reset, but for `longest_s` at most."""

    MARGIN = 1.01
    MARGIN_S = 0.02
    """A reset is taken to come later by so much: it is rounded, and counts from when the server received the call."""

    def __init__(self, longest_s: float) -> None:
        self._longest_s = longest_s
        self._used = self._reported = 0.0
        self._last = math.inf
        self._until = -math.inf

    def take(self, units: float) -> float:
        """Count a call; gives what was used up to and with it."""
        self._used += units
        return self._used

    def report(self, used: float, left: int | None, reset_s: float | None, sent_at: float) -> None:
        """The call up to which `used` was used left so much; headers of older calls say nothing new."""
        if left is None or reset_s is None or used < self._reported:
            return
        self._reported, self._last = used, used + left
        self._until = sent_at + min(reset_s * self.MARGIN + self.MARGIN_S, self._longest_s)

    def delay(self, units: float, now: float) -> float:
        """Seconds until so many units are allowed, 0 when they are now."""
        return max(self._until - now, 0.0) if self._used + units > self._last else 0.0


class Pace(Spacing):
    """The rate of calls to a server that has refused some: reduced at each refusal, raised slowly at first and then faster.

    Unlimited before the first refusal. Between two refusals a server admits what its limit allows, however large the burst
    was that it allowed before the first one, so that average is the rate after the second refusal; but no less than `KEEP` of
    the rate that was refused, nor, as some servers refuse at random at any rate, than a third of the best average so far. From
    there the rate is base x (1 + (t / T)^3), with a T that is a multiple of the hold that the refusal cost: a small one until
    a rate that was sent for `SUSTAINED_S` was refused, which is then close to the limit.
    """

    KEEP = 0.9
    SUSTAINED_S = 1.0
    HOLDS_PER_RISE, HOLDS_PER_SEARCH = 25.0, 3.0
    SHORTEST_RISE_S, LONGEST_RISE_S = 4.0, 60.0
    MOST_RISES = 2.0
    """The rate rises for so many T at most, to 9 x base."""
    SLOWEST = 1 / 60
    """Calls per second."""

    def __init__(self) -> None:
        super().__init__(0.0)
        self._base = math.inf
        self._best = 0.0
        self._rise_s = 1.0
        self._near_limit = False
        self._resumed_at = -math.inf
        self._refused_at: float | None = None
        self._sent = self._refused = self._sent_since_hold = self._refused_since_hold = 0

    def rate(self, now: float) -> float:
        """Calls per second that may be sent now; infinite before the second refusal."""
        rises = min(max(now - self._resumed_at, 0.0) / self._rise_s, self.MOST_RISES)
        return self._base * (1 + rises**3)

    @property
    def admitted_any(self) -> bool:
        """True when a call that was sent since the last hold was not refused."""
        return self._sent_since_hold > self._refused_since_hold

    def take(self, now: float, units: float = 1) -> None:
        """Count a call."""
        self._sent += 1
        self._sent_since_hold += 1
        self._unit_s = 1 / self.rate(now)
        super().take(now, units)

    def refused(self, sent_at: float) -> None:
        """Count a refusal of a call that was sent at `sent_at`."""
        self._refused += self._refused_at is not None and sent_at > self._refused_at
        self._refused_since_hold += sent_at >= self._resumed_at

    def reduce(self, refused_at: float, now: float) -> None:
        """A refusal came at `refused_at`, and the hold after it is over now."""
        tried, sustained = self.rate(refused_at), refused_at - self._resumed_at >= self.SUSTAINED_S
        self._sent_since_hold = self._refused_since_hold = 0
        self._resumed_at = self._free_at = now
        if self._refused_at is None:
            self._refused_at, self._sent, self._refused = refused_at, 0, 0
            return
        since_s = refused_at - self._refused_at
        if since_s < self.SUSTAINED_S or self._sent <= self._refused:
            self._base *= self.KEEP
            return
        admitted = (self._sent - self._refused) / since_s
        self._refused_at, self._sent, self._refused = refused_at, 0, 0
        self._best = max(self._best, admitted)
        self._base = max(admitted, self._best / 3, self.SLOWEST)
        if tried < math.inf:
            self._base = max(self._base, self.KEEP * tried)
            self._near_limit |= sustained
        holds = self.HOLDS_PER_RISE if self._near_limit else self.HOLDS_PER_SEARCH
        self._rise_s = min(max(holds * (now - refused_at), self.SHORTEST_RISE_S), self.LONGEST_RISE_S)


def _smooth(before: float, value: float) -> float:
    """The exponential moving average with the weight 0.2; the first value as it is."""
    return 0.8 * before + 0.2 * value if before else value
