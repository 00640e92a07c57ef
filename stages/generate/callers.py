"""Adapter: makes the calls of a run, to real models over the network and to simulated ones through
a server in this process.

The reply of a simulated model depends on nothing but the call: latency and time are those of the
simulated clock, and the server's port, which differs in every run, reaches no record. Importing
this module imports the SDK, which takes half a second.
"""

import datetime
from collections.abc import AsyncIterator, Iterable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, replace
from typing import get_args
from urllib.parse import urlsplit

from stages.contracts.errors import InputError
from stages.contracts.json_text import parse
from stages.contracts.model_config import Api
from stages.generate.calls.client import EndpointClient
from stages.generate.calls.faults import NO_LIMITS, Caller, CallFailed, Fault, Reply
from stages.generate.calls.sdk import problems_of_variables
from stages.generate.plan.call import Call
from stages.generate.plan.endpoint import Endpoint

SIMULATED_ADDRESS = "simulated"
"""The address of the simulated models wherever one is recorded."""
DRAW_KEY = "simulated_draw"
LATENCY_KEY = "simulated_latency_ms"


@asynccontextmanager
async def open_caller(
    endpoints: Iterable[Endpoint], variables: Mapping[str, str]
) -> AsyncIterator[Caller]:
    """A caller for these endpoints, whose connections are closed when the block ends.

    Raises:
        InputError: a key of `variables` or `SSL_CERT_FILE` cannot be used.
    """
    distinct = sorted(set(endpoints), key=repr)
    real = [endpoint for endpoint in distinct if not endpoint.simulated]
    problems = [
        problem for endpoint in real for problem in problems_of_variables(endpoint, variables)
    ]
    if problems:
        raise InputError(problems)
    async with AsyncExitStack() as stack:
        clients: dict[Endpoint, EndpointClient] = {}
        for endpoint in real:
            clients[endpoint] = EndpointClient(endpoint, variables)
            stack.push_async_callback(clients[endpoint].close)
        simulated: SimulatedCaller | None = None
        if len(real) < len(distinct):
            simulated = await stack.enter_async_context(_open_simulated())
        yield EveryCaller(clients, simulated).call


@asynccontextmanager
async def _open_simulated() -> AsyncIterator["SimulatedCaller"]:
    """A caller for simulated models, whose server runs on a free loopback port."""
    from stages.simulate.server import SimulatedServer  # takes a quarter of a second

    async with SimulatedServer() as server, AsyncExitStack() as stack:
        clients: dict[Api, EndpointClient] = {}
        for api in get_args(Api):
            endpoint = Endpoint(provider="openai", api=api, url=server.url)
            clients[api] = EndpointClient(endpoint, {})
            stack.push_async_callback(clients[api].close)
        yield SimulatedCaller(clients, server.url)


@dataclass(frozen=True, slots=True)
class SimulatedCaller:
    """Calls the simulated models of the server at `url`, by the client of each kind of API."""

    clients: Mapping[Api, EndpointClient]
    url: str

    async def call(self, call: Call) -> Reply:
        """Make one call, which says which of the independent draws it is."""
        client = self.clients[call.endpoint.api]
        settings = call.settings | {"metadata": {DRAW_KEY: draw_of(call)}}
        try:
            reply = await client.call(replace(call, endpoint=client.endpoint, settings=settings))
        except CallFailed as failed:
            raise CallFailed(_without_port(failed.fault, self.url)) from None
        return by_simulated_clock(reply)


@dataclass(frozen=True, slots=True)
class EveryCaller:
    """Calls each model with the client of its endpoint."""

    clients: Mapping[Endpoint, EndpointClient]
    simulated: SimulatedCaller | None

    async def call(self, call: Call) -> Reply:
        """Make one call."""
        if self.simulated is not None and call.endpoint.simulated:
            return await self.simulated.call(call)
        return await self.clients[call.endpoint].call(call)


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
        reply,
        latency_ms=latency_ms,
        created_at=created_at,
        endpoint=SIMULATED_ADDRESS,
        limits=NO_LIMITS,
    )


def _without_port(fault: Fault, url: str) -> Fault:
    """The fault without the server's port, as addresses and Python's own errors show it."""
    server = urlsplit(url)
    in_url = f"{server.hostname}:{server.port}"
    in_error = f"('{server.hostname}', {server.port})"
    message = fault.message.replace(in_url, SIMULATED_ADDRESS)
    return replace(fault, message=message.replace(in_error, SIMULATED_ADDRESS))
