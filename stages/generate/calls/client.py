"""Calls through the official OpenAI SDK: one attempt each; every way to fail becomes a `CallFailed`.

Importing this module imports the SDK, which takes half a second.
"""

import asyncio
import datetime
import ssl
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import replace
from typing import Any, TypeVar

import aiohttp
import httpx2
import openai

from stages.contracts.errors import InputError, Problem
from stages.generate.apis.kind import OWN_URL
from stages.generate.calls.faults import (
    Caller,
    CallFailed,
    Fault,
    Reply,
    fault_of_status,
    limits_of,
    no_answer_in_time,
    unusable_body,
)
from stages.generate.calls.redaction import Redaction
from stages.generate.plan.call import Call
from stages.generate.plan.endpoint import Endpoint, address, is_loopback

CONNECT_S = 20.0
LONGEST_BODY = 32 * 1024 * 1024
LONGEST_ERROR_BODY = 64 * 1024
CUSTOM_HEADERS = "OPENAI_CUSTOM_HEADERS"
ORGANIZATION = "OPENAI_ORG_ID"
PROJECT = "OPENAI_PROJECT_ID"
NO_KEY = "none"
SHORTEST_CUSTOM_SECRET = 12
"""A shorter value of a custom header may be an ordinary word, which must not be removed from answers."""
_UNSENDABLE = (
    aiohttp.InvalidURL,
    aiohttp.NonHttpUrlClientError,
    httpx2.UnsupportedProtocol,
    httpx2.InvalidURL,
)
_NEVER_SENT = (
    aiohttp.ClientConnectorError,
    aiohttp.ConnectionTimeoutError,
    aiohttp.ClientHttpProxyError,
)

Done = TypeVar("Done")


@asynccontextmanager
async def open_caller(
    endpoints: Iterable[Endpoint], variables: Mapping[str, str]
) -> AsyncIterator[Caller]:
    """A caller for these endpoints, none of them simulated; `InputError` when a key of `variables` or `SSL_CERT_FILE` is unusable."""
    wanted = sorted(set(endpoints), key=repr)
    values = {item for endpoint in wanted for item in _own_values(endpoint, variables).items()}
    unsendable = sorted(
        name for name, value in values if not (value.isascii() and value.isprintable())
    )
    if unsendable:
        message = "holds characters that no HTTP header can carry: set it again"
        raise InputError([Problem("environment", name, message) for name in unsendable])
    async with AsyncExitStack() as stack:
        clients = {endpoint: EndpointClient(endpoint, variables) for endpoint in wanted}
        for client in clients.values():
            stack.push_async_callback(client.close)

        async def call(one: Call) -> Reply:
            return await clients[one.endpoint].call(one)

        yield call


class EndpointClient:
    """The SDK's client for one endpoint: no retries, no redirects; deadlines that hold whatever the socket does."""

    def __init__(self, endpoint: Endpoint, variables: Mapping[str, str]) -> None:
        self.sdk = _open_sdk(endpoint, variables)
        self.redaction = Redaction(_secrets(endpoint, variables))
        self._endpoint = endpoint

    async def close(self) -> None:
        """Close the connections."""
        await self.sdk.close()

    async def call(self, call: Call) -> Reply:
        """Make one call within `call.timeout_s`."""
        path, body = call.endpoint.api_kind.path, call.body()
        started = time.perf_counter()
        # `post`: the SDK's typed methods spend half of their time on transforming a plain body.
        response = await self.attempt(
            lambda: self.sdk.post(path, cast_to=httpx2.Response, body=body), call.timeout_s
        )
        latency_ms = (time.perf_counter() - started) * 1000
        if len(response.content) >= LONGEST_BODY:
            raise CallFailed(
                unusable_body("too_long", f"the answer is longer than {LONGEST_BODY} bytes")
            )
        try:
            text = response.content.decode("utf-8-sig")
        except UnicodeDecodeError:
            raise CallFailed(
                unusable_body("not_utf8", "HTTP 200 with a body that is not UTF-8")
            ) from None
        return Reply(
            body=self.redaction.body(text),
            latency_ms=latency_ms,
            created_at=datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
            endpoint=address(self._endpoint),
            limits=limits_of(response.headers),
        )

    async def attempt(self, action: Callable[[], Awaitable[Done]], timeout_s: float) -> Done:
        """The result of an action of the SDK, or `CallFailed`, without any secret, also when it takes longer than `timeout_s`."""
        try:
            async with asyncio.timeout(timeout_s):
                return await action()
        except TimeoutError:
            raise CallFailed(no_answer_in_time(timeout_s)) from None
        except Exception as error:  # noqa: BLE001 - whatever goes wrong with one call is that call's failure
            raise self.failed(error) from None

    def failed(self, error: Exception) -> CallFailed:
        """The failure that an exception of the SDK means, with no secret in it."""
        if isinstance(error, CallFailed):
            return error
        if isinstance(error, openai.APIStatusError):
            fault = fault_of_status(
                error.status_code,
                error.response.headers,
                error.response.content.decode("utf-8", "replace"),
                now=datetime.datetime.now(datetime.UTC),
                key_env=self._endpoint.key_env,
            )
        else:
            fault = _fault_of_exception(error)
        return CallFailed(
            replace(
                fault,
                code=self.redaction.body(fault.code),
                message=self.redaction.message(fault.message),
            )
        )


def _certificate_advice(refusal: str) -> str:
    """What to do about a certificate that Python refused with these words."""
    strictly_refused = ("Key Identifier", "key usage", "Basic Constraints")
    if any(words in refusal for words in strictly_refused):
        return (
            "Python verifies certificates strictly from 3.13 on: have the certificates of the server "
            "and of its authority issued with key identifiers and key usage, or run Python 3.12"
        )
    return "if the server has a private certificate authority, name its file in SSL_CERT_FILE"


def _fault_of_exception(error: Exception) -> Fault:
    chain: list[BaseException] = [error]
    while (
        cause := chain[-1].__cause__ or chain[-1].__context__
    ) is not None and cause not in chain:
        chain.append(cause)
    outermost = next(
        (one for one in chain if not isinstance(one, openai.APIConnectionError)), error
    )
    transport = next((one for one in chain if isinstance(one, aiohttp.ClientError)), outermost)
    detail = next((one for one in reversed(chain) if str(one)), error)
    text = f"{type(transport).__name__}: {detail}"
    if isinstance(transport, _UNSENDABLE):
        return Fault(status="invalid_request", code="unsendable", message=text, scope="cell")
    if any(isinstance(one, ssl.SSLCertVerificationError) for one in chain):
        message = f"{text}; {_certificate_advice(text)}"
        return Fault(status="connection_failed", code="certificate", message=message, scope="cell")
    if isinstance(transport, httpx2.DecodingError):
        return unusable_body(
            "not_decodable", f"HTTP 200 with a body that cannot be decoded ({text})"
        )
    if isinstance(transport, _NEVER_SENT):
        return Fault(status="connection_failed", code="not_connected", message=text)
    if isinstance(transport, aiohttp.ClientError | httpx2.RequestError | OSError):
        return Fault(
            status="connection_failed", code="connection_lost", message=text, may_be_billed=True
        )
    if isinstance(transport, openai.OpenAIError):
        return unusable_body("client_error", text)
    return Fault(status="connection_failed", code="client_error", message=text, scope="cell")


def _open_sdk(endpoint: Endpoint, variables: Mapping[str, str]) -> openai.AsyncOpenAI:
    key = variables.get(endpoint.key_env or "", "").strip()
    own = endpoint.provider == "openai" and endpoint.url is None
    headers: dict[str, Any] = {
        "Accept-Encoding": "identity",
        "Authorization": f"Bearer {key or NO_KEY}",
    }
    if endpoint.provider == "azure":
        headers["api-key"] = key or NO_KEY
    headers |= {
        name: variables[variable].strip()
        for name, variable in endpoint.headers_env
        if variable in variables
    }
    for name, value in _custom_headers(
        variables
    ).items():  # which the SDK would send to any address
        if name.lower() not in {ours.lower() for ours in headers}:
            headers[name] = value if own else openai.omit
    options: dict[str, Any] = {
        "base_url": endpoint.url or OWN_URL,
        "api_key": key or NO_KEY,
        "max_retries": 0,
        "timeout": httpx2.Timeout(None, connect=CONNECT_S),
        "default_headers": headers,
        "http_client": openai.DefaultAioHttpClient(
            timeout=httpx2.Timeout(None, connect=CONNECT_S),
            limits=httpx2.Limits(max_connections=0),  # aiohttp: no limit
            follow_redirects=False,
            trust_env=not is_loopback(endpoint),
            verify=_certificates(endpoint),
            event_hooks={"request": [] if key else [_without_key], "response": [_bound]},
        ),
    }
    if endpoint.provider != "azure":
        sdk = openai.AsyncOpenAI(**options)
    elif (
        (endpoint.url or "").rstrip("/").endswith("/v1")
    ):  # which takes OpenAI's own requests, not deployments' paths
        sdk = openai.AsyncOpenAI(default_query={"api-version": endpoint.api_version}, **options)
    else:
        headers["Authorization"] = openai.omit
        sdk = openai.AsyncAzureOpenAI(api_version=endpoint.api_version, **options)
    sdk.organization = variables.get(ORGANIZATION) if own else None
    sdk.project = variables.get(PROJECT) if own else None
    return sdk


def _custom_headers(variables: Mapping[str, str]) -> dict[str, str]:
    lines = (line.partition(":") for line in variables.get(CUSTOM_HEADERS, "").split("\n"))
    return {name.strip(): value.strip() for name, colon, value in lines if colon and name.strip()}


def _own_values(endpoint: Endpoint, variables: Mapping[str, str]) -> dict[str, str]:
    names = [endpoint.key_env or "", *(variable for _, variable in endpoint.headers_env)]
    return {name: variables[name].strip() for name in names if name in variables}


def _secrets(endpoint: Endpoint, variables: Mapping[str, str]) -> list[str]:
    sdk = [variables[name].strip() for name in (ORGANIZATION, PROJECT) if name in variables]
    custom = [
        word for value in _custom_headers(variables).values() for word in (value, *value.split())
    ]
    long = [word for word in custom if len(word) >= SHORTEST_CUSTOM_SECRET]
    return [*_own_values(endpoint, variables).values(), *sdk, *long]


def _certificates(endpoint: Endpoint) -> ssl.SSLContext:
    """The system's certificate authorities, or those in `SSL_CERT_FILE`; none for plain HTTP, as loading them takes a while."""
    if (endpoint.url or "").startswith("http://"):
        return ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    try:
        return httpx2.create_ssl_context()
    except (OSError, ssl.SSLError) as error:
        problem = f"names a file that cannot be read as certificates: {error}"
        raise InputError([Problem("environment", "SSL_CERT_FILE", problem)]) from None


async def _without_key(request: httpx2.Request) -> None:
    """Remove the placeholder for the key, on which the SDK insists."""
    for name in ("Authorization", "api-key"):
        if request.headers.get(name) in (NO_KEY, f"Bearer {NO_KEY}"):
            del request.headers[name]


async def _bound(response: httpx2.Response) -> None:
    """Read only the beginning of a body that is too long; files of batches have any length."""
    file = response.is_success and response.request.url.path.endswith("/content")
    if not file and isinstance(response.stream, httpx2.AsyncByteStream):
        response.stream = _Bounded(
            response.stream, LONGEST_ERROR_BODY if response.is_error else LONGEST_BODY
        )


class _Bounded(httpx2.AsyncByteStream):
    """The first `left` bytes of a stream."""

    def __init__(self, stream: httpx2.AsyncByteStream, left: int) -> None:
        self._stream = stream
        self._left = left

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for chunk in self._stream:
            yield chunk[: self._left]
            self._left -= len(chunk)
            if self._left <= 0:
                return

    async def aclose(self) -> None:
        await self._stream.aclose()
