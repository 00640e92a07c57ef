"""Submits batches so that a kill at any moment neither loses one nor submits it twice."""

from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from stages.contracts.json_text import canonical
from stages.contracts.params import RuntimeParams
from stages.generate.batch.client import BatchClient, BatchState
from stages.generate.batch.journal import BatchJournal, BatchRecord
from stages.generate.calls.caller import CallFailed
from stages.generate.calls.faults import Fault
from stages.generate.calls.retry import GiveUp, verdict
from stages.generate.plan.cells import Call
from stages.generate.plan.endpoint import Endpoint

LISTED_AFTER_S = 30.0
"""How long a batch that was created may take to appear in the service's list, seconds."""
LIST_AGAIN_S = 5.0
CLOCKS_DIFFER_S = 86_400.0
"""How much the service's clock may differ from ours, seconds: generous, it only bounds how much of the list is read."""

Done = TypeVar("Done")


@dataclass(frozen=True, slots=True)
class BatchLimits:
    """What one input file may hold. Source: OpenAI, Batch API guide: 50,000 requests, 200 MB."""

    requests: int = 50_000
    bytes: int = 200_000_000


@dataclass(frozen=True, slots=True)
class BatchPart:
    """The calls of one batch, in order: one endpoint, one model, at least one call."""

    calls: tuple[Call, ...]

    @property
    def endpoint(self) -> Endpoint:
        """Where the batch goes."""
        return self.calls[0].endpoint

    @property
    def model(self) -> str:
        """The model of all its calls."""
        return self.calls[0].model

    def halves(self) -> tuple["BatchPart", ...]:
        """The same calls in two batches; a single call stays one."""
        middle = len(self.calls) // 2
        return tuple(BatchPart(calls) for calls in (self.calls[:middle], self.calls[middle:]) if calls)


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchTools:
    """What a batch run works with: the journal, the settings, the clock (Unix time, seconds), sleep, jitter and new keys."""

    journal: BatchJournal
    settings: RuntimeParams
    clock: Callable[[], float]
    sleep: Callable[[float], Awaitable[None]]
    draw: Callable[[], float]
    new_key: Callable[[], str]


def parts_of(calls: Sequence[Call], limits: BatchLimits) -> tuple[BatchPart, ...]:
    """The calls, split into as few batches as the limits allow when taken in order.

    Endpoints and models come in the order of their first call. A call whose own line exceeds the limit gets a batch of its
    own: the service refuses it, and the refusal names the cause.
    """
    groups: dict[tuple[Endpoint, str], list[Call]] = {}
    for call in calls:
        groups.setdefault((call.endpoint, call.model), []).append(call)
    return tuple(part for group in groups.values() for part in _split(group, limits))


def _split(calls: Sequence[Call], limits: BatchLimits) -> Iterator[BatchPart]:
    held: list[Call] = []
    size = 0
    for call in calls:
        length = len(line_of(call))
        if held and (len(held) == limits.requests or size + length > limits.bytes):
            yield BatchPart(tuple(held))
            held, size = [], 0
        held.append(call)
        size += length
    if held:
        yield BatchPart(tuple(held))


def line_of(call: Call) -> bytes:
    """One line of the input file, line end included; `custom_id` is the fingerprint."""
    request = call.planned.request
    line = {
        "custom_id": call.fingerprint,
        "method": "POST",
        "url": f"/v1{request.path}",
        "body": request.body(in_batch=True),
    }
    return canonical(line) + b"\n"


async def retried(action: Callable[[], Awaitable[Done]], tools: BatchTools) -> Done:
    """The result of `action`, tried again as `retry.verdict` says.

    Raises:
        CallFailed: given up.
    """
    began = tools.clock()
    attempt = 0
    while True:
        attempt += 1
        try:
            return await action()
        except CallFailed as failure:
            await _wait_or_raise(failure, attempt, began, tools)


async def submit(part: BatchPart, client: BatchClient, tools: BatchTools) -> None:
    """Upload the part, create its batch, and note each step in the journal.

    Raises:
        CallFailed: it was not accepted, or it is not known whether it was: then the journal has it as uploaded, and the next
            run finds out.
    """
    key = tools.new_key()
    journal = tools.journal
    fingerprints = [call.fingerprint for call in part.calls]
    journal.intend(key=key, endpoint=part.endpoint, model=part.model, fingerprints=fingerprints, at=tools.clock())
    try:
        input_file_id = await retried(lambda: client.upload(b"".join(map(line_of, part.calls))), tools)
    except CallFailed as failure:
        journal.close_batch(key)
        raise _with_hint(failure) from None
    journal.uploaded(key, input_file_id, at=tools.clock())
    batch = await _create(part, client, tools, key=key, input_file_id=input_file_id)
    journal.submitted(key, batch.id, at=tools.clock())


async def recover(record: BatchRecord, client: Callable[[Endpoint], BatchClient], tools: BatchTools) -> None:
    """Find out whether a batch exists whose process died before it was noted as submitted.

    Afterwards the journal has it as submitted, or has closed it.

    Raises:
        CallFailed: it could not be found out; the journal is unchanged.
    """
    found = None
    if record.state == "uploaded":
        found = await _find(client(record.endpoint), tools, key=record.key, asked_at=record.noted_at)
    if found is None:
        tools.journal.close_batch(record.key)
    else:
        tools.journal.submitted(record.key, found.id, at=tools.clock())


async def _create(
    part: BatchPart, client: BatchClient, tools: BatchTools, *, key: str, input_file_id: str
) -> BatchState:
    began = tools.clock()
    attempt = 0
    while True:
        attempt += 1
        asked_at = tools.clock()
        try:
            return await client.create(input_file_id=input_file_id, api=part.endpoint.api, key=key)
        except CallFailed as failure:
            if _may_have_happened(failure.fault):
                found = await _find(client, tools, key=key, asked_at=asked_at)
                if found is not None:
                    return found
            try:
                await _wait_or_raise(failure, attempt, began, tools)
            except CallFailed:
                tools.journal.close_batch(key)
                raise


async def _find(client: BatchClient, tools: BatchTools, *, key: str, asked_at: float) -> BatchState | None:
    """The batch with a key: searched for until it would certainly be listed."""
    while True:
        late = tools.clock() >= asked_at + LISTED_AFTER_S
        found = await retried(lambda: client.find(key=key, since=asked_at - CLOCKS_DIFFER_S), tools)
        if found is not None or late:
            return found
        await tools.sleep(LIST_AGAIN_S)


def _with_hint(failure: CallFailed) -> CallFailed:
    """An endpoint that refuses a file usually has no Batch API at all."""
    if failure.fault.status != "invalid_request":
        return failure
    hint = "an endpoint without a Batch API needs runtime.mode=direct"
    return CallFailed(replace(failure.fault, message=f"{failure.fault.message} ({hint})"))


def _may_have_happened(fault: Fault) -> bool:
    if fault.status == "connection_failed":
        return fault.may_be_billed
    return fault.status in ("timeout_failed", "server_error")


async def _wait_or_raise(failure: CallFailed, attempt: int, began: float, tools: BatchTools) -> None:
    decision = verdict(
        failure.fault,
        attempt=attempt,
        elapsed_s=tools.clock() - began,
        draw=tools.draw(),
        settings=tools.settings,
    )
    if isinstance(decision, GiveUp):
        raise failure
    await tools.sleep(decision.wait_s)
