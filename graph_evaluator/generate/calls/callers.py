"""Who makes calls, one attempt each, every failure a `CallFailed`: a client of the official OpenAI
SDK for each endpoint of real models, a function of this process for simulated ones.

Importing this module imports the SDK, which takes half a second.
"""

import asyncio
import datetime
import ssl
import time
from codecs import BOM_UTF8
from collections.abc import AsyncIterator, Awaitable, Collection, Iterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import replace
from email.utils import formatdate
from functools import partial
from typing import Any, TypeVar

import aiohttp
import httpx2
import openai

from graph_evaluator.generate.answers import refusal_in
from graph_evaluator.generate.apis import OWN_URL
from graph_evaluator.generate.calls.outcome import (
    Caller,
    CallFailed,
    Fault,
    Reply,
    fault_of_error,
    limits_of,
    unusable_body,
)
from graph_evaluator.generate.calls.redaction import (
    Redaction,
    custom_headers,
    problems_of_variables,
    proxies,
    secrets_of,
)
from graph_evaluator.generate.plan.call import Call, Endpoint, Variables, address, is_loopback
from graph_evaluator.records.errors import Problem, input_error, refuse
from graph_evaluator.records.json_text import JsonValue, NotJson, canonical, parse
from graph_evaluator.shell.command import off_loop
from graph_evaluator.shell.text import clip
from graph_evaluator.simulate.answer import SimulatedRequest, answer

CONNECT_S = 20.0
NO_KEY = "no-key"
"""What the SDK is given if there is none, as it insists on one; it is not sent."""
DEADLINES = "runtime.timeout_s, timeout_s of the model config, or what runtime.cell_timeout_s left"
LONGEST_BODY, LONGEST_ERROR = 32 * 1024 * 1024, 64 * 1024
"""Bytes of an answer and of an HTTP error that are read."""
_OF_PROXY = (aiohttp.ClientProxyConnectionError, aiohttp.ClientHttpProxyError)
_LOST = (aiohttp.ClientError, httpx2.TransportError, OSError)
_CAUSES: tuple[tuple[tuple[type[BaseException], ...], str], ...] = (
    ((ssl.SSLCertVerificationError,), "certificate"),
    (
        (
            aiohttp.ClientConnectorError,
            aiohttp.ConnectionTimeoutError,
            aiohttp.ClientHttpProxyError,
        ),
        "not_connected",
    ),
    (_LOST, "connection_lost"),
)
"""The code of a failed connection by an exception in the chain of causes; the first that fits
counts.
"""
Done = TypeVar("Done")


@asynccontextmanager
async def open_callers(
    endpoints: Collection[Endpoint], variables: Variables
) -> AsyncIterator[Mapping[Endpoint, Caller]]:
    """The caller of each endpoint; connections are closed when the block ends.

    Raises:
        InputError: a key of `variables` or `SSL_CERT_FILE` cannot be used.
    """
    real = [endpoint for endpoint in {*endpoints} if not endpoint.simulated]
    refuse(problem for endpoint in real for problem in problems_of_endpoint(endpoint, variables))
    callers: dict[Endpoint, Caller] = dict.fromkeys(endpoints, SimulatedModels().call)
    async with AsyncExitStack() as stack:
        for endpoint in real:
            client = EndpointClient(endpoint, variables)
            stack.push_async_callback(client.close)
            callers[endpoint] = client.call
        yield callers


class SimulatedModels:
    """The simulated models; some fail at the first attempt of some calls."""

    def __init__(self) -> None:
        self._failed: set[str] = set()

    async def call(self, call: Call) -> Reply:
        """The reply to a call, at the time that the simulated clock shows."""
        identity = call.identity
        request = SimulatedRequest(
            model=call.model,
            instructions=call.prompt.text,
            input=call.text,
            draw=f"{identity['round']}/{identity['sample']}/{identity['draw']}",
            max_output_tokens=call.planned.most_output_tokens,
        )
        if call.fingerprint not in self._failed and request.fails_first:
            self._failed.add(call.fingerprint)
            message = "HTTP 503: the simulated model is overloaded"
            raise CallFailed(Fault(status="server_error", code="overloaded", message=message))
        body, latency_ms, arrived_at = answer(request)
        return Reply(
            body=canonical(body),
            latency_ms=latency_ms,
            created_at=arrived_at.strftime("%Y-%m-%dT%H:%M:%SZ"),
        )


class EndpointClient:
    """One endpoint: a call has one attempt, and a deadline that holds whatever the socket does."""

    def __init__(self, endpoint: Endpoint, variables: Variables) -> None:
        self.sdk = open_sdk(endpoint, variables)
        self.redaction = Redaction(secrets_of(endpoint, variables))
        self.proxies = " or ".join(proxies(variables))
        self.endpoint = endpoint

    async def close(self) -> None:
        """Close the connections."""
        await self.sdk.close()

    async def call(self, call: Call) -> Reply:
        """Make one call within `call.timeout_s`."""
        started = time.perf_counter()
        response = await self.attempt(self._post(call), call.timeout_s)
        latency_ms = (time.perf_counter() - started) * 1000
        return Reply(
            body=await off_loop(len(response.content), partial(self.text_of, response)),
            latency_ms=latency_ms,
            created_at=datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
            limits=limits_of(response.headers),
        )

    async def _post(self, call: Call) -> httpx2.Response:
        """The response to a call, that which refuses its prompt with an HTTP error included."""
        path, body = call.endpoint.api_kind.path, call.body()
        try:
            # The SDK's typed methods spend half of their time on transforming a plain body.
            return await self.sdk.post(path, cast_to=httpx2.Response, body=body)
        except openai.APIStatusError as error:
            if refusal_in(self._error_of(error.response)):
                return error.response
            raise

    async def attempt(self, action: Awaitable[Done], timeout_s: float) -> Done:
        """The result of an action of the SDK within `timeout_s`; `CallFailed` without a secret."""
        try:
            async with asyncio.timeout(timeout_s):
                return await action
        except TimeoutError:
            message = f"no complete answer within {timeout_s:.3g} s ({DEADLINES})"
            fault = Fault(
                status="timeout_failed",
                code="deadline",
                message=message,
                scope="once",
                may_be_billed=True,
            )
            raise CallFailed(fault) from None
        except Exception as error:  # noqa: BLE001 - it is the failure of this call
            raise self.failed(error) from None

    def text_of(self, response: httpx2.Response) -> str:
        """The text of a body, without a secret; `CallFailed` when it is not UTF-8."""
        content = response.content.removeprefix(BOM_UTF8)
        try:
            return self.redaction.body(content.decode("utf-8"))
        except UnicodeDecodeError:
            received = self.redaction.body(content.decode("utf-8", "replace"))
            problem = "HTTP 200 with a body that is not UTF-8"
            raise CallFailed(unusable_body("not_utf8", problem, received)) from None

    def _error_of(self, response: httpx2.Response) -> JsonValue:
        """The body of an HTTP error, without a secret: its JSON value, else its text."""
        text = self.redaction.body(response.content.decode("utf-8", "replace"))
        try:
            return parse(text)
        except NotJson:
            return text

    def failed(self, error: Exception) -> CallFailed:
        """The failure that an exception means, with no secret in it."""
        if isinstance(error, openai.APIStatusError):
            response = error.response
            headers = {"date": formatdate(usegmt=True), **response.headers}
            body, key_env = self._error_of(response), self.endpoint.key_env
            return CallFailed(fault_of_error(response.status_code, body, headers, key_env))
        fault = _fault_of_exception(error, self.proxies)
        return CallFailed(replace(fault, message=self.redaction.message(fault.message)))


def _fault_of_exception(error: Exception, proxies: str) -> Fault:
    """The fault of a call that brought no HTTP status, or a body that cannot be read."""
    causes = [error, *_causes(error)]
    detail = next((cause for cause in reversed(causes) if str(cause)), error)
    text = f"{type(detail).__name__}: {detail}"
    if any(isinstance(cause, _OF_PROXY) for cause in causes):
        text = f"the proxy of {proxies} cannot be used: {text}"
    for kinds, code in _CAUSES:
        if any(isinstance(cause, kinds) for cause in causes):
            return Fault(
                status="connection_failed",
                code=code,
                message=text,
                scope="cell" if code == "certificate" else "call",
                may_be_billed=code == "connection_lost",
            )
    return unusable_body("unreadable", f"the reply cannot be read: {text}")


def _causes(error: BaseException) -> list[BaseException]:
    """What caused an exception, what caused that, and so on."""
    cause = error.__cause__ or error.__context__
    return [cause, *_causes(cause)] if cause is not None else []


def problems_of_endpoint(endpoint: Endpoint, variables: Variables) -> Iterator[Problem]:
    """What is wrong with the address, and with the values of the variables that are sent there."""
    try:
        httpx2.URL(endpoint.url or OWN_URL)
    except httpx2.InvalidURL as error:
        yield Problem("base_url", clip(address(endpoint), 80), f"cannot be used: {error}")
    yield from problems_of_variables(endpoint, variables)


def open_sdk(endpoint: Endpoint, variables: Variables) -> openai.AsyncOpenAI:
    """A client without retries, redirects and deadlines; `variables` hold its key and headers."""
    key = variables.get(endpoint.key_env or "", "").strip() or NO_KEY
    is_own = endpoint.provider == "openai" and endpoint.url is None
    timeout = httpx2.Timeout(None, connect=CONNECT_S)
    options: dict[str, Any] = {
        "base_url": endpoint.url or OWN_URL,
        "api_key": key,
        "max_retries": 0,
        "timeout": timeout,
        "default_headers": _headers(endpoint, variables, key, is_own=is_own),
        "http_client": openai.DefaultAioHttpClient(
            timeout=timeout,
            limits=httpx2.Limits(max_connections=0),  # aiohttp: no limit
            follow_redirects=False,
            trust_env=not is_loopback(endpoint),
            verify=_certificates(),
            event_hooks={"request": [_remove_placeholder], "response": [_bound_body]},
        ),
    }
    sdk: openai.AsyncOpenAI
    if endpoint.provider != "azure":
        sdk = openai.AsyncOpenAI(**options)
    elif (endpoint.url or "").endswith("/v1"):  # it takes OpenAI's own requests
        query = {"api-version": endpoint.api_version}
        sdk = openai.AsyncOpenAI(default_query=query, **options)
    else:
        options["default_headers"]["Authorization"] = openai.omit
        sdk = openai.AsyncAzureOpenAI(api_version=endpoint.api_version, **options)
    sdk.organization = variables.get("OPENAI_ORG_ID") if is_own else None
    sdk.project = variables.get("OPENAI_PROJECT_ID") if is_own else None
    return sdk


def _headers(endpoint: Endpoint, variables: Variables, key: str, *, is_own: bool) -> dict[str, Any]:
    headers: dict[str, Any] = {"Accept-Encoding": "identity", "Authorization": f"Bearer {key}"}
    if endpoint.provider == "azure":
        headers["api-key"] = key
    for name, variable in endpoint.headers_env:
        if variable in variables:
            headers[name] = variables[variable].strip()
    present = {name.lower() for name in headers}
    for name, value in custom_headers(variables).items():
        if name.lower() not in present:  # the SDK would send them to any address
            headers[name] = value if is_own else openai.omit
    return headers


def _certificates() -> ssl.SSLContext:
    """The system's certificate authorities, or those in `SSL_CERT_FILE`."""
    try:
        return httpx2.create_ssl_context()
    except (OSError, ssl.SSLError) as error:
        problem = f"names a file that has no readable certificates: {error}"
        raise input_error("environment", "SSL_CERT_FILE", problem) from None


async def _remove_placeholder(request: httpx2.Request) -> None:
    for name in ("Authorization", "api-key"):
        if request.headers.get(name) in (NO_KEY, f"Bearer {NO_KEY}"):
            del request.headers[name]


async def _bound_body(response: httpx2.Response) -> None:
    """Read only the beginning of a body that is too long; files of batches have any length."""
    is_file = response.is_success and response.request.url.path.endswith("/content")
    if not is_file and isinstance(response.stream, httpx2.AsyncByteStream):
        longest = LONGEST_BODY if response.is_success else LONGEST_ERROR
        response.stream = _Bounded(response.stream, longest)


class _Bounded(httpx2.AsyncByteStream):
    """The first `longest` bytes of a stream; where the connection breaks off, those that arrived,
    as an answer that has begun was paid for.
    """

    def __init__(self, stream: httpx2.AsyncByteStream, longest: int) -> None:
        self._stream = stream
        self._longest = longest

    async def __aiter__(self) -> AsyncIterator[bytes]:
        left = self._longest
        try:
            async for chunk in self._stream:
                yield chunk[:left]
                left -= len(chunk)
                if left <= 0:
                    return
        except _LOST:
            if left == self._longest:
                raise

    async def aclose(self) -> None:
        await self._stream.aclose()
