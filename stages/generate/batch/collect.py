"""Collects the answers of an ended batch: every answer is stored before its call counts as settled."""

import asyncio
import datetime
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from stages.contracts.json_text import JsonValue, NotJson, line, parse
from stages.generate.answers.api_answer import ApiAnswer, PaidAnswer, read_answer
from stages.generate.batch.client import BatchClient, BatchState
from stages.generate.calls.faults import QUOTA_CODES, Fault, error_body, fault_of_answer, fault_of_status
from stages.generate.calls.workers import Price, Store
from stages.generate.plan.cells import Call
from stages.generate.plan.endpoint import Endpoint, address

_STORED_TOGETHER = 256
_LONG_AGO = datetime.datetime(1970, 1, 1, tzinfo=datetime.UTC)
NO_ROOM = "token_limit_exceeded"
"""The provider's code for a batch that its queue has no room for."""


@dataclass(frozen=True, slots=True)
class BatchLine:
    """One readable line: whose it is, and the answer, or why there is none."""

    custom_id: str
    content: ApiAnswer | Fault


@dataclass(slots=True)
class Collected:
    """What a batch gave to the calls that were waited for, by fingerprint: what an answer cost, or why there is none.

    `further` are the calls that answers led to (next draws). `unreadable` counts the lines that name no request.
    """

    costs: dict[str, float | None] = field(default_factory=dict)
    faults: dict[str, Fault] = field(default_factory=dict)
    further: list[Call] = field(default_factory=list)
    unreadable: int = 0


async def collect(
    batch: BatchState,
    waiting: Mapping[str, Call],
    *,
    endpoint: Endpoint,
    client: BatchClient,
    store: Store,
    price: Price,
    arrived_at: Callable[[], str],
) -> Collected:
    """Everything that an ended batch holds for the calls in `waiting` (by fingerprint).

    Lines are matched by `custom_id`, in whatever order and whichever of the two files they are. Lines of other requests are
    ignored; of several lines of one request the first counts, and an answer counts before an error. A call without any line
    failed, for the reason that the batch itself gives.

    Raises:
        CallFailed: a file could not be read to its end; what was read is stored.
    """
    found = Collected()

    async def keep(answers: list[tuple[Call, ApiAnswer]]) -> None:
        paid = [(call, _paid(call, content, address(endpoint), arrived_at())) for call, content in answers]
        wanted = await asyncio.gather(*(store(call, answer) for call, answer in paid))
        for (call, answer), further in zip(paid, wanted, strict=True):
            found.costs[call.fingerprint] = price(call.planned, answer)
            if further is not None:
                found.further.append(further)

    for file_id in (batch.output_file_id, batch.error_file_id):
        if file_id is None:
            continue
        answers: dict[str, ApiAnswer] = {}
        async for text in client.lines(file_id):
            if not text.strip():
                continue
            entry = read_line(text, endpoint)
            if entry is None:
                found.unreadable += 1
            elif entry.custom_id not in waiting or entry.custom_id in found.costs:
                continue
            elif isinstance(entry.content, Fault):
                found.faults.setdefault(entry.custom_id, entry.content)
            else:
                answers.setdefault(entry.custom_id, entry.content)
            if len(answers) == _STORED_TOGETHER:
                await keep([(waiting[key], content) for key, content in answers.items()])
                answers = {}
        await keep([(waiting[key], content) for key, content in answers.items()])
    missing = _why_missing(batch)
    found.faults = {key: found.faults.get(key, missing) for key in waiting if key not in found.costs}
    return found


def read_line(text: str, endpoint: Endpoint) -> BatchLine | None:
    """What a line of an output or error file says about one request; None when it cannot be read or names no request.

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


def whole_failure(batch: BatchState) -> Fault:
    """Why a batch failed as a whole: it was refused before any of its requests ran."""
    code = batch.error_code or "batch_failed"
    message = f"batch {batch.id} was refused: {batch.error_message or 'the service does not say why'}"
    if code == NO_ROOM:
        return Fault(status="rate_limited", code=code, message=message)
    return Fault(status="invalid_request", code=code, message=message, scope="cell")


def _fault_of_error(value: JsonValue) -> Fault:
    error = error_body(value)
    code = error.code or "batch_error"
    message = error.message or "the batch has no answer to this request and does not say why"
    if code == "batch_expired":
        return Fault(status="timeout_failed", code=code, message=message)
    if code in QUOTA_CODES:
        return Fault(status="quota_exceeded", code=code, message=message, scope="key")
    return Fault(status="server_error", code=code, message=message)


def _why_missing(batch: BatchState) -> Fault:
    """Why a request of an ended batch has no line of its own."""
    if batch.status == "expired":
        message = f"batch {batch.id} expired before this request was processed"
        return Fault(status="timeout_failed", code="batch_expired", message=message)
    if batch.status == "cancelled":
        message = f"batch {batch.id} was cancelled before this request was processed"
        return Fault(status="server_error", code="batch_cancelled", message=message)
    message = "the batch ended without an answer to this request"
    return Fault(status="server_error", code="not_in_batch", message=message)


def _paid(call: Call, content: ApiAnswer, endpoint: str, arrived_at: str) -> PaidAnswer:
    return PaidAnswer(
        fingerprint=call.fingerprint,
        content=content,
        latency_ms=None,
        attempts=1,
        arrived_at=arrived_at,
        endpoint=endpoint,
        source="batch",
    )
