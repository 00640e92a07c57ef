"""Adapter: calls the simulated models of a server in this process, with the client of real ones.

A reply depends on nothing but the call: latency and time are those of the simulated clock, and the
server's port, which differs in every run, reaches no record.
"""

import datetime
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import get_args

from stages.contracts.json_text import parse
from stages.contracts.model_config import Api
from stages.generate.calls.client import open_caller
from stages.generate.calls.faults import NO_LIMITS, Caller, CallFailed, Fault, Reply
from stages.generate.plan.call import Call
from stages.generate.plan.endpoint import Endpoint

ENDPOINT = "simulated"
"""The address of the simulated models wherever one is recorded."""
DRAW_KEY = "simulated_draw"
LATENCY_KEY = "simulated_latency_ms"


@asynccontextmanager
async def open_simulated_caller() -> AsyncIterator[Caller]:
    """A caller for simulated models.

    Their server runs, on a free loopback port, until the block ends.
    """
    from stages.simulate.server import (
        SimulatedServer,
    )  # a quarter of a second, for runs with simulated models alone

    async with SimulatedServer() as server:
        endpoints = {
            api: Endpoint(provider="openai", api=api, url=server.url) for api in get_args(Api)
        }
        async with open_caller(endpoints.values(), {}) as call_over_http:

            async def call(one: Call, /) -> Reply:
                sent = replace(
                    one,
                    endpoint=endpoints[one.endpoint.api],
                    settings=one.settings | {"metadata": {DRAW_KEY: draw_of(one)}},
                )
                try:
                    reply = await call_over_http(sent)
                except CallFailed as failed:
                    raise CallFailed(_without_port(failed.fault, server.url)) from None
                return by_simulated_clock(reply)

            yield call


def draw_of(call: Call) -> str:
    """Which of the independent draws of its request a call is."""
    identity = call.identity
    return f"{identity['round']}/{identity['sample']}/{identity['draw']}"


def by_simulated_clock(reply: Reply) -> Reply:
    """The reply at the simulated time that its body states, without anything of this machine."""
    body = parse(reply.body)
    record = body if isinstance(body, dict) else {}
    metadata = record.get("metadata")
    stated = metadata.get(LATENCY_KEY) if isinstance(metadata, dict) else None
    created = record.get("created_at", record.get("created"))
    if not isinstance(stated, str) or not isinstance(created, int):
        raise ValueError("the answer of a simulated model does not state the simulated time")
    latency_ms = float(stated)
    arrived = datetime.datetime.fromtimestamp(created, datetime.UTC) + datetime.timedelta(
        milliseconds=latency_ms
    )
    created_at = arrived.strftime("%Y-%m-%dT%H:%M:%SZ")
    return replace(
        reply, latency_ms=latency_ms, created_at=created_at, endpoint=ENDPOINT, limits=NO_LIMITS
    )


def _without_port(fault: Fault, url: str) -> Fault:
    address = url.removeprefix("http://").removesuffix("/v1")
    return replace(fault, message=fault.message.replace(address, ENDPOINT))
