"""Calls through the official OpenAI SDK: one attempt each, every failure a `CallFailed`.

Importing this module imports the SDK, which takes half a second.
"""

import asyncio
import datetime
import ssl
import time
from collections.abc import Awaitable, Mapping
from dataclasses import replace
from functools import partial
from typing import TypeVar

import aiohttp
import httpx2
import openai

from stages.generate.calls import sdk
from stages.generate.calls.faults import (
    CallFailed,
    Fault,
    Reply,
    fault_of_status,
    limits_of,
    no_answer_in_time,
    unusable_body,
)
from stages.generate.calls.redaction import Redaction
from stages.generate.calls.sdk import open_sdk, secrets_of
from stages.generate.plan.call import Call
from stages.generate.plan.endpoint import Endpoint, address

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

CERTIFICATE_ADVICE = (
    "if the server has a private certificate authority, name its file in SSL_CERT_FILE; from "
    "Python 3.13 on certificates need key identifiers, and that of an authority its key usage"
)
Done = TypeVar("Done")


class EndpointClient:
    """One endpoint: a call has one attempt, and a deadline that holds whatever the socket does."""

    def __init__(self, endpoint: Endpoint, variables: Mapping[str, str]) -> None:
        self.sdk = open_sdk(endpoint, variables)
        self.redaction = Redaction(secrets_of(endpoint, variables))
        self.endpoint = endpoint

    async def close(self) -> None:
        """Close the connections."""
        await self.sdk.close()

    async def call(self, call: Call) -> Reply:
        """Make one call within `call.timeout_s`."""
        path, body = call.endpoint.api_kind.path, call.body()
        started = time.perf_counter()
        # `post`: the SDK's typed methods spend half of their time on transforming a plain body.
        posting = self.sdk.post(path, cast_to=httpx2.Response, body=body)
        response = await self.attempt(posting, call.timeout_s)
        latency_ms = (time.perf_counter() - started) * 1000
        return Reply(
            body=self.redaction.body(text_of(response)),
            latency_ms=latency_ms,
            created_at=datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
            endpoint=address(self.endpoint),
            limits=limits_of(response.headers),
        )

    async def attempt(self, action: Awaitable[Done], timeout_s: float) -> Done:
        """The result of an action of the SDK within `timeout_s`; `CallFailed` without a secret."""
        try:
            async with asyncio.timeout(timeout_s):
                return await action
        except TimeoutError:
            raise CallFailed(no_answer_in_time(timeout_s)) from None
        except Exception as error:  # noqa: BLE001 - it is the failure of this call
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
                key_env=self.endpoint.key_env,
            )
        else:
            fault = _fault_of_exception(error)
        code, message = self.redaction.body(fault.code), self.redaction.message(fault.message)
        return CallFailed(replace(fault, code=code, message=message))


def text_of(response: httpx2.Response) -> str:
    """The text of a response's body; `CallFailed` when it is too long or not UTF-8."""
    if len(response.content) >= sdk.LONGEST_BODY:
        message = f"the answer is longer than {sdk.LONGEST_BODY} bytes"
        raise CallFailed(unusable_body("too_long", message))
    try:
        return response.content.decode("utf-8-sig")
    except UnicodeDecodeError:
        fault = unusable_body("not_utf8", "HTTP 200 with a body that is not UTF-8")
        raise CallFailed(fault) from None


def _fault_of_exception(error: Exception) -> Fault:
    chain = _chain_of_causes(error)
    of_transport = [cause for cause in chain if isinstance(cause, aiohttp.ClientError)]
    not_of_sdk = [cause for cause in chain if not isinstance(cause, openai.APIConnectionError)]
    transport = [*of_transport, *not_of_sdk, error][0]
    detail = next((cause for cause in reversed(chain) if str(cause)), error)
    text = f"{type(transport).__name__}: {detail}"
    failed = partial(Fault, status="connection_failed", message=text)
    if isinstance(transport, _UNSENDABLE):
        return failed(status="invalid_request", code="unsendable", scope="cell")
    if any(isinstance(cause, ssl.SSLCertVerificationError) for cause in chain):
        return failed(code="certificate", message=f"{text}; {CERTIFICATE_ADVICE}", scope="cell")
    if isinstance(transport, httpx2.DecodingError):
        message = f"HTTP 200 with a body that cannot be decoded ({text})"
        return unusable_body("not_decodable", message)
    if isinstance(transport, _NEVER_SENT):
        return failed(code="not_connected")
    if isinstance(transport, aiohttp.ClientError | httpx2.RequestError | OSError):
        return failed(code="connection_lost", may_be_billed=True)
    if isinstance(transport, openai.OpenAIError):
        return unusable_body("client_error", text)
    return failed(code="client_error", scope="cell")


def _chain_of_causes(error: BaseException) -> list[BaseException]:
    """The exception, what caused it, and so on."""
    chain: list[BaseException] = []
    cause: BaseException | None = error
    while cause is not None and cause not in chain:
        chain.append(cause)
        cause = cause.__cause__ or cause.__context__
    return chain
