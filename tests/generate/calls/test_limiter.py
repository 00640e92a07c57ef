"""Calls are held back as limits need it, in virtual time."""

import asyncio
import random
from collections import Counter, deque
from copy import deepcopy
from dataclasses import dataclass, field

import pytest

from graph_evaluator.generate.calls.limiter import Limiter
from graph_evaluator.generate.calls.outcome import CallFailed, Limit, Reply
from tests.builders.cases import cases
from tests.generate.calls.examples import call, limited, run_calls, settings
from tests.generate.virtual_time import now, run_virtually


@dataclass
class SlidingWindow:
    """At most `most` in any `span_s`."""

    most: int
    span_s: float = 1.0
    admitted: deque[float] = field(default_factory=deque)

    @property
    def per_s(self):
        return self.most / self.span_s

    def __call__(self, now):
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

    def __call__(self, now):
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

    def __call__(self, now):
        self.counts[int(now)] += 1
        return self.counts[int(now)] <= self.per_s


Server = SlidingWindow | TokenBucket | FixedWindow


BODY = '{"output": [], "usage": {"input_tokens": 10, "output_tokens": 10, "total_tokens": 20}}'
ANSWER = Reply(body=BODY, latency_ms=1.0, created_at="")


def refuse(limiter, wait_s, at=0.0):
    limiter.send(call(), at)
    limiter.record_fault(at, limited(wait_s), at)


@cases(
    "wait_s, held_s",
    {
        "for the time asked for": (2.0, 2.0),
        "for max_wait_s at most": (86_400.0, 60.0),
        "for a short time when none is asked for": (None, 0.25),
    },
)
def test_a_refusal_holds_every_call_of_the_key(wait_s, held_s):
    limiter = Limiter(settings(max_wait_s=60.0))
    refuse(limiter, wait_s)
    assert limiter.delay_s(call(model="another"), 0.0) == held_s
    assert limiter.delay_s(call(), held_s) == 0.0


@cases(
    "limits, tokens, delay_s",
    {
        "one left": ((Limit(1, 5.0), None), 10, 0.0),
        "none left": ((Limit(0, 5.0), None), 10, 5.05),
        "a far day": ((Limit(0, 9e9), None), 10, 60.05),
        "tokens left": ((None, Limit(200, 3.0)), 50, 0.0),
        "too few": ((None, Limit(200, 3.0)), 500, 3.05),
    },
)
def test_headers_delay_a_model_before_it_is_refused_and_no_other(limits, tokens, delay_s):
    limiter = Limiter(settings(max_wait_s=60.0))
    limiter.record_answer(call(), 0.0, limiter.send(call(), 0.0), limits)
    following = call(input_tokens=tokens)
    assert limiter.delay_s(following, 0.0) == pytest.approx(delay_s)
    assert limiter.delay_s(following, delay_s) == 0.0
    assert limiter.delay_s(call(model="another", input_tokens=tokens), 0.0) == 0.0


async def throughput(admits, cells, latency_s, wait_s=None, **runtime):
    """Answers per second of a server that asks refused calls to wait; fails when a cell has none."""
    draw = random.Random(1)

    async def caller(_call):
        await asyncio.sleep(0.005)
        if not admits(now()):
            raise CallFailed(limited(wait_s))
        await asyncio.sleep(latency_s * (0.5 + draw.random()))
        return ANSWER

    calls = [call(str(number)) for number in range(int(cells))]
    assert await run_calls(calls, caller, **runtime) == {}
    return len(calls) / now()


@cases(
    "server, wait_s",
    {
        "sliding window": (SlidingWindow(50), 1.0),
        "fixed window": (FixedWindow(50), 1.0),
        "a very low limit": (SlidingWindow(2), 1.0),
        "a bucket of three": (TokenBucket(5, 3), 1.0),
        "a bucket of one that names the next token": (TokenBucket(20, 1), 0.05),
    },
)
def test_four_fifths_of_what_a_server_allows_are_used_when_it_says_how_long_to_wait(server, wait_s):
    rate = run_virtually(throughput(server, 40 * server.per_s, 0.1, wait_s))
    assert rate >= 0.8 * server.per_s


@pytest.mark.parametrize("latency_s", [0.1, 1.0])
@cases(
    "server",
    {
        "sliding window": SlidingWindow(20),
        "fixed window": FixedWindow(20),
        "token bucket": TokenBucket(20, 20),
        "a small bucket": TokenBucket(20, 3),
        "a bucket of one": TokenBucket(5, 1),
    },
)
def test_two_fifths_of_what_a_server_allows_are_used_when_it_says_nothing(server, latency_s):
    cells = 40 * server.per_s
    assert run_virtually(throughput(deepcopy(server), cells, latency_s)) >= 0.4 * server.per_s


@cases(
    "wait_s",
    {
        "no Retry-After": None,
        "Retry-After": 30.0,
    },
)
def test_a_limit_per_minute_is_used_by_the_second_minute(wait_s):
    window = SlidingWindow(300, span_s=60)
    assert run_virtually(throughput(window, 1_500, 0.1, wait_s)) >= 0.7 * 5


@pytest.mark.parametrize(("share", "least"), [(0.05, 4.0), (0.2, 2.5)])
def test_refusals_at_random_do_not_stop_a_run(share, least):
    chance = random.Random(3)
    rate = run_virtually(throughput(lambda _: chance.random() >= share, 1_000, 0.05, 1.0))
    assert rate >= least


def test_headers_alone_keep_a_run_within_a_limit_and_use_nine_tenths_of_it():
    window = FixedWindow(50)

    async def caller(_call):
        admitted_at = now()
        assert window(admitted_at)
        await asyncio.sleep(0.05)
        left = 50 - window.counts[int(admitted_at)]
        limits = (Limit(left, 1 - admitted_at % 1), None)
        return ANSWER._replace(limits=limits)

    async def main():
        await run_calls([call(str(number)) for number in range(1_000)], caller)
        return 1_000 / now()

    assert run_virtually(main()) >= 45


def test_requests_per_minute_are_never_exceeded():
    allowed = SlidingWindow(61, span_s=6)
    sent = []

    def server(at):
        sent.append(allowed(at))
        return True

    run_virtually(throughput(server, 100, 0.05, requests_per_minute=600))
    assert sent == [True] * 100
