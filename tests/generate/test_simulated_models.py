import asyncio
import json
import socket
from dataclasses import replace

import pytest

from stages.contracts.model_config import Api
from stages.generate.callers import SimulatedCaller, by_simulated_clock, open_caller
from stages.generate.calls.client import EndpointClient
from stages.generate.calls.faults import CallFailed, Fault, Reply
from stages.generate.plan.call import Call
from stages.generate.plan.endpoint import Endpoint
from stages.simulate.reply import call_failure
from stages.simulate.request import SimulatedRequest
from tests.generate.asking import cell, config


def call(
    model: str = "sim-careful",
    text: str = "Tea or coffee?",
    *,
    draw: int = 1,
    api: Api = "responses",
) -> Call:
    of = config("m", provider="simulated", model=model, api=api)
    return replace(cell(of, body=text, draws=2).calls[draw - 1], timeout_s=5.0)


def replies(*calls: Call) -> list[Reply]:
    """The replies to calls made one after the other, of one server."""

    async def run() -> list[Reply]:
        async with open_caller([one.endpoint for one in calls], {}) as caller:
            return [await caller(one) for one in calls]

    return asyncio.run(run())


def fault(one: Call) -> Fault:
    with pytest.raises(CallFailed) as caught:
        replies(one)
    return caught.value.fault


def test_a_reply_is_the_same_in_every_run_whatever_was_called_before() -> None:
    assert replies(call("sim-deep"), call("sim-sloppy", "brief 2"), call())[2] == replies(call())[0]


def test_a_reply_has_the_simulated_time_and_nothing_of_this_machine() -> None:
    (reply,) = replies(call())
    body = json.loads(reply.body)
    assert reply.latency_ms == float(body["metadata"]["simulated_latency_ms"])
    assert reply.created_at.startswith("2026-01-05T")
    assert reply.endpoint == "simulated"
    assert "127.0.0.1" not in reply.body


def test_another_draw_is_another_answer() -> None:
    one, two = replies(call(draw=1), call(draw=2))
    assert one.body != two.body


def test_the_chat_api_is_served_too() -> None:
    (reply,) = replies(call(api="chat_completions"))
    assert json.loads(reply.body)["choices"][0]["message"]["content"]


def ending(wanted: str) -> str:
    """A brief whose first call ends in a way."""
    drill = SimulatedRequest(model="drill-calls", instructions="", input="")
    briefs = (f"brief {number}" for number in range(1000))
    return next(text for text in briefs if call_failure(replace(drill, input=text), 1) == wanted)


def test_a_dropped_connection_is_a_fault_without_the_port() -> None:
    dropped = fault(call("drill-calls", ending("drop")))
    assert dropped.status == "connection_failed"
    assert "127.0.0.1" not in dropped.message


def test_a_refused_connection_is_a_fault_without_the_port() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]

    async def ask() -> None:
        url = f"http://127.0.0.1:{port}/v1"
        client = EndpointClient(Endpoint(provider="openai", url=url), {})
        try:
            await SimulatedCaller({"responses": client}, url).call(call())
        finally:
            await client.close()

    with pytest.raises(CallFailed) as caught:
        asyncio.run(ask())
    assert caught.value.fault.status == "connection_failed"
    assert str(port) not in caught.value.fault.message


@pytest.mark.parametrize(
    ("model", "status"),
    [
        ("drill-key", "auth_failed"),
        ("drill-quota", "quota_exceeded"),
        ("sim-none", "invalid_request"),
    ],
)
def test_what_the_server_refuses_is_a_fault(model: str, status: str) -> None:
    assert fault(call(model)).status == status


def test_an_answer_without_the_simulated_time_is_not_taken() -> None:
    with pytest.raises(ValueError, match="simulated time"):
        by_simulated_clock(Reply(body='{"output": []}', latency_ms=1.0, created_at="", endpoint=""))
