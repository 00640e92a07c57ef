"""Adapter: calls through the official OpenAI SDK. One attempt each; every way to fail becomes a `CallFailed`."""

import asyncio
import datetime
import time
from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from typing import TYPE_CHECKING

import msgspec

from stages.contracts.errors import InputError, Problem
from stages.generate.call import Call, Endpoint
from stages.generate.caller import Caller, CallFailed, Fault, Reply
from stages.generate.client.answer_shape import tokens_or_fault
from stages.generate.client.redaction import Redaction
from stages.generate.pace.failures import no_answer_in_time, of_status, unusable_body
from stages.generate.pace.rate_headers import limits_of
from stages.generate.plan.endpoint import address

if TYPE_CHECKING:
    from openai import AsyncOpenAI

LONGEST_BODY = 32 * 1024 * 1024
"""Bytes of an answer at most."""


@asynccontextmanager
async def open_callers(endpoints: Iterable[Endpoint], variables: Mapping[str, str]) -> AsyncIterator[Caller]:
    """A caller for these endpoints: one SDK client each, made at the endpoint's first call, closed at the end.

    Args:
        endpoints: where calls may go; none of them simulated.
        variables: the environment, from which keys and extra headers are taken.

    Raises:
        InputError: a key or header value holds characters that no HTTP header can carry.
    """
    wanted = sorted(set(endpoints), key=repr)
    problems = [problem for endpoint in wanted for problem in _unsendable(endpoint, variables)]
    if problems:
        raise InputError(problems)
    async with AsyncExitStack() as stack:
        lines: dict[Endpoint, _Line] = {}

        async def call(one: Call, on_begun: Callable[[], None], /) -> Reply:
            if one.endpoint not in lines:
                from stages.generate.client.sdk import open_client  # importing the SDK takes half a second

                lines[one.endpoint] = _Line(one.endpoint, open_client(one.endpoint, variables), variables)
                stack.push_async_callback(lines[one.endpoint].client.close)
            return await lines[one.endpoint].call(one, on_begun)

        yield call


class _Line:
    """An endpoint's open client."""

    def __init__(self, endpoint: Endpoint, client: "AsyncOpenAI", variables: Mapping[str, str]) -> None:
        self.client = client
        self._endpoint = endpoint
        self._address = address(endpoint)
        names = [endpoint.key_env or "", *(variable for _, variable in endpoint.headers_env)]
        self._redaction = Redaction(variables[name].strip() for name in names if name in variables)

    async def call(self, call: Call, on_begun: Callable[[], None]) -> Reply:
        """One attempt, within `call.timeout_s` whatever the socket does."""
        try:
            async with asyncio.timeout(call.timeout_s):
                return await self._attempt(call, on_begun)
        except TimeoutError:
            raise CallFailed(no_answer_in_time(call.timeout_s)) from None

    async def _attempt(self, call: Call, on_begun: Callable[[], None]) -> Reply:
        from openai import APIStatusError

        from stages.generate.client.sdk import fault_of, request

        started = time.perf_counter()
        try:
            async with request(self.client, call) as response:
                on_begun()
                raw = bytearray()
                async for chunk in response.aiter_bytes():
                    raw += chunk
                    if len(raw) > LONGEST_BODY:
                        raise self._failed(unusable_body("too_long", f"the answer is longer than {LONGEST_BODY} bytes"))
                headers = response.headers
        except APIStatusError as error:
            answer = error.response
            fault = of_status(
                error.status_code,
                answer.headers,
                answer.content.decode("utf-8", "replace"),
                now=datetime.datetime.now(datetime.UTC),
                key_env=self._endpoint.key_env,
            )
            raise self._failed(fault) from None
        except CallFailed:
            raise
        except Exception as error:  # noqa: BLE001 - whatever goes wrong with one call is that call's failure
            raise self._failed(fault_of(error)) from None
        latency_ms = (time.perf_counter() - started) * 1000
        try:
            body = self._redaction.body(raw.decode("utf-8-sig"))
        except UnicodeDecodeError:
            raise self._failed(unusable_body("not_utf8", "HTTP 200 with a body that is not UTF-8")) from None
        used = tokens_or_fault(call.endpoint.api, body)
        if isinstance(used, Fault):
            raise self._failed(used)
        return Reply(
            body=body,
            latency_ms=latency_ms,
            arrived_at=datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
            endpoint=self._address,
            limits=limits_of(headers),
            tokens=used,
        )

    def _failed(self, fault: Fault) -> CallFailed:
        """The fault, with nothing secret in it."""
        return CallFailed(
            msgspec.structs.replace(
                fault, code=self._redaction.body(fault.code), message=self._redaction.message(fault.message)
            )
        )


def _unsendable(endpoint: Endpoint, variables: Mapping[str, str]) -> list[Problem]:
    names = [endpoint.key_env or "", *(variable for _, variable in endpoint.headers_env)]
    message = "holds characters that no HTTP header can carry: set it anew"
    values = {name: variables[name].strip() for name in names if name in variables}
    return [
        Problem("environment", name, message)
        for name, value in values.items()
        if not (value.isascii() and value.isprintable())
    ]
