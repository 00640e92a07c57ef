"""Adapter: what is particular to the OpenAI SDK. Importing this module imports the SDK, which takes half a second."""

import ssl
import zlib
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any

import aiohttp
import anyio
import httpx2

from stages.contracts.json_text import JsonValue
from stages.generate.call import Call, Endpoint
from stages.generate.caller import Fault
from stages.generate.client.deferred import types_deferred
from stages.generate.pace.failures import connection, unusable_body
from stages.generate.plan.endpoint import OWN_URL, is_loopback

with types_deferred():
    from openai import (
        APIConnectionError,
        AsyncAzureOpenAI,
        AsyncOpenAI,
        DefaultAioHttpClient,
        OpenAIError,
    )

CONNECT_S = 20.0
LONGEST_ERROR_BODY = 64 * 1024
_OPTIONS: Any = {"security": {"bearer_auth": True}}
"""The endpoint's own key, and not one for administration that the environment may hold."""
_UNSENDABLE = (
    httpx2.UnsupportedProtocol,
    httpx2.LocalProtocolError,
    httpx2.InvalidURL,
    aiohttp.InvalidURL,
    aiohttp.NonHttpUrlClientError,
)
_NEVER_SENT = (
    httpx2.ConnectError,
    httpx2.ConnectTimeout,
    httpx2.PoolTimeout,
    httpx2.ProxyError,
    aiohttp.ClientConnectorError,
    aiohttp.ConnectionTimeoutError,
    aiohttp.ClientHttpProxyError,
)
_LOST = (
    httpx2.RequestError,
    aiohttp.ClientError,
    aiohttp.http_exceptions.HttpProcessingError,
    ssl.SSLError,
    anyio.EndOfStream,
    OSError,
)


def open_client(endpoint: Endpoint, variables: Mapping[str, str]) -> AsyncOpenAI:
    """The SDK's client for an endpoint: no retries, no deadline of its own (the caller has one), no redirects."""
    key = variables.get(endpoint.key_env or "", "").strip()
    headers = {"Accept-Encoding": "identity"}
    headers |= {name: variables[variable].strip() for name, variable in endpoint.headers_env if variable in variables}
    # Over aiohttp a call takes a third less CPU time than over the SDK's own pool, which looks at every idle connection.
    http_client = DefaultAioHttpClient(
        timeout=httpx2.Timeout(None, connect=CONNECT_S),
        limits=httpx2.Limits(max_connections=0),  # aiohttp's way to say: no limit
        follow_redirects=False,
        trust_env=not is_loopback(endpoint),
        verify=_certificates(endpoint),
        event_hooks={"request": [] if key else [_without_key], "response": [_bound_errors]},
    )
    options: dict[str, Any] = {
        "api_key": key or "none",
        "max_retries": 0,
        "timeout": httpx2.Timeout(None, connect=CONNECT_S),
        "default_headers": headers,
        "http_client": http_client,
    }
    if endpoint.provider != "azure":
        return AsyncOpenAI(base_url=endpoint.url or OWN_URL, **options)
    if (
        (endpoint.url or "").rstrip("/").endswith("/v1")
    ):  # Azure's v1 path takes OpenAI's own requests, not deployments' paths
        headers["api-key"] = key
        return AsyncOpenAI(base_url=endpoint.url, default_query={"api-version": endpoint.api_version}, **options)
    return AsyncAzureOpenAI(base_url=endpoint.url or "", api_version=endpoint.api_version, **options)


def _certificates(endpoint: Endpoint) -> ssl.SSLContext | bool:
    """The usual ones; none for plain HTTP, which has no use for them, as loading them takes a while."""
    return ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT) if (endpoint.url or "").startswith("http://") else True


@asynccontextmanager
async def request(client: AsyncOpenAI, call: Call) -> AsyncIterator[httpx2.Response]:
    """One request, whose answer is read by the caller.

    By the SDK's way for paths that it does not know: its own methods build a model of every type that might stand in an answer.
    """
    asked: dict[str, JsonValue]
    if call.endpoint.api == "responses":
        path, asked = "/responses", {"instructions": call.instructions, "input": call.input}
    else:
        messages: list[JsonValue] = [
            {"role": "system", "content": call.instructions},
            {"role": "user", "content": call.input},
        ]
        path, asked = "/chat/completions", {"messages": messages}
    body = {"model": call.model, **asked, **call.settings}
    # Streaming here only leaves the body unread; the API streams when the body asks for it.
    response: Any = await client.post(path, cast_to=httpx2.Response, body=body, options=_OPTIONS, stream=True)
    try:
        yield response
    finally:
        await response.aclose()


def fault_of(error: Exception) -> Fault:
    """The fault that an exception of the SDK, of its transport or of aiohttp below it stands for."""
    cause: BaseException = error
    while isinstance(cause, APIConnectionError | httpx2.RequestError) and cause.__cause__ is not None:
        cause = cause.__cause__
    name = type(cause).__name__
    text = f"{name}: {cause}" if str(cause) else name
    if isinstance(cause, _UNSENDABLE):
        return Fault(status="invalid_request", code="unsendable", message=text, scope="cell")
    if isinstance(cause, aiohttp.ClientConnectorCertificateError):
        return Fault(status="connection_failed", code="certificate", message=text, scope="cell")
    if isinstance(cause, httpx2.DecodingError | zlib.error):
        return unusable_body("not_decodable", f"HTTP 200 with a body that cannot be decoded ({text})")
    if isinstance(cause, _NEVER_SENT):
        return connection("not_connected", text, sent=False)
    if isinstance(cause, _LOST):
        return connection("connection_lost", text, sent=True)
    if isinstance(error, OpenAIError):
        return unusable_body("client_error", text)
    return Fault(status="connection_failed", code="client_error", message=text, scope="cell")


async def _without_key(request: httpx2.Request) -> None:
    """Drop the dummy key that the SDK insists on sending when there is no key."""
    for name in ("Authorization", "api-key"):
        if request.headers.get(name) in ("none", "Bearer none"):
            del request.headers[name]


async def _bound_errors(response: httpx2.Response) -> None:
    """Keep of an error's body only the beginning, for the SDK reads it whole."""
    if response.is_error and isinstance(response.stream, httpx2.AsyncByteStream):
        response.stream = _Beginning(response.stream)


class _Beginning(httpx2.AsyncByteStream):
    """The first bytes of a stream."""

    def __init__(self, stream: httpx2.AsyncByteStream) -> None:
        self._stream = stream

    async def __aiter__(self) -> AsyncIterator[bytes]:
        left = LONGEST_ERROR_BODY
        async for chunk in self._stream:
            yield chunk[:left]
            left -= len(chunk)
            if left <= 0:
                return

    async def aclose(self) -> None:
        await self._stream.aclose()
