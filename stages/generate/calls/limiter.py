"""The pace of all calls of one endpoint and key: how many at once, how fast, and how long none at all after a refusal."""

import math
from collections import defaultdict
from dataclasses import dataclass

from stages.contracts.params import RuntimeParams
from stages.generate.calls.faults import Fault, RateLimits
from stages.generate.calls.retry import backoff_s
from stages.generate.plan.call import Call

KEEP = 0.9
"""What a refusal leaves of the concurrency, and of the rate at most."""
LONG_HOLD_S = 10.0
"""A hold that lasts longer is worth a message."""
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

    A 429 holds every call of the key, reduces the concurrency to `KEEP` of itself and limits the rate (`_Pace`); every answer
    raises the concurrency by 1 / itself. `x-ratelimit-*` headers (per model, as providers limit models separately),
    `requests_per_minute` and `tokens_per_minute` are never exceeded. Times are seconds of one monotonic clock.
    """

    def __init__(self, settings: RuntimeParams) -> None:
        self._settings = settings
        self._window = float(settings.max_concurrency)
        self._in_flight = 0
        self._pace = _Pace(settings.max_wait_s)
        self._requests = _Spacing(
            60 / settings.requests_per_minute if settings.requests_per_minute else 0.0
        )
        self._tokens = _Spacing(
            60 / settings.tokens_per_minute if settings.tokens_per_minute else 0.0
        )
        self._requests_left: defaultdict[str, _Allowance] = defaultdict(
            lambda: _Allowance(settings.max_wait_s)
        )
        self._tokens_left: defaultdict[str, _Allowance] = defaultdict(
            lambda: _Allowance(settings.max_wait_s)
        )
        self._output_tokens: dict[str, float] = {}

    @property
    def concurrency(self) -> int:
        """The calls that may be in flight, at least 1."""
        return int(self._window)

    def model_delay(self, call: Call, now: float) -> float:
        """Seconds until the headers of the call's model allow it, 0 when they do."""
        tokens = self._tokens_left[call.model].delay(self._expected_tokens(call), now)
        return max(tokens, self._requests_left[call.model].delay(1, now))

    def delay(self, now: float) -> float:
        """Seconds until the key allows a call: 0 for now, infinite when another call has to end first."""
        if self._in_flight >= self.concurrency:
            return max(self._pace.held_until - now, 0.0) or math.inf
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

    def answered(self, permit: Permit, call: Call, limits: RateLimits, tokens: int | None) -> None:
        """The call has an answer that used so many tokens in all."""
        self._ended(permit, limits)
        self._window = min(self._window + 1 / self._window, self._settings.max_concurrency)
        if tokens is not None:
            self._tokens.correct(tokens - permit.expected_tokens)
            output = max(tokens - call.input_tokens, 0)
            self._output_tokens[call.model] = (
                0.8 * self._output_tokens.get(call.model, output) + 0.2 * output
            )

    def failed(self, permit: Permit, fault: Fault, now: float, draw: float) -> float | None:
        """The call has no answer; the seconds for which every call of the key is now held, when that became a long time."""
        self._ended(permit, fault.limits)
        if fault.status != "rate_limited":
            return None
        before = max(self._pace.held_until, now)
        if self._pace.refused(permit.sent_at, fault.wait_s, now, draw):
            self._window = max(self._window * KEEP, 1.0)
        return self._pace.held_until - now if self._pace.held_until > before + LONG_HOLD_S else None

    def _ended(self, permit: Permit, limits: RateLimits) -> None:
        self._in_flight -= 1
        model, at = permit.model, permit.sent_at
        self._requests_left[model].report(
            permit.requests, limits.requests_left, limits.requests_reset_s, at
        )
        self._tokens_left[model].report(
            permit.tokens, limits.tokens_left, limits.tokens_reset_s, at
        )

    def _expected_tokens(self, call: Call) -> int:
        output = self._output_tokens.get(
            call.model, min(call.most_output_tokens, TYPICAL_OUTPUT_TOKENS)
        )
        return call.input_tokens + int(output)


class _Spacing:
    """Lets units (requests or tokens) pass one every `unit_s`, evenly spaced; who is a little late may catch up."""

    SLACK_S = 0.05

    def __init__(self, unit_s: float) -> None:
        self._unit_s = unit_s
        self._free_at = -math.inf

    def delay(self, now: float) -> float:
        return max(self._free_at - now, 0.0)

    def take(self, now: float, units: float = 1) -> None:
        takes_s = units * self._unit_s
        self._free_at = max(self._free_at, now - min(self.SLACK_S, takes_s / 5)) + takes_s

    def correct(self, units: float) -> None:
        """A past call was of so many units more (or less) than counted."""
        self._free_at += units * self._unit_s


class _Allowance:
    """What the newest `x-ratelimit-*` headers leave of one limit of one model until its reset, but for `longest_s` at most."""

    MARGIN_S = 0.05
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
        self._until = sent_at + min(reset_s + self.MARGIN_S, self._longest_s)

    def delay(self, units: float, now: float) -> float:
        return max(self._until - now, 0.0) if self._used + units > self._last else 0.0


class _Pace(_Spacing):
    """Calls to a server that refuses some: none for a while after a refusal, then at a rate that rises until the next one.

    Between two refusals a server admits what its limit allows. So the limit is between the rate that was admitted, the hold
    included, and the rate that was sent. The calls go on at the geometric mean of the two, come back to the rate that was
    sent within `HOLDS_PER_RISE` times the hold, slowly near it, and go beyond it ever faster. As some servers refuse at
    random at any rate, it is never less than a third of the best that was admitted.

    Source of the curve: S. Ha, I. Rhee, L. Xu, "CUBIC: a new TCP-friendly high-speed TCP variant", ACM SIGOPS 42(5), 2008.
    """

    HOLDS_PER_RISE = 15.0
    SHORTEST_RISE_S = 4.0

    def __init__(self, longest_s: float) -> None:
        super().__init__(0.0)
        self.held_until = -math.inf
        self._longest_s = longest_s
        self._held_since: float | None = None
        self._fruitless_holds = 0
        self._began_at = -math.inf  # the first call after the last hold
        self._sent = self._refused = 0  # since then
        self._rate = self._base = self._goal = math.inf
        self._best = 0.0
        self._rise_s = 1.0

    def delay(self, now: float) -> float:
        if now < self.held_until:
            return self.held_until - now
        if self._held_since is not None:
            self._resume(self._held_since, now)
        return super().delay(now)

    def take(self, now: float, units: float = 1) -> None:
        self._began_at = self._began_at if self._sent else now
        self._sent += 1
        left = 1 - (now - self._began_at) / self._rise_s
        if self._goal < math.inf:
            self._rate = self._goal - (self._goal - self._base) * left**3
            self._unit_s = 1 / self._rate
        super().take(now, units)

    def refused(self, sent_at: float, wait_s: float | None, now: float, draw: float) -> bool:
        """Hold all calls for as long as the server asks, and at least for a back-off that grows while everything is refused.

        True for the first refusal of the calls that were sent together; those sent before the last hold belong to what caused it.
        """
        self._refused += sent_at >= self._began_at
        first = self._held_since is None and sent_at >= self._began_at
        hold_s = wait_s or 0.0
        if first:
            self._held_since = now
            hold_s = max(
                hold_s, backoff_s(self._fruitless_holds, max(draw, 0.2), most_s=self._longest_s)
            )
        self.held_until = max(self.held_until, now + min(hold_s, self._longest_s))
        return first

    def _resume(self, held_since: float, now: float) -> None:
        admitted = self._sent - self._refused
        self._fruitless_holds = 0 if admitted else self._fruitless_holds + 1
        if admitted:
            tried = min(self._rate, 2 * self._sent / max(held_since - self._began_at, 0.001))
            kept = admitted / (now - self._began_at)
            self._best = max(self._best, kept)
            self._base = max(min(math.sqrt(kept * tried), KEEP * tried), self._best / 3)
            self._goal = max(tried, self._base / KEEP)
            self._rise_s = max(self.HOLDS_PER_RISE * (now - held_since), self.SHORTEST_RISE_S)
        self._held_since = None
        self._began_at = math.inf
        self._sent = self._refused = 0
        self._free_at = now
