import asyncio
import math
import random
from collections.abc import Callable

import pytest

from stages.contracts.params import RuntimeParams
from stages.generate.caller import Answered, CallFailed, Fault, Limits, Reply
from stages.generate.pace.governor import Governor
from stages.generate.pace.runner import run
from tests.generate.limiters import AtOnce, FixedWindow, SlidingWindow, TokenBucket
from tests.generate.old_calls import call, settings
from tests.generate.virtual_time import now, run_virtually

LIMITED = Fault(status="rate_limited", code="x", message="x", wait_s=2.0)


def test_a_refusal_stops_every_call_of_the_key_for_the_time_asked_for() -> None:
    governor = Governor(settings())
    ticket = governor.sent(call("a", model="one"), 0.0)
    governor.failed(ticket, LIMITED, 0.1, 0.5)
    assert governor.delay(call("b", model="another"), 0.1) == 2.0
    assert governor.delay(call("b", model="another"), 2.2) == 0.0


def test_the_wait_of_a_refusal_is_capped() -> None:
    governor = Governor(settings(max_wait_s=1.0))
    governor.failed(governor.sent(call(), 0.0), LIMITED, 0.0, 0.5)
    assert governor.delay(call(), 0.0) == 1.0


def test_refusals_of_one_burst_bring_the_concurrency_down_once_and_answers_bring_it_back() -> None:
    governor = Governor(settings(max_concurrency=8))
    tickets = [governor.sent(call(), 0.0) for _ in range(8)]
    for ticket in tickets:
        governor.failed(ticket, LIMITED, 0.0, 0.5)
    governor.delay(call(), 2.0)
    assert governor.concurrency == 6
    for second in range(20):
        governor.answered(governor.sent(call(), 3.0 + second), call(), Limits(), None, 3.0 + second)
    assert governor.concurrency == 8


def test_no_more_calls_are_out_than_the_concurrency_allows() -> None:
    governor = Governor(settings(max_concurrency=2))
    first = governor.sent(call(), 0.0)
    governor.sent(call(), 0.0)
    assert governor.delay(call(), 0.0) == math.inf
    governor.answered(first, call(), Limits(), None, 1.0)
    assert governor.delay(call(), 1.0) == 0.0


def test_headers_hold_a_model_back_before_it_is_refused_and_no_other() -> None:
    governor = Governor(settings())
    ticket = governor.sent(call(), 10.0)
    governor.answered(ticket, call(), Limits(requests_left=1, requests_reset_s=5.0), None, 11.0)
    assert governor.delay(call(), 11.0) == 0.0
    governor.sent(call(), 11.0)
    assert governor.delay(call(), 11.0) == pytest.approx(4.0, abs=0.1)
    assert governor.delay(call(model="another"), 11.0) == 0.0
    assert governor.delay(call(), 15.1) == 0.0


def test_headers_that_name_a_far_day_hold_a_call_back_no_longer_than_the_longest_wait() -> None:
    governor = Governor(settings(max_wait_s=60.0))
    ticket = governor.sent(call(), 0.0)
    governor.answered(ticket, call(), Limits(requests_left=0, requests_reset_s=86_400.0), None, 1.0)
    assert governor.delay(call(), 1.0) == 59.0
    assert governor.delay(call(), 60.0) == 0.0


def test_tokens_left_hold_a_call_back_that_needs_more() -> None:
    governor = Governor(settings())
    ticket = governor.sent(call(), 0.0)
    governor.answered(ticket, call(), Limits(tokens_left=100, tokens_reset_s=3.0), 20, 0.0)
    assert governor.delay(call(input_tokens_estimate=1_000), 0.0) == pytest.approx(3.0, abs=0.1)
    assert governor.delay(call(input_tokens_estimate=50), 0.0) == 0.0


def test_requests_per_minute_are_spaced_evenly() -> None:
    governor = Governor(settings(requests_per_minute=30))
    governor.sent(call(), 0.0)
    assert governor.delay(call(), 0.0) == pytest.approx(2.0, abs=0.1)


def test_tokens_per_minute_count_what_was_used_in_the_end() -> None:
    governor = Governor(settings(tokens_per_minute=6_000))
    ticket = governor.sent(call(output_tokens_upper=490), 0.0)  # 10 + 490 tokens expected: five seconds
    assert governor.delay(call(), 0.0) == pytest.approx(5.0, abs=0.1)
    governor.answered(ticket, call(), Limits(), 200, 1.0)
    assert governor.delay(call(), 1.0) == pytest.approx(1.0, abs=0.1)


Limiter = Callable[[float], float | bool | None]


async def throughput(limiter: Limiter, cells: int, latency_s: float, runtime: RuntimeParams) -> float:
    """Answers per second; fails when a cell has none."""
    draw = random.Random(1)

    async def caller(_call: object, _begun: object) -> Reply:
        await asyncio.sleep(0.005)
        said = limiter(now())
        if said is not True:
            raise CallFailed(Fault(status="rate_limited", code="x", message="x", wait_s=said))
        await asyncio.sleep(latency_s * (0.5 + draw.random()))
        if isinstance(limiter, AtOnce):
            limiter.done()
        return Reply(body="{}", latency_ms=1.0, arrived_at="", endpoint="")

    async def store(_answer: object) -> None:
        return None

    results = await run(
        [call(str(number)) for number in range(cells)],
        call=caller,
        store=store,
        price=lambda _call, _body: 0.0,
        settings=runtime,
        clock=now,
        sleep=asyncio.sleep,
        draw=draw.random,
    )
    assert all(isinstance(result, Answered) for result in results.values())
    return cells / now()


@pytest.mark.parametrize(
    "limiter",
    [
        pytest.param(lambda: SlidingWindow(50), id="sliding window"),
        pytest.param(lambda: SlidingWindow(50, wait_s=None), id="sliding window without Retry-After"),
        pytest.param(lambda: TokenBucket(50, 50), id="token bucket"),
        pytest.param(lambda: TokenBucket(50, 50, wait_s=0.02), id="token bucket that names the next token"),
        pytest.param(lambda: FixedWindow(50), id="fixed window"),
        pytest.param(lambda: FixedWindow(50, wait_s=None), id="fixed window without Retry-After"),
        pytest.param(lambda: SlidingWindow(20), id="a lower limit"),
    ],
)
def test_nine_tenths_of_what_a_server_allows_are_used(limiter: Callable[[], SlidingWindow]) -> None:
    kept = limiter()
    rate = run_virtually(throughput(kept, 1_500, 0.05, settings()))
    assert rate >= 0.9 * kept.per_s


@pytest.mark.parametrize("burst", [3, 10])
@pytest.mark.parametrize("wait_s", [None, 0.02, 1.0], ids=["no Retry-After", "retry-after-ms", "Retry-After"])
@pytest.mark.parametrize("per_s", [10, 40, 100])
def test_nine_tenths_are_used_of_a_bucket_that_forgives_no_second_of_burst(
    per_s: int, wait_s: float | None, burst: int
) -> None:
    bucket = TokenBucket(per_s, burst, wait_s)
    # Two refusals teach its rate, and a pause of a second for each is a twentieth of forty seconds.
    assert run_virtually(throughput(bucket, 40 * per_s, 0.1, settings())) >= 0.9 * per_s


@pytest.mark.parametrize("wait_s", [None, 0.05, 1.0], ids=["no Retry-After", "retry-after-ms", "Retry-After"])
@pytest.mark.parametrize("most", [1, 4, 9])
def test_nine_tenths_are_used_of_what_a_server_takes_at_once(most: int, wait_s: float | None) -> None:
    per_s = most / 0.105
    assert run_virtually(throughput(AtOnce(most, wait_s), int(40 * per_s), 0.1, settings())) >= 0.9 * per_s


def test_a_server_that_counts_per_minute_and_asks_for_no_wait_is_learned_by_the_second_minute() -> None:
    window = SlidingWindow(300)

    def per_minute(at: float) -> float | bool | None:
        return window(at / 60)

    window.wait_s = None
    assert run_virtually(throughput(per_minute, 1_500, 0.1, settings())) >= 0.75 * 5


def test_a_long_time_of_refusals_does_not_leave_a_run_slow() -> None:
    def down_for_five_minutes(at: float) -> bool | None:
        return None if 5 < at < 305 else True

    assert run_virtually(throughput(down_for_five_minutes, 6_000, 0.1, settings(max_wait_s=20.0))) >= 6_000 / 450


@pytest.mark.parametrize(("share", "least"), [(0.07, 20.0), (0.2, 5.0)])
def test_refusals_at_random_do_not_bring_a_run_to_a_halt(share: float, least: float) -> None:
    chance = random.Random(3)
    rate = run_virtually(throughput(lambda _: 1.0 if chance.random() < share else True, 1_000, 0.05, settings()))
    assert rate >= least


def test_headers_alone_keep_a_run_within_a_limit_at_nine_tenths_of_it() -> None:
    window = FixedWindow(50)
    refused = 0

    async def caller(_call: object, _begun: object) -> Reply:
        nonlocal refused
        admitted_at = now()
        refused += window(admitted_at) is not True
        await asyncio.sleep(0.05)
        reset_s = math.floor(admitted_at) + 1 - admitted_at
        limits = Limits(requests_left=max(50 - window.count, 0), requests_reset_s=reset_s)
        return Reply(body="{}", latency_ms=1.0, arrived_at="", endpoint="", limits=limits)

    async def main() -> float:
        async def store(_answer: object) -> None:
            return None

        await run(
            [call(str(number)) for number in range(1_000)],
            call=caller,
            store=store,
            price=lambda _call, _body: 0.0,
            settings=settings(),
            clock=now,
            sleep=asyncio.sleep,
            draw=lambda: 0.5,
        )
        return 1_000 / now()

    assert run_virtually(main()) >= 45
    assert refused == 0


def test_the_learned_pace_never_passes_requests_per_minute() -> None:
    sent: list[float] = []

    def limiter(at: float) -> bool:
        sent.append(at)
        return True

    run_virtually(throughput(limiter, 100, 0.05, settings(requests_per_minute=600)))
    assert all(sum(1 for other in sent if at <= other < at + 6) <= 61 for at in sent)
