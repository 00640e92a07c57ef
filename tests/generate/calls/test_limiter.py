import asyncio
import math
import random
from collections.abc import Callable
from typing import Any

import pytest

from stages.generate.calls.faults import NO_LIMITS, CallFailed, Fault, Limit, RateLimits, Reply
from stages.generate.calls.limiter import Limiter
from stages.generate.plan.call import Call
from tests.builders.cases import cases
from tests.generate.calls.examples import call, run_calls, settings
from tests.generate.limiters import AtOnce, FixedWindow, SlidingWindow, TokenBucket
from tests.generate.virtual_time import now, run_virtually

BODY = '{"output": [], "usage": {"input_tokens": 10, "output_tokens": 10, "total_tokens": 20}}'


def limited(wait_s: float | None = 2.0) -> Fault:
    return Fault(status="rate_limited", code="x", message="x", wait_s=wait_s)


def refuse(limiter: Limiter, wait_s: float | None, at: float = 0.0) -> float:
    return limiter.record_fault(limiter.send(call(), at), limited(wait_s), at)


def answer(limiter: Limiter, limits: RateLimits = NO_LIMITS, tokens: int | None = None) -> None:
    limiter.record_answer(limiter.send(call(), 0.0), limits, tokens)


@cases(
    "wait_s, held_s",
    {
        "for the time asked for": (2.0, 2.0),
        "for max_wait_s at most": (86_400.0, 60.0),
        "for a short time when none is asked for": (None, 0.25),
    },
)
def test_a_refusal_holds_every_call_of_the_key(wait_s: float | None, held_s: float) -> None:
    limiter = Limiter(settings(max_wait_s=60.0))
    refuse(limiter, wait_s)
    assert limiter.delay_s(call(model="another"), 0.0) == held_s
    assert limiter.delay_s(call(), held_s) == 0.0


@cases(
    "wait_s",
    {
        "not asked for": None,
        "none": 0.0,
        "too short": 0.01,
    },
)
def test_holds_grow_while_everything_is_refused(wait_s: float | None) -> None:
    limiter, at, calls = Limiter(settings()), 0.0, 0
    while at < 600:
        refuse(limiter, wait_s, at)
        at += limiter.delay_s(call(), at)
        calls += 1
    assert calls < 20


def test_only_a_long_hold_is_worth_a_message() -> None:
    limiter = Limiter(settings())
    permits = [limiter.send(call(), 0.0) for _ in range(3)]
    waits = zip(permits, (9.0, 30.0, 31.0), strict=True)
    holds = [limiter.record_fault(permit, limited(wait_s), 0.0) for permit, wait_s in waits]
    assert holds == [0.0, 30.0, 0.0]


def test_asking_for_the_delay_changes_nothing() -> None:
    limiter = Limiter(settings(requests_per_minute=30))
    refuse(limiter, 2.0)
    assert limiter.delay_s(call(), 5.0) == limiter.delay_s(call(), 5.0) == 0.0
    assert limiter.delay_s(call(), 1.0) == 1.0


@cases(
    "limits, tokens, delay_s",
    {
        "one left": (RateLimits(requests=Limit(1, 5.0)), 10, 0.0),
        "none left": (RateLimits(requests=Limit(0, 5.0)), 10, 5.05),
        "a far day": (RateLimits(requests=Limit(0, 9e9)), 10, 60.05),
        "tokens left": (RateLimits(tokens=Limit(200, 3.0)), 50, 0.0),
        "too few": (RateLimits(tokens=Limit(200, 3.0)), 500, 3.05),
    },
)
def test_headers_delay_a_model_before_it_is_refused_and_no_other(
    limits: RateLimits, tokens: int, delay_s: float
) -> None:
    limiter = Limiter(settings(max_wait_s=60.0))
    answer(limiter, limits)
    following = call(input_tokens=tokens)
    assert limiter.delay_s(following, 0.0) == pytest.approx(delay_s)
    assert limiter.delay_s(following, delay_s) == 0.0
    assert limiter.delay_s(call(model="another", input_tokens=tokens), 0.0) == 0.0


def test_headers_of_an_older_call_change_nothing() -> None:
    limiter = Limiter(settings())
    older, newer = limiter.send(call(), 0.0), limiter.send(call(), 0.0)
    limiter.record_answer(newer, RateLimits(requests=Limit(0, 5.0)), None)
    limiter.record_answer(older, RateLimits(requests=Limit(100, 5.0)), None)
    assert limiter.delay_s(call(), 1.0) > 0


def test_tokens_per_minute_count_what_was_used_in_the_end() -> None:
    limiter = Limiter(settings(tokens_per_minute=6_000))
    permit = limiter.send(call(output_tokens=490), 0.0)  # 500 tokens expected: five seconds
    assert limiter.delay_s(call(), 0.0) == pytest.approx(5.0, abs=0.1)
    limiter.record_answer(permit, NO_LIMITS, 200)
    assert limiter.delay_s(call(), 0.0) == pytest.approx(2.0, abs=0.1)


Server = Callable[[float], float | bool | None]


async def throughput(server: Server, cells: int, latency_s: float, **runtime: Any) -> float:
    """Answers per second; fails when a cell has none."""
    draw = random.Random(1)

    async def caller(_call: Call) -> Reply:
        await asyncio.sleep(0.005)
        said = server(now())
        if said is not True:
            raise CallFailed(limited(said))
        await asyncio.sleep(latency_s * (0.5 + draw.random()))
        if isinstance(server, AtOnce):
            server.done()
        return Reply(body=BODY, latency_ms=1.0, created_at="", endpoint="")

    calls = [call(str(number)) for number in range(cells)]
    assert await run_calls(calls, caller, **runtime) == {}
    return cells / now()


POLITE = {
    "sliding window": lambda: SlidingWindow(50),
    "fixed window": lambda: FixedWindow(50),
    "a lower limit": lambda: SlidingWindow(20),
    "a very low limit": lambda: SlidingWindow(2),
    "token bucket": lambda: TokenBucket(50, 50),
    "token bucket that names the next token": lambda: TokenBucket(50, 50, wait_s=0.02),
    "a small bucket": lambda: TokenBucket(10, 10),
    "a small bucket that names the next token": lambda: TokenBucket(40, 10, wait_s=0.025),
    "a bucket of five": lambda: TokenBucket(40, 5),
    "a bucket of three": lambda: TokenBucket(5, 3),
    "a bucket of two": lambda: TokenBucket(5, 2),
    "a fast bucket of two": lambda: TokenBucket(20, 2),
    "a bucket of one": lambda: TokenBucket(10, 1),
    "a bucket of one that names the next token": lambda: TokenBucket(20, 1, wait_s=0.05),
}
"""Servers that say how long to wait."""
SILENT = {
    "sliding window": lambda: SlidingWindow(20, wait_s=None),
    "fixed window": lambda: FixedWindow(20, wait_s=None),
    "token bucket": lambda: TokenBucket(20, 20, wait_s=None),
    "a small bucket": lambda: TokenBucket(20, 3, wait_s=None),
    "a bucket of one": lambda: TokenBucket(5, 1, wait_s=None),
}
"""Servers that only refuse."""


@pytest.mark.parametrize("make_server", POLITE.values(), ids=POLITE)
def test_four_fifths_of_what_a_server_allows_are_used_when_it_says_how_long_to_wait(
    make_server: Callable[[], SlidingWindow],
) -> None:
    server = make_server()
    rate = run_virtually(throughput(server, int(40 * server.per_s), 0.1))
    assert rate >= 0.8 * server.per_s


@pytest.mark.parametrize("latency_s", [0.1, 1.0])
@pytest.mark.parametrize("make_server", SILENT.values(), ids=SILENT)
def test_two_fifths_of_what_a_server_allows_are_used_when_it_says_nothing(
    make_server: Callable[[], SlidingWindow], latency_s: float
) -> None:
    server = make_server()
    rate = run_virtually(throughput(server, int(40 * server.per_s), latency_s))
    assert rate >= 0.4 * server.per_s


@cases(
    "wait_s",
    {
        "no Retry-After": None,
        "Retry-After": 1.0,
    },
)
@pytest.mark.parametrize("most", [1, 4, 9])
def test_two_fifths_of_what_a_server_takes_at_once_are_used(
    most: int, wait_s: float | None
) -> None:
    per_s = most / 2.005
    rate = run_virtually(throughput(AtOnce(most, wait_s), int(60 * per_s), 2.0))
    assert rate >= 0.4 * per_s


@cases(
    "wait_s",
    {
        "no Retry-After": None,
        "Retry-After": 30.0,
    },
)
def test_a_limit_per_minute_is_used_by_the_second_minute(wait_s: float | None) -> None:
    window = SlidingWindow(300, wait_s=wait_s)
    assert run_virtually(throughput(lambda at: window(at / 60), 1_500, 0.1)) >= 0.7 * 5


def test_a_long_time_of_refusals_does_not_leave_a_run_slow() -> None:
    def down_for_five_minutes(at: float) -> bool | None:
        return None if 5 < at < 305 else True

    assert (
        run_virtually(throughput(down_for_five_minutes, 6_000, 0.1, max_wait_s=20.0)) >= 6_000 / 450
    )


@pytest.mark.parametrize(("share", "least"), [(0.05, 4.0), (0.2, 2.5)])
def test_refusals_at_random_do_not_stop_a_run(share: float, least: float) -> None:
    chance = random.Random(3)
    rate = run_virtually(
        throughput(lambda _: 1.0 if chance.random() < share else True, 1_000, 0.05)
    )
    assert rate >= least


def test_headers_alone_keep_a_run_within_a_limit_and_use_nine_tenths_of_it() -> None:
    window = FixedWindow(50)
    refused = 0

    async def caller(_call: Call) -> Reply:
        nonlocal refused
        admitted_at = now()
        refused += window(admitted_at) is not True
        await asyncio.sleep(0.05)
        reset_s = math.floor(admitted_at) + 1 - admitted_at
        limits = RateLimits(requests=Limit(max(50 - window.count, 0), reset_s))
        return Reply(body=BODY, latency_ms=1.0, created_at="", endpoint="", limits=limits)

    async def main() -> float:
        await run_calls([call(str(number)) for number in range(1_000)], caller)
        return 1_000 / now()

    assert run_virtually(main()) >= 45
    assert refused == 0


def test_requests_per_minute_are_never_exceeded() -> None:
    sent: list[float] = []

    def server(at: float) -> bool:
        sent.append(at)
        return True

    run_virtually(throughput(server, 100, 0.05, requests_per_minute=600))
    assert all(sum(1 for other in sent if at <= other < at + 6) <= 61 for at in sent)
