"""The Batch API of one endpoint through the official OpenAI SDK: its batches, and what the lines of
their files say.
"""

from collections.abc import Awaitable, Mapping
from typing import Annotated, Any, TypeVar

import openai
from pydantic import BaseModel, Field, ValidationError

from stages.generate.answers.answer import Body
from stages.generate.apis import object_of, objects_of
from stages.generate.apis import text_of as text_value
from stages.generate.calls.client import EndpointClient
from stages.generate.calls.faults import (
    CallFailed,
    Fault,
    answered_body,
    fault_of_error,
    unusable_body,
)
from stages.generate.plan.call import Endpoint
from stages.shared.records.json_text import JsonObject, JsonValue, NotJson, line, parse
from stages.shared.records.response import Status

KEY = "graph_evaluator_key"
"""The name of a batch's idempotency key in its metadata."""
REQUEST_S = 60.0
"""Deadline of a small request, seconds."""
TRANSFER_S = 1_800.0
"""Deadline of uploading or downloading a file, seconds: 200 MB over a slow line."""
NO_ROOM = "token_limit_exceeded"
"""The provider's code for a batch that its queue has no room for."""
_Name = Annotated[str, Field(min_length=1)]
BatchLine = tuple[str, Body | Fault]
"""The `custom_id` of a request, and its answer, or why there is none."""


class Described(BaseModel):
    """What the service describes: an input file, or a batch."""

    id: _Name


class ServiceBatch(Described):
    """A batch as the service describes it; what compatible services leave out is None."""

    status: _Name
    output_file_id: str | None = None
    error_file_id: str | None = None
    request_counts: JsonValue = None
    errors: JsonValue = None

    @property
    def progress(self) -> str:
        """The status and what is done, for people."""
        counts = object_of(self.request_counts)
        done = f", {counts.get('completed')} of {counts.get('total')} done"
        return self.status + (done if counts else "")


class BatchPage(BaseModel):
    """A part of the list of batches, newest first; those of others may lack anything."""

    data: tuple[JsonObject, ...]
    has_more: bool | None = None


Description = TypeVar("Description", bound=BaseModel)


class BatchClient(EndpointClient):
    """One attempt for each method; `CallFailed` when the service did not do it, or it is not known
    whether it did.
    """

    def __init__(self, endpoint: Endpoint, variables: Mapping[str, str]) -> None:
        super().__init__(endpoint, variables)
        self._batches = self.sdk.batches.with_raw_response

    async def upload(self, content: bytes) -> str:
        """The id of a new input file."""
        file = ("graph-evaluator.jsonl", content)
        creating = self.sdk.files.with_raw_response.create(file=file, purpose="batch")
        return (await self._describe(Described, creating, TRANSFER_S)).id

    async def create(self, *, input_file_id: str, key: str) -> ServiceBatch:
        """A new batch over an input file, marked with `key`, which is sent as idempotency key
        too.
        """
        path: Any = f"/v1{self.endpoint.api_kind.path}"  # the SDK lists those it knows
        creating = self._batches.create(
            completion_window="24h",
            endpoint=path,
            input_file_id=input_file_id,
            metadata={KEY: key},
            extra_headers={"Idempotency-Key": key},
        )
        return await self._describe(ServiceBatch, creating)

    async def find(self, key: str) -> ServiceBatch | None:
        """The batch that carries `key`; the service lists the newest first."""
        after: Any = openai.omit
        while True:
            listing = self._batches.list(limit=100, after=after)
            page = await self._describe(BatchPage, listing, TRANSFER_S)
            for batch in page.data:
                if object_of(batch.get("metadata")).get(KEY) == key:
                    return read_reply(ServiceBatch, batch)
            if not page.has_more or not page.data:
                return None
            after = page.data[-1].get("id") or openai.omit

    async def state(self, batch_id: str) -> ServiceBatch:
        """A batch as it is now."""
        return await self._describe(ServiceBatch, self._batches.retrieve(batch_id))

    async def cancel(self, batch_id: str) -> ServiceBatch:
        """Ask for its end; what is finished by then is kept."""
        return await self._describe(ServiceBatch, self._batches.cancel(batch_id))

    async def lines(self, file_id: str | None) -> tuple[list[BatchLine], bool]:
        """The lines of an output or error file that can be read, and whether the file was cut
        within a line, or has none that can be read. Without a file there are none.
        """
        if not file_id:
            return [], False
        file = await self.attempt(self.sdk.files.content(file_id), TRANSFER_S)
        texts = [text for text in file.content.split(b"\n") if text.strip()]
        found = [self._read_line(text) for text in texts]
        lines = [line for line in found if line is not None]
        is_cut = not file.content.endswith(b"\n") and found[-1:] == [None]
        return lines, is_cut or bool(texts and not lines)

    def refusal(self, batch: ServiceBatch) -> Fault:
        """Why a batch failed as a whole: it was refused before any of its requests ran."""
        error = next(iter(objects_of(object_of(batch.errors).get("data"))), {})
        code = text_value(error.get("code")) or "batch_failed"
        why = text_value(error.get("message")) or "the service does not say why"
        status: Status = "rate_limited" if code == NO_ROOM else "invalid_request"
        message = f"batch {batch.id} was refused: {self.redaction.message(why)}"
        return Fault(status=status, code=code, message=message)

    async def _describe(
        self, kind: type[Description], request: Awaitable[Any], timeout_s: float = REQUEST_S
    ) -> Description:
        """What the reply to a raw request of the SDK says, without a secret."""
        reply = await self.attempt(request, timeout_s)
        try:
            return read_reply(kind, parse(self.text_of(reply.http_response)))
        except NotJson:
            return read_reply(kind, None)

    def _read_line(self, text: bytes) -> BatchLine | None:
        return read_line(self.redaction.body(text.decode("utf-8", "replace")), self.endpoint)


def read_reply(kind: type[Description], record: JsonValue) -> Description:
    """What a reply says; `CallFailed` when it cannot be read, so that what it was about may have
    been done.
    """
    try:
        return kind.model_validate(record)
    except ValidationError:
        problem = "HTTP 200 with a reply that cannot be read"
        raise CallFailed(unusable_body("unreadable_reply", problem)) from None


def read_line(text: str, endpoint: Endpoint) -> BatchLine | None:
    """The answer in a line, or its fault; None when the line cannot be read or names no request."""
    try:
        record = object_of(parse(text))
    except NotJson:
        return None
    custom_id = record.get("custom_id")
    if not isinstance(custom_id, str):
        return None
    response = object_of(record.get("response"))
    status, body = response.get("status_code"), response.get("body")
    if record.get("error") is not None or not response:
        return custom_id, fault_of_error(200, record.get("error"), {})
    if isinstance(status, int) and status >= 300:
        return custom_id, fault_of_error(status, body, {}, endpoint.key_env)
    try:
        return custom_id, answered_body(line(body).decode("utf-8"), endpoint.api)
    except CallFailed as failure:
        return custom_id, failure.fault
