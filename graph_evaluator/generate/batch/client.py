"""The Batch API of one endpoint through the official OpenAI SDK: its batches, and what the lines of
their files say.
"""

from collections.abc import Awaitable
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Any

import openai
from pydantic import BaseModel, ValidationError

from graph_evaluator.generate.answers import refusal_in
from graph_evaluator.generate.calls.callers import EndpointClient
from graph_evaluator.generate.calls.outcome import CallFailed, Fault, fault_of_error, unusable_body
from graph_evaluator.generate.plan.call import Endpoint, Variables
from graph_evaluator.generate.replies import object_of, objects_of, text_of
from graph_evaluator.records.json_text import JsonObject, JsonValue, NotJson, line, parse
from graph_evaluator.shell.command import off_loop

KEY = "graph_evaluator_key"
"""The name of a batch's idempotency key in its metadata."""
REQUEST_S = 60.0
"""Deadline of a small request, seconds."""
TRANSFER_S = 1_800.0
"""Deadline of uploading or downloading a file, seconds: 200 MB over a slow line."""
BatchLine = tuple[str, str | Fault]
"""The `custom_id` of a request, and the body of its reply, or why there is none."""


class ServiceReply(BaseModel):
    """What the service says of an input file, of a batch, or of a part of its list of batches; what
    compatible services leave out is empty.
    """

    id: str = ""
    status: str = ""
    output_file_id: str | None = None
    error_file_id: str | None = None
    request_counts: JsonValue = None
    errors: JsonValue = None
    data: tuple[JsonObject, ...] | None = None
    has_more: bool | None = None

    @property
    def progress(self) -> str:
        """The status and what is done, for people."""
        counts = object_of(self.request_counts)
        done = f", {counts.get('completed')} of {counts.get('total')} done"
        return self.status + (done if counts else "")


class BatchClient(EndpointClient):
    """One attempt for each method; `CallFailed` when the service did not do it, or it is not known
    whether it did.
    """

    def __init__(self, endpoint: Endpoint, variables: Variables) -> None:
        super().__init__(endpoint, variables)
        self._batches = self.sdk.batches.with_raw_response

    async def upload(self, content: bytes) -> str:
        """The id of a new input file."""
        file = ("graph-evaluator.jsonl", content)
        creating = self.sdk.files.with_raw_response.create(file=file, purpose="batch")
        return (await self._ask(creating, TRANSFER_S)).id

    async def create(self, *, input_file_id: str, key: str) -> ServiceReply:
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
        return await self._ask(creating)

    async def find(self, key: str) -> str | None:
        """The id of the batch that carries `key`; the service lists the newest first."""
        after: Any = openai.omit
        while True:
            listing = self._batches.list(limit=100, after=after)
            page = await self._ask(listing, TRANSFER_S, needs="data")
            batches = page.data or ()
            for batch in batches:
                if object_of(batch.get("metadata")).get(KEY) == key:
                    return text_of(batch.get("id"))
            if not page.has_more or not batches:
                return None
            after = batches[-1].get("id") or openai.omit

    async def state(self, batch_id: str) -> ServiceReply:
        """A batch as it is now."""
        return await self._ask(self._batches.retrieve(batch_id))

    async def cancel(self, batch_id: str) -> ServiceReply:
        """Ask for its end; what is finished by then is kept."""
        return await self._ask(self._batches.cancel(batch_id))

    async def lines(self, file_id: str) -> tuple[list[BatchLine], bool]:
        """The lines of an output or error file that can be read, and whether the file was cut
        within a line, or has none that can be read.
        """
        file = await self.attempt(self.sdk.files.content(file_id), TRANSFER_S)
        return await off_loop(len(file.content), partial(self._read_lines, file.content))

    def _read_lines(self, content: bytes) -> tuple[list[BatchLine], bool]:
        texts = [
            self.redaction.body(text.decode("utf-8", "replace"))
            for text in content.split(b"\n")
            if text.strip()
        ]
        found = [read_line(text, self.endpoint.key_env) for text in texts]
        lines = [line for line in found if line is not None]
        is_cut = not content.endswith(b"\n") and found[-1:] == [None]
        return lines, is_cut or bool(texts and not lines)

    def refusal(self, batch: ServiceReply) -> Fault:
        """Why a batch failed as a whole: it was refused before any of its requests ran."""
        errors = objects_of(object_of(batch.errors).get("data"))
        fault = fault_of_error(400, [*errors], {})
        message = self.redaction.message(f"batch {batch.id} was refused: {fault.message}")
        return replace(fault, message=message)

    async def _ask(
        self, request: Awaitable[Any], timeout_s: float = REQUEST_S, *, needs: str = "id"
    ) -> ServiceReply:
        """The reply to a raw request of the SDK, without a secret; `CallFailed` when it cannot be
        read, or lacks what it needs, so that what it was about may have been done.
        """
        received = await self.attempt(request, timeout_s)
        text = self.text_of(received.http_response)
        with suppress(NotJson, ValidationError):
            reply = ServiceReply.model_validate(parse(text))
            if getattr(reply, needs) not in ("", None):
                return reply
        problem = "HTTP 200 with a reply that cannot be read"
        raise CallFailed(unusable_body("unreadable_reply", problem))


def read_line(text: str, key_env: str | None) -> BatchLine | None:
    """The body in a line, or its fault; None when the line cannot be read or names no request."""
    try:
        record = object_of(parse(text))
    except NotJson:
        return None
    custom_id = record.get("custom_id")
    if not isinstance(custom_id, str):
        return None
    response, error = object_of(record.get("response")), record.get("error")
    status, body = response.get("status_code"), response.get("body")
    is_answer = (isinstance(body, dict) and status == 200) or refusal_in(body)
    if not is_answer and refusal_in(error):
        body = {"error": error}
    elif not is_answer and (error or not response):
        return custom_id, fault_of_error(200, error, {})
    elif not is_answer and isinstance(status, int) and status >= 300:
        return custom_id, fault_of_error(status, body, {}, key_env)
    return custom_id, body if isinstance(body, str) else line(body).decode("utf-8")
