import asyncio
import random
from collections import Counter
from collections.abc import Callable, Coroutine, Sequence
from typing import Any

import pytest

from stages.generate.call import Answer, Call, Failure
from stages.generate.caller import Answered, Caller, CallFailed, Fault, Reply, Result, Store
from stages.generate.pace.budget import Budget
from stages.generate.pace.event import Event
from stages.generate.pace.failures import no_answer_in_time
from stages.generate.pace.lane import DOWN_AFTER
from stages.generate.pace.runner import run
from tests.generate.old_calls import call, settings
from tests.generate.virtual_time import now, run_virtually

REPLY = Reply(body="{}", latency_ms=1.0, arrived_at="2026-01-01T00:00:00Z", endpoint="http://x")
BROKEN = Fault(status="server_error", code="http_500", message="broken")
QUOTA = Fault(status="quota_exceeded", code="insufficient_quota", message="no credit", scope="key")
WRONG = Fault(status="invalid_request", code="invalid_value", message="wrong", scope="cell")


class Provider:
    """Takes a second per call; `plan(name, nth)` gives the fault of a cell's nth call."""

    def __init__(self, plan: Callable[[str, int], Fault | None] = lambda _name, _nth: None) -> None:
        self.plan = plan
        self.calls: Counter[str] = Counter()
        self.sent_at: list[tuple[float, str]] = []
        self.begins_after_s = 0.5
        self.out = 0
        self.most_out = 0

    async def __call__(self, one: Call, begun: Callable[[], None], /) -> Reply:
        self.calls[one.fingerprint] += 1
        self.sent_at.append((now(), one.fingerprint))
        self.out += 1
        self.most_out = max(self.most_out, self.out)
        fault = self.plan(one.fingerprint, self.calls[one.fingerprint])
        try:
            await asyncio.sleep(self.begins_after_s)
            if fault is not None:
                raise CallFailed(fault)
            begun()
            await asyncio.sleep(1.0 - self.begins_after_s)
            return REPLY
        finally:
            self.out -= 1


def run_all(
    calls: Sequence[Call],
    provider: Caller,
    *,
    store: Callable[[Answer], Any] = lambda _answer: None,
    price: Callable[[Call, str], float | None] = lambda _call, _body: 0.001,
    budget: Budget | None = None,
    observe: Callable[[Event], None] = lambda _event: None,
    **changed: Any,
) -> dict[str, Result]:
    async def keep(answer: Answer) -> Call | None:
        further = store(answer)
        return further if isinstance(further, Call) else None

    return run_virtually(running(calls, provider, keep, price=price, observe=observe, budget=budget, **changed))


def running(
    calls: Sequence[Call],
    provider: Caller,
    store: Store,
    *,
    price: Callable[[Call, str], float | None] = lambda _call, _body: None,
    budget: Budget | None = None,
    observe: Callable[[Event], None] = lambda _event: None,
    **changed: Any,
) -> Coroutine[Any, Any, dict[str, Result]]:
    return run(
        calls,
        call=provider,
        store=store,
        price=price,
        settings=settings(**changed),
        clock=now,
        sleep=asyncio.sleep,
        draw=random.Random(1).random,
        observe=observe,
        budget=budget,
    )


def some(count: int, **changed: Any) -> list[Call]:
    return [call(f"c{number:05}", **changed) for number in range(count)]


def test_results_stand_in_the_order_of_the_calls_whatever_comes_back_first() -> None:
    provider = Provider(lambda name, nth: BROKEN if name == "c00000" and nth < 4 else None)
    assert list(run_all(some(50), provider)) == [one.fingerprint for one in some(50)]


def test_no_calls_give_no_results() -> None:
    assert run_all([], Provider()) == {}


def test_no_more_calls_are_out_than_max_concurrency() -> None:
    provider = Provider()
    run_all(some(100), provider, max_concurrency=7)
    assert provider.most_out == 7


def test_two_thousand_cells_with_three_in_ten_calls_failing_are_all_answered_with_no_call_too_many() -> None:
    chance = random.Random(7)
    faults = 0

    def plan(_name: str, _nth: int) -> Fault | None:
        nonlocal faults
        if chance.random() >= 0.3:
            return None
        faults += 1
        return BROKEN

    provider = Provider(plan)
    results = run_all(some(2_000), provider, max_attempts=20)
    assert all(isinstance(result, Answered) for result in results.values())
    assert provider.calls.total() == 2_000 + faults


def test_a_cell_is_given_up_after_max_attempts_and_says_why() -> None:
    results = run_all([call("a")], Provider(lambda _name, _nth: BROKEN), max_attempts=3)
    expected = "broken; given up after 3 attempts (runtime.max_attempts)"
    assert results["a"] == Failure(
        fingerprint="a", status="server_error", code="http_500", message=expected, attempts=3
    )


def test_a_cell_never_takes_longer_than_its_time() -> None:
    provider = Provider(lambda _name, _nth: Fault(status="rate_limited", code="x", message="x", wait_s=3.0))
    result = run_all([call("a")], provider, cell_timeout_s=10)["a"]
    assert isinstance(result, Failure)
    assert result.status == "rate_limited"
    assert provider.sent_at[-1][0] < 10


def within(provider: Provider) -> Caller:
    """The provider, with the deadline of each call kept."""

    async def asked(one: Call, begun: Callable[[], None], /) -> Reply:
        try:
            async with asyncio.timeout(one.timeout_s):
                return await provider(one, begun)
        except TimeoutError:
            raise CallFailed(no_answer_in_time(one.timeout_s)) from None

    return asked


def test_a_cell_that_was_refused_until_no_answer_fitted_its_time_is_rate_limited_and_says_what_to_do() -> None:
    limited = Fault(status="rate_limited", code="slow_down", message="HTTP 429: slow down", wait_s=4.4)
    provider = Provider(lambda _name, nth: limited if nth <= 2 else None)  # the third call begins at 9.8 s
    result = run_all([call("a")], within(provider), cell_timeout_s=10)["a"]
    assert isinstance(result, Failure)
    assert (result.status, result.code, result.attempts) == ("rate_limited", "slow_down", 3)
    assert "0.2 s then left of runtime.cell_timeout_s (10 s) brought no complete answer" in result.message
    assert "runtime.requests_per_minute" in result.message
    assert "runtime.timeout_s" not in result.message


def test_a_deadline_that_was_the_cells_own_names_its_setting() -> None:
    result = run_all([call("a")], within(Provider()), cell_timeout_s=0.5)["a"]
    assert isinstance(result, Failure)
    assert result.status == "timeout_failed"
    assert result.message.startswith("no complete answer within runtime.cell_timeout_s (0.5 s)")


def test_a_wrong_request_is_not_tried_again_and_others_go_on() -> None:
    provider = Provider(lambda name, _nth: WRONG if name == "c00001" else None)
    results = run_all(some(3), provider)
    assert [type(result) for result in results.values()] == [Answered, Failure, Answered]
    assert provider.calls["c00001"] == 1


def test_a_dead_quota_stops_every_call_of_its_key_at_once_and_none_of_another_key() -> None:
    mine = some(500, url="http://one")
    others = [call(f"o{number}", url="http://two") for number in range(50)]
    provider = Provider(lambda name, _nth: QUOTA if name.startswith("c") else None)
    results = run_all([*mine, *others], provider, max_concurrency=8)
    called = sum(count for name, count in provider.calls.items() if name.startswith("c"))
    assert called <= 8
    assert all(results[one.fingerprint].status == "quota_exceeded" for one in mine)  # type: ignore[union-attr]
    assert all(isinstance(results[one.fingerprint], Answered) for one in others)


def test_a_model_that_is_down_is_given_up_before_all_its_cells_have_been_tried() -> None:
    down = some(2_000, model="down")
    provider = Provider(lambda name, _nth: BROKEN if name.startswith("c") else None)
    results = run_all([*down, call("up", model="up", cell=call("x").cell)], provider, max_attempts=2, max_concurrency=4)
    tried = sum(1 for name in provider.calls if name.startswith("c"))
    assert DOWN_AFTER <= tried < 200
    assert isinstance(results["up"], Answered)


def test_a_rate_limit_does_not_use_up_attempts() -> None:
    limited = Fault(status="rate_limited", code="x", message="x", wait_s=1.0)
    provider = Provider(lambda _name, nth: limited if nth <= 20 else None)
    assert run_all([call("a")], provider, max_attempts=2)["a"] == Answered(fingerprint="a", attempts=21, cost_usd=0.001)


def test_an_answer_counts_only_when_it_is_stored() -> None:
    stored: list[str] = []
    seen: list[str] = []

    def observe(event: Event) -> None:
        if event.kind == "answered":
            assert event.call.fingerprint in stored
            seen.append(event.call.fingerprint)

    run_all(some(20), Provider(), store=lambda answer: stored.append(answer.fingerprint), observe=observe)
    assert sorted(seen) == sorted(stored)
    assert len(seen) == 20


def test_a_store_that_fails_ends_the_run_and_nothing_more_is_called() -> None:
    provider = Provider()

    def full(_answer: Answer) -> None:
        raise OSError("no space left")

    with pytest.raises(OSError, match="no space left"):
        run_all(some(100), provider, store=full, max_concurrency=4)
    assert provider.calls.total() <= 8


def test_a_further_draw_is_called_and_stands_behind_the_first() -> None:
    calls = some(2)
    again = call("again")
    results = run_all(calls, Provider(), store=lambda answer: again if answer.fingerprint == "c00000" else None)
    assert list(results) == ["c00000", "again", "c00001"]


def test_the_cap_on_cost_holds_and_what_it_stops_says_so() -> None:
    budget = Budget(0.055)
    results = run_all(some(20), Provider(), price=lambda _call, _body: 0.005, budget=budget)
    stopped = [result for result in results.values() if isinstance(result, Failure)]
    assert {result.status for result in stopped} == {"budget_stopped"}
    assert len(stopped) == 10  # ten at half a cent; the eleventh could cost a whole one
    assert budget.spent_usd <= 0.055


def test_under_a_cap_a_call_that_may_have_been_billed_is_booked_in_full() -> None:
    lost = Fault(status="connection_failed", code="connection_lost", message="x", may_be_billed=True)
    budget = Budget(1.0)
    run_all([call("a")], Provider(lambda _name, nth: lost if nth == 1 else None), budget=budget)
    assert budget.spent_usd == pytest.approx(0.01 + 0.001)


def test_a_model_without_a_price_is_refused_under_a_cap_and_called_without_one() -> None:
    free = call("a", cost_upper_usd=None)
    refused = run_all([free], Provider(), max_cost_usd=1.0)["a"]
    assert isinstance(refused, Failure)
    assert (refused.status, refused.code) == ("budget_stopped", "price_unknown")
    assert isinstance(run_all([free], Provider())["a"], Answered)


def test_one_cell_of_a_model_goes_first_and_the_rest_once_its_answer_has_begun() -> None:
    provider = Provider()
    run_all(some(10, instructions="x" * 8_000, input_tokens_estimate=2_000), provider, warm_prompt_cache=True)
    assert [at for at, _ in provider.sent_at] == [0.0, *[0.5] * 9]


def test_the_rest_goes_too_when_the_first_cell_fails() -> None:
    provider = Provider(lambda name, nth: BROKEN if (name, nth) == ("c00000", 1) else None)
    run_all(some(10, instructions="x" * 8_000, input_tokens_estimate=2_000), provider, warm_prompt_cache=True)
    assert [at for at, _ in provider.sent_at[:10]] == [0.0, *[0.5] * 9]


def test_a_short_prompt_is_not_warmed() -> None:
    provider = Provider()
    run_all(some(10), provider, warm_prompt_cache=True)
    assert {at for at, _ in provider.sent_at} == {0.0}


def test_when_stopped_calls_are_cut_off_and_arrived_answers_are_stored() -> None:
    stored: list[str] = []
    provider = Provider(lambda _name, _nth: None)

    async def slow_store(answer: Answer) -> None:
        await asyncio.sleep(0.7)
        stored.append(answer.fingerprint)

    async def main() -> float:
        work = asyncio.ensure_future(running(some(100), provider, slow_store, max_concurrency=5))
        await asyncio.sleep(1.2)
        work.cancel()
        stopped_at = now()
        with pytest.raises(asyncio.CancelledError):
            await work
        return now() - stopped_at

    assert run_virtually(main()) < 2
    assert sorted(stored) == [f"c{number:05}" for number in range(5)]
    assert provider.out == 0


def test_tasks_do_not_grow_with_the_number_of_cells() -> None:
    most = 0

    def watch(_event: Event) -> None:
        nonlocal most
        most = max(most, len(asyncio.all_tasks()))

    run_all(some(3_000), Provider(), observe=watch, max_concurrency=16)
    assert most <= 2 * 16 + 4


def test_what_goes_out_in_place_of_an_answered_call_does_not_wait_for_other_answers_to_be_taken_in() -> None:
    seen: list[str] = []

    async def provider(one: Call, begun: Callable[[], None], /) -> Reply:
        seen.append(f"{one.fingerprint} out")
        await asyncio.sleep(1.0)
        begun()
        seen.append(f"{one.fingerprint} back")
        return REPLY

    run_all(some(4), provider, max_concurrency=2)
    assert seen[2:6] == ["c00000 back", "c00002 out", "c00001 back", "c00003 out"]


def test_from_the_moment_of_a_stop_no_call_goes_out_though_answers_come_in_at_that_moment() -> None:
    sent: list[str] = []
    tasks: list[asyncio.Task[dict[str, Result]]] = []

    async def kept(_answer: Answer) -> None:
        """Stored at once."""

    async def provider(one: Call, begun: Callable[[], None], /) -> Reply:
        sent.append(one.fingerprint)
        await asyncio.sleep(1.0)
        begun()
        tasks[0].cancel()
        return REPLY

    async def main() -> None:
        tasks.append(asyncio.ensure_future(running(some(100), provider, kept, max_concurrency=8)))
        with pytest.raises(asyncio.CancelledError):
            await tasks[0]

    run_virtually(main())
    assert len(sent) == 8
