"""Calls are made, retried and given up, in virtual time."""

import asyncio
import json
import random
from collections import Counter
from dataclasses import replace

import pytest

from graph_evaluator.generate.calls.booking import Budget
from graph_evaluator.generate.calls.outcome import CallFailed, Fault, Reply
from graph_evaluator.generate.calls.runner import DOWN_AFTER, retry_wait_s
from graph_evaluator.records.errors import LedgerError
from graph_evaluator.records.response import Answer
from tests.builders.cases import cases
from tests.generate.calls.examples import call, limited, run_calls
from tests.generate.virtual_time import now, run_virtually

BODY = '{"output": [], "usage": {"input_tokens": 1, "output_tokens": 100}}'
REPLY = Reply(body=BODY, latency_ms=1.0, created_at="2026-01-01T00:00:00Z")
BROKEN = Fault(status="server_error", code="http_500", message="broken")
QUOTA = Fault(status="quota_exceeded", code="insufficient_quota", message="no credit", scope="key")
WRONG = Fault(status="invalid_request", code="invalid_value", message="wrong", scope="cell")
Results = dict[str, Fault]


class Provider:
    """Takes a second per call; `plan(name, nth)` gives the fault of a cell's nth call."""

    def __init__(self, plan=lambda _name, _nth: None):
        self.plan = plan
        self.calls: Counter[str] = Counter()
        self.sent_at: list[tuple[float, str]] = []
        self.in_flight = 0
        self.most_in_flight = 0
        self.faults = 0

    async def __call__(self, one):
        self.calls[one.fingerprint] += 1
        self.sent_at.append((now(), one.fingerprint))
        self.in_flight += 1
        self.most_in_flight = max(self.most_in_flight, self.in_flight)
        fault = self.plan(one.fingerprint, self.calls[one.fingerprint])
        try:
            await asyncio.sleep(1.0 if fault is None else 0.5)
            if fault is not None:
                self.faults += 1
                raise CallFailed(fault)
            return REPLY
        finally:
            self.in_flight -= 1


def run_all(calls, provider, **options):
    return run_virtually(run_calls(calls, provider, **options))


def some(count, **changed):
    return [call(f"c{number:05}", **changed) for number in range(count)]


def test_two_thousand_cells_with_three_in_ten_calls_failing_are_all_answered_with_no_call_too_many():
    chance = random.Random(7)
    provider = Provider(lambda _name, _nth: BROKEN if chance.random() < 0.3 else None)
    assert run_all(some(2_000), provider, max_attempts=20, max_concurrency=7) == {}
    assert provider.calls.total() == 2_000 + provider.faults
    assert provider.most_in_flight == 7


def test_a_cell_is_given_up_after_max_attempts_and_says_why():
    results = run_all([call("a")], Provider(lambda _name, _nth: BROKEN), max_attempts=3)
    expected = "broken; given up after 3 attempts (runtime.max_attempts)"
    assert results["a"] == replace(BROKEN, message=expected, attempts=3)


def test_a_cell_that_is_refused_for_all_its_time_is_rate_limited_and_says_why():
    provider = Provider(lambda _name, _nth: limited(4.4))
    result = run_all([call("a")], provider, cell_timeout_s=10)["a"]
    assert (result.status, result.code, result.attempts) == ("rate_limited", "x", 3)
    assert "given up: the limit of 10 s is reached (runtime.cell_timeout_s)" in result.message
    assert provider.sent_at[-1][0] < 10


@cases(
    "fault, failing, stopped",
    {
        "a wrong request stops nothing": (WRONG, "c00001", "c"),
        "a dead quota stops its key": (QUOTA, "c", "cs"),
    },
)
def test_a_fault_ends_at_once_what_cannot_succeed_either_and_nothing_else(fault, failing, stopped):
    same_key = [call(f"s{number}", url="http://one", model="n") for number in range(50)]
    others = [call(f"o{number}", url="http://two") for number in range(50)]
    provider = Provider(lambda name, _nth: fault if name.startswith(failing) else None)
    calls = [*some(50, url="http://one"), *same_key, *others]
    results = run_all(calls, provider, max_concurrency=8)
    called = [name for name in provider.calls if name.startswith(failing)]
    assert len(called) <= 8
    assert {failure.status for failure in results.values()} == {fault.status}
    answered = provider.calls.keys() - {*called}
    assert results.keys() == {one.fingerprint for one in calls} - answered
    assert {name[0] for name in results} == {*stopped}


def test_a_model_that_is_down_is_given_up_before_all_its_cells_have_been_tried():
    down = some(2_000, model="down")
    provider = Provider(lambda name, _nth: BROKEN if name.startswith("c") else None)
    results = run_all([*down, call("up", model="up")], provider, max_attempts=2, max_concurrency=4)
    tried = sum(1 for name in provider.calls if name.startswith("c"))
    assert DOWN_AFTER <= tried < 200
    assert list(results) == [one.fingerprint for one in down]


@cases(
    "requested, answered, latency_ms",
    {
        "flex that was answered at once": ("flex", "default", 1.0),
        "as the answer says": ("auto", "flex", None),
    },
)
def test_an_answer_that_waited_in_a_queue_has_no_latency(requested, answered, latency_ms):
    async def reply(_call):
        return REPLY._replace(body=json.dumps({"output": [], "service_tier": answered}))

    stored: list[Answer] = []
    flex = call(sent={"service_tier": requested})
    run_virtually(run_calls([flex], reply, lambda _, answer: stored.append(answer)))
    assert [answer.measured.latency_ms for answer in stored] == [latency_ms]


def test_a_further_draw_is_called_at_once():
    calls = some(2)
    provider = Provider()
    further = {"c00000": call("c00000", draw=2)}
    assert run_all(calls, provider, further=further, max_concurrency=1) == {}
    assert [name for _, name in provider.sent_at] in (
        ["c00000", "c00000/2", "c00001"],
        ["c00000", "c00001", "c00000/2"],
    )


def test_under_a_cap_a_call_that_may_have_been_billed_is_booked_in_full():
    lost = replace(BROKEN, may_be_billed=True)
    budget = Budget(1.0)
    run_all([call("a")], Provider(lambda _name, nth: lost if nth == 1 else None), budget=budget)
    assert budget.spent_usd("runtime.max_cost_usd") == pytest.approx(0.01 + 0.001)


@cases(
    "prompt_tokens, fault, rest_at",
    {
        "once it is answered": (2_000, None, 1.0),
        "once it has failed": (2_000, BROKEN, 0.5),
        "at once, as the prompt is short": (10, None, 0.0),
    },
)
def test_one_cell_of_a_model_goes_first_and_the_rest_follows(prompt_tokens, fault, rest_at):
    provider = Provider(lambda name, nth: fault if (name, nth) == ("c00000", 1) else None)
    instructions = "x" * 4 * prompt_tokens
    calls = some(10, instructions=instructions, input_tokens=prompt_tokens)
    run_all(calls, provider, warm_prompt_cache=True)
    assert [at for at, _ in provider.sent_at[:10]] == [0.0, *[rest_at] * 9]


def test_when_an_answer_cannot_be_stored_those_in_flight_are_waited_for_and_no_other_is_called():
    provider = Provider()
    stored: list[str] = []

    def store(call, _answer):
        stored.append(call.fingerprint)
        if len(stored) == 1:
            raise LedgerError("full")

    with pytest.raises(LedgerError, match="full"):
        run_all(some(100), provider, store=store, max_concurrency=8)
    assert len(stored) == provider.calls.total() == 8


def test_from_the_moment_of_a_stop_no_call_goes_out_though_answers_come_in_at_that_moment():
    sent: list[str] = []
    tasks: list[asyncio.Task[Results]] = []

    async def provider(one):
        sent.append(one.fingerprint)
        await asyncio.sleep(1.0)
        tasks[0].cancel()
        return REPLY

    async def main():
        tasks.append(asyncio.ensure_future(run_calls(some(100), provider, max_concurrency=8)))
        with pytest.raises(asyncio.CancelledError):
            await tasks[0]

    run_virtually(main())
    assert len(sent) == 8


def test_a_key_that_is_refused_ends_the_wait_for_a_retry():
    slow = replace(BROKEN, wait_s=100.0)
    provider = Provider(lambda name, _nth: slow if name == "c00000" else QUOTA)

    async def main():
        await run_calls(some(2), provider)
        return now()

    assert run_virtually(main()) < 2


def passing(wait_s=None):
    return Fault(status="server_error", code="x", message="x", wait_s=wait_s)


@cases(
    "fault, attempt, expected",
    {
        "half of the third bound": (passing(), 3, 1.0),
        "half of the longest wait": (passing(), 1000, 60.0),
        "the server asks for less than the back-off": (passing(0.0), 3, 1.0),
        "the server's wait is capped": (passing(3600.0), 1, 120.0),
    },
)
def test_a_fault_that_passes_is_waited_for(fault, attempt, expected):
    assert retry_wait_s(fault, attempt, 0.5, most_s=120.0) == expected
