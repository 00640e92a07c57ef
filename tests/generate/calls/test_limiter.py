import asyncio
import math
import random
from collections.abc import Callable

import pytest

from stages.contracts.params import RuntimeParams
from stages.generate.calls.budget import Budget
from stages.generate.calls.faults import NO_LIMITS, CallFailed, Fault, RateLimits, Reply
from stages.generate.calls.limiter import Limiter
from stages.generate.calls.runner import CallRunner
from stages.generate.plan.call import Call
from tests.generate.calls.examples import call, settings
from tests.generate.limiters import AtOnce, FixedWindow, SlidingWindow, TokenBucket
from tests.generate.virtual_time import now, run_virtually

BODY = '{"output": [], "usage": {"input_tokens": 10, "output_tokens": 10, "total_tokens": 20}}'


def limited(wait_s: float | None = 2.0) -> Fault:
    return Fault(status="rate_limited", code="x", message="x", wait_s=wait_s)


def test_a_refusal_holds_every_call_of_the_key_for_the_time_asked_for() -> None:
    limiter = Limiter(settings())
    permit = limiter.sent(call("a", model="one"), 0.0)
    limiter.failed(permit, limited(), 0.1, 0.5)
    assert limiter.delay(0.1) == 2.0
    assert limiter.delay(2.2) == 0.0


def test_the_wait_of_a_refusal_is_bounded() -> None:
    limiter = Limiter(settings(max_wait_s=1.0))
    limiter.failed(limiter.sent(call(), 0.0), limited(86_400.0), 0.0, 0.5)
    assert limiter.delay(0.0) == 1.0


def test_a_hold_that_nobody_asked_for_is_short() -> None:
    limiter = Limiter(settings())
    limiter.failed(limiter.sent(call(), 0.0), limited(None), 0.0, 0.99)
    assert 0 < limiter.delay(0.0) <= 0.5


@pytest.mark.parametrize("wait_s", [None, 0.0, 0.01], ids=["not asked for", "none", "too short"])
def test_holds_grow_while_everything_is_refused(wait_s: float | None) -> None:
    limiter, at, calls = Limiter(settings()), 0.0, 0
    while at < 600:
        limiter.failed(limiter.sent(call(), at), limited(wait_s), at, 0.5)
        at += limiter.delay(at)
        at += limiter.delay(at)
        calls += 1
    assert calls < 60


def test_only_a_long_hold_is_worth_a_message() -> None:
    limiter = Limiter(settings())
    first, second, third = (limiter.sent(call(), 0.0) for _ in range(3))
    assert limiter.failed(first, limited(9.0), 0.0, 0.5) is None
    assert limiter.failed(second, limited(30.0), 0.0, 0.5) == 30.0
    assert limiter.failed(third, limited(31.0), 0.0, 0.5) is None


def test_refusals_of_one_burst_reduce_the_concurrency_once_and_answers_raise_it() -> None:
    limiter = Limiter(settings(max_concurrency=8))
    for permit in [limiter.sent(call(), 0.0) for _ in range(8)]:
        limiter.failed(permit, limited(), 0.0, 0.5)
    assert limiter.concurrency == 7
    for second in range(10):
        limiter.answered(limiter.sent(call(), 5.0 + second), call(), NO_LIMITS, None)
    assert limiter.concurrency == 8


def test_no_more_calls_are_in_flight_than_the_concurrency_allows() -> None:
    limiter = Limiter(settings(max_concurrency=2))
    first = limiter.sent(call(), 0.0)
    limiter.sent(call(), 0.0)
    assert limiter.delay(0.0) == math.inf
    limiter.answered(first, call(), NO_LIMITS, None)
    assert limiter.delay(1.0) == 0.0


def test_headers_delay_a_model_before_it_is_refused_and_no_other() -> None:
    limiter = Limiter(settings())
    permit = limiter.sent(call(), 10.0)
    limiter.answered(permit, call(), RateLimits(requests_left=1, requests_reset_s=5.0), None)
    assert limiter.model_delay(call(), 11.0) == 0.0
    limiter.sent(call(), 11.0)
    assert limiter.model_delay(call(), 11.0) == pytest.approx(4.0, abs=0.1)
    assert limiter.model_delay(call(model="another"), 11.0) == 0.0
    assert limiter.model_delay(call(), 15.1) == 0.0


def test_headers_that_name_a_far_day_delay_a_call_no_longer_than_the_longest_wait() -> None:
    limiter = Limiter(settings(max_wait_s=60.0))
    permit = limiter.sent(call(), 0.0)
    limiter.answered(permit, call(), RateLimits(requests_left=0, requests_reset_s=86_400.0), None)
    assert limiter.model_delay(call(), 1.0) == 59.0
    assert limiter.model_delay(call(), 60.0) == 0.0


def test_tokens_left_delay_a_call_that_needs_more() -> None:
    limiter = Limiter(settings())
    permit = limiter.sent(call(), 0.0)
    limiter.answered(permit, call(), RateLimits(tokens_left=100, tokens_reset_s=3.0), 20)
    assert limiter.model_delay(call(input_tokens=1_000), 0.0) == pytest.approx(3.0, abs=0.1)
    assert limiter.model_delay(call(input_tokens=50), 0.0) == 0.0


def test_headers_of_an_older_call_change_nothing() -> None:
    limiter = Limiter(settings())
    first, second = limiter.sent(call(), 0.0), limiter.sent(call(), 0.0)
    limiter.answered(second, call(), RateLimits(requests_left=0, requests_reset_s=5.0), None)
    limiter.answered(first, call(), RateLimits(requests_left=100, requests_reset_s=5.0), None)
    assert limiter.model_delay(call(), 1.0) > 0


def test_requests_per_minute_are_spaced_evenly() -> None:
    limiter = Limiter(settings(requests_per_minute=30))
    limiter.sent(call(), 0.0)
    assert limiter.delay(0.0) == pytest.approx(2.0, abs=0.1)


def test_tokens_per_minute_count_what_was_used_in_the_end() -> None:
    limiter = Limiter(settings(tokens_per_minute=6_000))
    permit = limiter.sent(call(output_tokens=490), 0.0)  # 10 + 490 tokens expected: five seconds
    assert limiter.delay(0.0) == pytest.approx(5.0, abs=0.1)
    limiter.answered(permit, call(), NO_LIMITS, 200)
    assert limiter.delay(1.0) == pytest.approx(1.0, abs=0.1)


Server = Callable[[float], float | bool | None]


async def throughput(server: Server, cells: int, latency_s: float, runtime: RuntimeParams) -> float:
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
        return Reply(body=BODY, latency_ms=1.0, arrived_at="", endpoint="")

    async def store(_call: object, _answer: object) -> None:
        return None

    failures = await CallRunner(
        call=caller,
        store=store,
        settings=runtime,
        budget=Budget(None),
        draw=draw.random,
    ).run([call(str(number)) for number in range(cells)])
    assert failures == {}
    return cells / now()


@pytest.mark.parametrize(
    "server",
    [
        pytest.param(lambda: SlidingWindow(50), id="sliding window"),
        pytest.param(lambda: FixedWindow(50), id="fixed window"),
        pytest.param(lambda: SlidingWindow(20), id="a lower limit"),
        pytest.param(lambda: TokenBucket(50, 50), id="token bucket, Retry-After: 1"),
        pytest.param(lambda: TokenBucket(10, 10), id="a small token bucket, Retry-After: 1"),
        pytest.param(
            lambda: TokenBucket(50, 50, wait_s=0.02), id="token bucket that names the next token"
        ),
        pytest.param(
            lambda: TokenBucket(40, 10, wait_s=0.025),
            id="a small token bucket that names the next token",
        ),
        pytest.param(lambda: TokenBucket(5, 3), id="a strict token bucket, Retry-After: 1"),
        pytest.param(lambda: TokenBucket(5, 2), id="a stricter token bucket, Retry-After: 1"),
        pytest.param(
            lambda: TokenBucket(20, 2), id="a strict and fast token bucket, Retry-After: 1"
        ),
        pytest.param(
            lambda: TokenBucket(20, 1, wait_s=0.05),
            id="a token bucket of one that names the next token",
        ),
        pytest.param(lambda: SlidingWindow(2), id="a very low limit"),
    ],
)
def test_four_fifths_of_what_a_server_allows_are_used_when_it_says_how_long_to_wait(
    server: Callable[[], SlidingWindow],
) -> None:
    kept = server()
    assert (
        run_virtually(throughput(kept, int(40 * kept.per_s), 0.1, settings())) >= 0.8 * kept.per_s
    )


@pytest.mark.parametrize("latency_s", [0.1, 1.0])
@pytest.mark.parametrize(
    "server",
    [
        pytest.param(lambda: SlidingWindow(20, wait_s=None), id="sliding window"),
        pytest.param(lambda: FixedWindow(20, wait_s=None), id="fixed window"),
        pytest.param(lambda: TokenBucket(20, 20, wait_s=None), id="token bucket"),
        pytest.param(lambda: TokenBucket(20, 3, wait_s=None), id="a small token bucket"),
        pytest.param(lambda: TokenBucket(5, 1, wait_s=None), id="a strict token bucket"),
    ],
)
def test_half_of_what_a_server_allows_is_used_when_it_says_nothing(
    server: Callable[[], SlidingWindow], latency_s: float
) -> None:
    kept = server()
    assert (
        run_virtually(throughput(kept, int(40 * kept.per_s), latency_s, settings()))
        >= 0.5 * kept.per_s
    )


@pytest.mark.parametrize("wait_s", [None, 1.0], ids=["no Retry-After", "Retry-After"])
@pytest.mark.parametrize("most", [1, 4, 9])
def test_half_of_what_a_server_takes_at_once_is_used(most: int, wait_s: float | None) -> None:
    per_s = most / 2.005
    assert (
        run_virtually(throughput(AtOnce(most, wait_s), int(60 * per_s), 2.0, settings()))
        >= 0.5 * per_s
    )


@pytest.mark.parametrize("wait_s", [None, 30.0], ids=["no Retry-After", "Retry-After"])
def test_a_limit_per_minute_is_used_by_the_second_minute(wait_s: float | None) -> None:
    window = SlidingWindow(300, wait_s=wait_s)
    assert run_virtually(throughput(lambda at: window(at / 60), 1_500, 0.1, settings())) >= 0.7 * 5


def test_a_long_time_of_refusals_does_not_leave_a_run_slow() -> None:
    def down_for_five_minutes(at: float) -> bool | None:
        return None if 5 < at < 305 else True

    assert (
        run_virtually(throughput(down_for_five_minutes, 6_000, 0.1, settings(max_wait_s=20.0)))
        >= 6_000 / 450
    )


@pytest.mark.parametrize(("share", "least"), [(0.05, 4.0), (0.2, 2.5)])
def test_refusals_at_random_do_not_stop_a_run(share: float, least: float) -> None:
    chance = random.Random(3)
    rate = run_virtually(
        throughput(lambda _: 1.0 if chance.random() < share else True, 1_000, 0.05, settings())
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
        limits = RateLimits(requests_left=max(50 - window.count, 0), requests_reset_s=reset_s)
        return Reply(body=BODY, latency_ms=1.0, arrived_at="", endpoint="", limits=limits)

    async def store(_call: object, _answer: object) -> None:
        return None

    async def main() -> float:
        await CallRunner(
            call=caller,
            store=store,
            settings=settings(),
            budget=Budget(None),
            draw=lambda: 0.5,
        ).run([call(str(number)) for number in range(1_000)])
        return 1_000 / now()

    assert run_virtually(main()) >= 45
    assert refused == 0


def test_requests_per_minute_are_never_exceeded() -> None:
    sent: list[float] = []

    def server(at: float) -> bool:
        sent.append(at)
        return True

    run_virtually(throughput(server, 100, 0.05, settings(requests_per_minute=600)))
    assert all(sum(1 for other in sent if at <= other < at + 6) <= 61 for at in sent)
