"""Adapter: calls the simulated models, which a server in this process serves, through the same SDK client as real ones.

What leaves here depends on nothing but the call: latency and time are those of the simulated clock, and the server's port, which
is another in every run, reaches no record.
"""

import datetime
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import msgspec

from stages.contracts.json_text import JsonValue, parse
from stages.contracts.model_config import Api
from stages.generate.call import Call, Endpoint
from stages.generate.caller import Caller, CallFailed, Fault, Limits, Reply
from stages.generate.client.openai_client import open_callers

ENDPOINT = "simulated"
"""What stands for the address of the simulated models wherever one is recorded."""

DRAW_KEY = "simulated_draw"
LATENCY_KEY = "simulated_latency_ms"
_APIS: tuple[Api, ...] = ("responses", "chat_completions")


@asynccontextmanager
async def open_simulated_caller() -> AsyncIterator[Caller]:
    """A caller for simulated models; their server runs, on a free loopback port, until the block ends."""
    from stages.simulate.server import SimulatedServer  # only a run with simulated models pays for the import

    async with SimulatedServer() as server:
        served = {api: Endpoint(provider="openai", api=api, url=server.url) for api in _APIS}
        async with open_callers(served.values(), {}) as call_over_http:

            async def call(one: Call, on_begun: Callable[[], None], /) -> Reply:
                draw: JsonValue = {DRAW_KEY: f"{one.round}/{one.cell.sample}/{one.draw}"}
                sent = msgspec.structs.replace(
                    one, endpoint=served[one.endpoint.api], settings=one.settings | {"metadata": draw}
                )
                try:
                    reply = await call_over_http(sent, on_begun)
                except CallFailed as failed:
                    raise CallFailed(_without_port(failed.fault, server.url)) from None
                return by_simulated_clock(reply)

            yield call


def by_simulated_clock(reply: Reply) -> Reply:
    """The reply as it would have come by the clock that its body tells, with nothing left of this machine's.

    Raises:
        ValueError: the body does not tell the simulated time.
    """
    body = parse(reply.body)
    record = body if isinstance(body, dict) else {}
    metadata = record.get("metadata")
    told = metadata.get(LATENCY_KEY) if isinstance(metadata, dict) else None
    created = record.get("created_at", record.get("created"))
    if not isinstance(told, str) or not isinstance(created, int):
        raise ValueError("the answer of a simulated model does not tell the simulated time")
    latency_ms = float(told)
    arrived = datetime.datetime.fromtimestamp(created, datetime.UTC) + datetime.timedelta(milliseconds=latency_ms)
    return msgspec.structs.replace(
        reply,
        latency_ms=latency_ms,
        arrived_at=arrived.strftime("%Y-%m-%dT%H:%M:%SZ"),
        endpoint=ENDPOINT,
        limits=Limits(),
    )


def _without_port(fault: Fault, url: str) -> Fault:
    address = url.removeprefix("http://").removesuffix("/v1")
    return msgspec.structs.replace(fault, message=fault.message.replace(address, ENDPOINT))
