"""The Batch API of one endpoint through the official OpenAI SDK: one attempt each; every failure is a `CallFailed`."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from contextlib import aclosing
from dataclasses import dataclass

from openai.types import Batch

from stages.contracts.model_config import Api
from stages.generate.calls.caller import CallFailed
from stages.generate.calls.client import EndpointClient
from stages.generate.calls.faults import Fault, no_answer_in_time
from stages.generate.plan.endpoint import Endpoint

KEY = "graph_evaluator_key"
"""The name of a batch's idempotency key in its metadata."""
ENDED = frozenset({"failed", "completed", "expired", "cancelled"})
"""The statuses that nothing follows; all but `failed` may have answers."""
REQUEST_S = 60.0
"""Deadline of a small request, seconds."""
TRANSFER_S = 1_800.0
"""Deadline of uploading or downloading a file, seconds: 200 MB over a slow line."""
LONGEST_LINE = 64 * 1024 * 1024
"""Bytes of one line of an output file at most."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchState:
    """A batch as the service reports it.

    `error_code` and `error_message` say why a batch failed as a whole; None otherwise.
    """

    id: str
    status: str
    output_file_id: str | None = None
    error_file_id: str | None = None
    completed: int = 0
    failed: int = 0
    total: int = 0
    error_code: str | None = None
    error_message: str | None = None

    @property
    def ended(self) -> bool:
        """True when nothing will change any more."""
        return self.status in ENDED


class BatchClient:
    """The Batch API of one endpoint.

    Args:
        endpoint: Where batches go.
        variables: The environment, from which the key and extra headers are taken.

    Raises:
        CallFailed: from every method: the service did not do it, or it is not known whether it did.
    """

    def __init__(self, endpoint: Endpoint, variables: Mapping[str, str]) -> None:
        self._client = EndpointClient(endpoint, variables)

    async def close(self) -> None:
        """Close the connections."""
        await self._client.close()

    async def upload(self, content: bytes) -> str:
        """The id of a new input file."""
        files = self._client.sdk.files
        file = ("graph-evaluator.jsonl", content)
        return (await self._client.attempt(lambda: files.create(file=file, purpose="batch"), TRANSFER_S)).id

    async def create(self, *, input_file_id: str, api: Api, key: str) -> BatchState:
        """A new batch over an input file, marked with `key`, which is sent as idempotency key too."""
        batch = await self._client.attempt(
            lambda: self._client.sdk.batches.create(
                completion_window="24h",
                endpoint="/v1/responses" if api == "responses" else "/v1/chat/completions",
                input_file_id=input_file_id,
                metadata={KEY: key},
                extra_headers={"Idempotency-Key": key},
            ),
            REQUEST_S,
        )
        return self._state(batch)

    async def find(self, *, key: str, since: float) -> BatchState | None:
        """The batch that carries `key`, among those created after `since` (Unix time); the service lists the newest first."""

        async def search() -> BatchState | None:
            async for batch in self._client.sdk.batches.list(limit=100):
                if (batch.metadata or {}).get(KEY) == key:
                    return self._state(batch)
                if batch.created_at < since:
                    return None
            return None

        return await self._client.attempt(search, TRANSFER_S)

    async def state(self, batch_id: str) -> BatchState:
        """A batch as it is now."""
        return self._state(await self._client.attempt(lambda: self._client.sdk.batches.retrieve(batch_id), REQUEST_S))

    async def cancel(self, batch_id: str) -> BatchState:
        """Ask for its end; what is finished by then is kept."""
        return self._state(await self._client.attempt(lambda: self._client.sdk.batches.cancel(batch_id), REQUEST_S))

    async def lines(self, file_id: str) -> AsyncIterator[str]:
        """The lines of an output or error file, without secrets; split at line feeds alone, as an answer may hold other ends."""
        held = bytearray()
        async with aclosing(self._chunks(file_id)) as chunks:
            async for chunk in chunks:
                held += chunk
                *complete, rest = held.split(b"\n")
                held = bytearray(rest)
                if len(held) > LONGEST_LINE:
                    raise CallFailed(
                        Fault(status="server_error", code="too_long", message="a line of a batch is too long")
                    )
                for line in complete:
                    yield self._text(line)
        yield self._text(held)

    async def _chunks(self, file_id: str) -> AsyncGenerator[bytes, None]:
        try:
            async with (
                asyncio.timeout(TRANSFER_S),
                self._client.sdk.files.with_streaming_response.content(file_id) as response,
            ):
                async for chunk in response.iter_bytes():
                    yield chunk
        except TimeoutError:
            raise CallFailed(no_answer_in_time(TRANSFER_S)) from None
        except Exception as error:  # noqa: BLE001 - whatever goes wrong with one file is that file's failure
            raise self._client.failed(error) from None

    def _text(self, line: bytes | bytearray) -> str:
        return self._client.redaction.body(line.decode("utf-8", "replace"))

    def _state(self, batch: Batch) -> BatchState:
        errors = (batch.errors.data or []) if batch.errors else []
        counts = batch.request_counts
        return BatchState(
            id=batch.id,
            status=batch.status,
            output_file_id=batch.output_file_id or None,
            error_file_id=batch.error_file_id or None,
            completed=counts.completed if counts else 0,
            failed=counts.failed if counts else 0,
            total=counts.total if counts else 0,
            error_code=errors[0].code if errors else None,
            error_message=self._client.redaction.message(errors[0].message or "") if errors else None,
        )
