"""The Batch API of one endpoint through the official OpenAI SDK: its batches, and what the lines of their files say."""

import asyncio
import datetime
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from contextlib import aclosing
from dataclasses import dataclass

from openai.types import Batch

from stages.contracts.json_text import JsonValue, NotJson, line, parse
from stages.generate.answers.api_answer import ApiAnswer, read_answer
from stages.generate.calls.client import EndpointClient
from stages.generate.calls.faults import (
    QUOTA_CODES,
    CallFailed,
    Fault,
    error_body,
    fault_of_answer,
    fault_of_status,
    no_answer_in_time,
)
from stages.generate.plan.endpoint import Endpoint

KEY = "graph_evaluator_key"
"""The name of a batch's idempotency key in its metadata."""
REQUEST_S = 60.0
"""Deadline of a small request, seconds."""
TRANSFER_S = 1_800.0
"""Deadline of uploading or downloading a file, seconds: 200 MB over a slow line."""
LONGEST_LINE = 64 * 1024 * 1024
"""Bytes of one line of an output file at most."""
NO_ROOM = "token_limit_exceeded"
"""The provider's code for a batch that its queue has no room for."""
_LONG_AGO = datetime.datetime(1970, 1, 1, tzinfo=datetime.UTC)


@dataclass(frozen=True, slots=True)
class BatchLine:
    """One line of an output or error file: whose it is, and the answer, or why there is none."""

    custom_id: str
    content: ApiAnswer | Fault


class BatchClient:
    """One attempt for each method; keys and extra headers come from `variables`.

    Raises:
        CallFailed: from every method: the service did not do it, or it is not known whether it did.
    """

    def __init__(self, endpoint: Endpoint, variables: Mapping[str, str]) -> None:
        self.endpoint = endpoint
        self._client = EndpointClient(endpoint, variables)
        self._batches = self._client.sdk.batches
        self._files = self._client.sdk.files

    async def close(self) -> None:
        """Close the connections."""
        await self._client.close()

    async def upload(self, content: bytes) -> str:
        """The id of a new input file."""
        file = ("graph-evaluator.jsonl", content)
        return (await self._client.attempt(lambda: self._files.create(file=file, purpose="batch"), TRANSFER_S)).id

    async def create(self, *, input_file_id: str, key: str) -> Batch:
        """A new batch over an input file, marked with `key`, which is sent as idempotency key too."""
        return await self._client.attempt(
            lambda: self._batches.create(
                completion_window="24h",
                endpoint="/v1/responses" if self.endpoint.api == "responses" else "/v1/chat/completions",
                input_file_id=input_file_id,
                metadata={KEY: key},
                extra_headers={"Idempotency-Key": key},
            ),
            REQUEST_S,
        )

    async def find(self, *, key: str, since: float) -> Batch | None:
        """The batch that carries `key`, among those created after `since` (Unix time); the service lists the newest first."""

        async def search() -> Batch | None:
            async for batch in self._batches.list(limit=100):
                if (batch.metadata or {}).get(KEY) == key:
                    return batch
                if batch.created_at < since:
                    return None
            return None

        return await self._client.attempt(search, TRANSFER_S)

    async def state(self, batch_id: str) -> Batch:
        """A batch as it is now."""
        return await self._client.attempt(lambda: self._batches.retrieve(batch_id), REQUEST_S)

    async def cancel(self, batch_id: str) -> Batch:
        """Ask for its end; what is finished by then is kept."""
        return await self._client.attempt(lambda: self._batches.cancel(batch_id), REQUEST_S)

    async def lines(self, batch: Batch) -> AsyncIterator[BatchLine | None]:
        """The lines of a batch's output file, then of its error file, without secrets; None for one that cannot be read."""
        for file_id in filter(None, (batch.output_file_id, batch.error_file_id)):
            held = b""
            async with aclosing(self._chunks(file_id)) as chunks:
                async for chunk in chunks:
                    *complete, held = (held + chunk).split(b"\n")  # alone: an answer may hold other line ends
                    if len(held) > LONGEST_LINE:
                        raise CallFailed(
                            Fault(status="server_error", code="too_long", message="a line of a batch is too long")
                        )
                    for one in filter(bytes.strip, complete):
                        yield self._line(one)
            if held.strip():
                yield self._line(held)

    def failure(self, batch: Batch) -> Fault:
        """Why a batch failed as a whole: it was refused before any of its requests ran."""
        first = batch.errors.data[0] if batch.errors and batch.errors.data else None
        code = (first and first.code) or "batch_failed"
        why = self._client.redaction.message((first and first.message) or "the service does not say why")
        message = f"batch {batch.id} was refused: {why}"
        if code == NO_ROOM:
            return Fault(status="rate_limited", code=code, message=message)
        return Fault(status="invalid_request", code=code, message=message, scope="cell")

    async def _chunks(self, file_id: str) -> AsyncGenerator[bytes, None]:
        try:
            async with (
                asyncio.timeout(TRANSFER_S),
                self._files.with_streaming_response.content(file_id) as response,
            ):
                async for chunk in response.iter_bytes():
                    yield chunk
        except TimeoutError:
            raise CallFailed(no_answer_in_time(TRANSFER_S)) from None
        except Exception as error:  # noqa: BLE001 - whatever goes wrong with one file is that file's failure
            raise self._client.failed(error) from None

    def _line(self, text: bytes) -> BatchLine | None:
        return read_line(self._client.redaction.body(text.decode("utf-8", "replace")), self.endpoint)


def read_line(text: str, endpoint: Endpoint) -> BatchLine | None:
    """What a line says about one request; None when it cannot be read or names no request.

    A body that is no answer of the endpoint's API is a fault.
    """
    try:
        record = parse(text)
    except NotJson:
        return None
    custom_id = record.get("custom_id") if isinstance(record, dict) else None
    if not isinstance(record, dict) or not isinstance(custom_id, str):
        return None
    response = record.get("response")
    if record.get("error") is not None or not isinstance(response, dict):
        return BatchLine(custom_id, _fault_of_error(record.get("error")))
    body = line(response.get("body")).decode("utf-8")
    status = response.get("status_code")
    if isinstance(status, int) and status >= 300:
        return BatchLine(custom_id, fault_of_status(status, {}, body, now=_LONG_AGO, key_env=endpoint.key_env))
    answer = read_answer(body)
    return BatchLine(custom_id, fault_of_answer(answer, endpoint.api) or answer)


def _fault_of_error(value: JsonValue) -> Fault:
    error = error_body(value)
    code = error.code or "batch_error"
    message = error.message or "the batch has no answer to this request and does not say why"
    if code == "batch_expired":
        return Fault(status="timeout_failed", code=code, message=message)
    if code in QUOTA_CODES:
        return Fault(status="quota_exceeded", code=code, message=message, scope="key")
    return Fault(status="server_error", code=code, message=message)


def fault_without_line(batch: Batch) -> Fault:
    """Why a request of an ended batch has no line of its own."""
    if batch.status == "expired":
        message = f"batch {batch.id} expired before this request was processed"
        return Fault(status="timeout_failed", code="batch_expired", message=message)
    if batch.status == "cancelled":
        message = f"batch {batch.id} was cancelled before this request was processed"
        return Fault(status="server_error", code="batch_cancelled", message=message)
    message = "the batch ended without an answer to this request"
    return Fault(status="server_error", code="not_in_batch", message=message)
