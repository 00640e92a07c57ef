"""Adapter: the Batch API of one endpoint through the official OpenAI SDK. One attempt each; every failure is a `CallFailed`."""

import asyncio
import datetime
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import aclosing
from typing import TYPE_CHECKING, TypeVar

import msgspec

from stages.contracts.model_config import Api
from stages.generate.batch.plan import url_of
from stages.generate.batch.service import KEY, BatchView
from stages.generate.call import Endpoint
from stages.generate.caller import CallFailed, Fault
from stages.generate.client.redaction import Redaction
from stages.generate.pace.failures import no_answer_in_time, of_status

if TYPE_CHECKING:
    from openai.types import Batch

LOOK_S = 60.0
"""Deadline of a small request, seconds."""
TRANSFER_S = 1_800.0
"""Deadline of sending or fetching a file, seconds: 200 MB in both directions over a slow line."""
LONGEST_LINE = 64 * 1024 * 1024
"""Bytes of one line of an output file at most."""

Done = TypeVar("Done")


class BatchClient:
    """The Batch API of one endpoint; made at the first use of it, for importing the SDK takes half a second.

    Args:
        endpoint: Where batches go.
        variables: The environment, from which the key and extra headers are taken.
    """

    def __init__(self, endpoint: Endpoint, variables: Mapping[str, str]) -> None:
        from stages.generate.client.sdk import open_client

        self._endpoint = endpoint
        self._client = open_client(endpoint, variables)
        names = [endpoint.key_env or "", *(variable for _, variable in endpoint.headers_env)]
        self._redaction = Redaction(variables[name].strip() for name in names if name in variables)

    async def close(self) -> None:
        """Let go of the connections."""
        await self._client.close()

    async def upload(self, content: bytes) -> str:
        """The id of a new input file."""
        made = await self._once(
            lambda: self._client.files.create(file=("graph-evaluator.jsonl", content), purpose="batch"), TRANSFER_S
        )
        return made.id

    async def create(self, *, input_file_id: str, api: Api, key: str) -> BatchView:
        """A new batch over an input file, marked with `key`, which is sent as idempotency key too."""
        return self._view(
            await self._once(
                lambda: self._client.batches.create(
                    completion_window="24h",
                    endpoint="/v1/responses" if url_of(api) == "/v1/responses" else "/v1/chat/completions",
                    input_file_id=input_file_id,
                    metadata={KEY: key},
                    extra_headers={"Idempotency-Key": key},
                ),
                LOOK_S,
            )
        )

    async def find(self, *, key: str, since: float) -> BatchView | None:
        """The batch that carries `key`; the service lists the newest first."""

        async def search() -> BatchView | None:
            async for batch in self._client.batches.list(limit=100):
                if (batch.metadata or {}).get(KEY) == key:
                    return self._view(batch)
                if batch.created_at < since:
                    return None
            return None

        return await self._once(search, TRANSFER_S)

    async def look(self, batch_id: str) -> BatchView:
        """A batch as it is now."""
        return self._view(await self._once(lambda: self._client.batches.retrieve(batch_id), LOOK_S))

    async def cancel(self, batch_id: str) -> BatchView:
        """Ask for an end; what is finished by then stays."""
        return self._view(await self._once(lambda: self._client.batches.cancel(batch_id), LOOK_S))

    async def lines(self, file_id: str) -> AsyncGenerator[bytes, None]:
        """The lines of a file, as they come; split at line feeds alone, for other line ends may stand inside an answer."""
        async with aclosing(self._chunks(file_id)) as chunks:
            held = bytearray()
            async for chunk in chunks:
                held += chunk
                if len(held) > LONGEST_LINE:
                    raise CallFailed(
                        Fault(status="server_error", code="too_long", message="a line of a batch is too long")
                    )
                *complete, rest = held.split(b"\n")
                held = bytearray(rest)
                for line in complete:
                    yield self._redaction.body(line.decode("utf-8", "replace")).encode("utf-8")
            if held:
                yield self._redaction.body(held.decode("utf-8", "replace")).encode("utf-8")

    async def _chunks(self, file_id: str) -> AsyncGenerator[bytes, None]:
        try:
            async with (
                asyncio.timeout(TRANSFER_S),
                self._client.files.with_streaming_response.content(file_id) as response,
            ):
                async for chunk in response.iter_bytes():
                    yield chunk
        except TimeoutError:
            raise CallFailed(no_answer_in_time(TRANSFER_S)) from None
        except Exception as error:
            failure = self._failed(error)
            if failure is None:
                raise
            raise failure from None

    async def _once(self, action: Callable[[], Awaitable[Done]], deadline_s: float) -> Done:
        try:
            async with asyncio.timeout(deadline_s):
                return await action()
        except TimeoutError:
            raise CallFailed(no_answer_in_time(deadline_s)) from None
        except Exception as error:
            failure = self._failed(error)
            if failure is None:
                raise
            raise failure from None

    def _failed(self, error: Exception) -> CallFailed | None:
        """The failure that an exception of the SDK stands for, with nothing secret in it; None when it is an error of ours."""
        from openai import APIStatusError

        from stages.generate.client.sdk import fault_of

        if isinstance(error, CallFailed):
            return error
        if isinstance(error, APIStatusError):
            fault: Fault | None = of_status(
                error.status_code,
                error.response.headers,
                error.response.content.decode("utf-8", "replace"),
                now=datetime.datetime.now(datetime.UTC),
                key_env=self._endpoint.key_env,
            )
        else:
            fault = fault_of(error)
        if fault is None:
            return None
        return CallFailed(
            msgspec.structs.replace(
                fault, code=self._redaction.body(fault.code), message=self._redaction.message(fault.message)
            )
        )

    def _view(self, batch: "Batch") -> BatchView:
        errors = (batch.errors.data or []) if batch.errors else []
        first = errors[0] if errors else None
        counts = batch.request_counts
        return BatchView(
            id=batch.id,
            status=batch.status,
            key=(batch.metadata or {}).get(KEY),
            created_at=batch.created_at,
            input_file_id=batch.input_file_id,
            output_file_id=batch.output_file_id or None,
            error_file_id=batch.error_file_id or None,
            completed=counts.completed if counts else 0,
            failed=counts.failed if counts else 0,
            total=counts.total if counts else 0,
            error_code=first.code if first else None,
            error_message=self._redaction.message(first.message or "") if first else None,
        )
