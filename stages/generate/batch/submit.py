"""Submits batches so that a kill at any moment neither loses one nor submits it twice."""

import asyncio
import random
import time
import uuid
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from openai.types import Batch

from stages.contracts.json_text import canonical
from stages.contracts.params import RuntimeParams
from stages.generate.batch.client import BatchClient
from stages.generate.batch.journal import BatchJournal, BatchRecord
from stages.generate.calls.faults import CallFailed, Fault
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


OPENAI_LIMITS = BatchLimits()


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


@dataclass(frozen=True, slots=True)
class Waits:
    """Time and chance for batches: Unix time in seconds, sleep, jitter in [0, 1), and keys that no other batch has."""

    clock: Callable[[], float] = time.time
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    draw: Callable[[], float] = random.random
    new_key: Callable[[], str] = lambda: uuid.uuid4().hex

    async def back_off(self, failure: CallFailed, *, attempt: int, began: float, settings: RuntimeParams) -> None:
        """Wait before another try as `retry.verdict` says; raises the failure when there is to be none."""
        decision = verdict(
            failure.fault, attempt=attempt, elapsed_s=self.clock() - began, draw=self.draw(), settings=settings
        )
        if isinstance(decision, GiveUp):
            raise failure
        await self.sleep(decision)

    async def retried(self, action: Callable[[], Awaitable[Done]], settings: RuntimeParams) -> Done:
        """The result of `action`, tried again after a failure; raises `CallFailed` when it is given up."""
        began, attempt = self.clock(), 0
        while True:
            attempt += 1
            try:
                return await action()
            except CallFailed as failure:
                await self.back_off(failure, attempt=attempt, began=began, settings=settings)


REAL_WAITS = Waits()


def parts_of(calls: Sequence[Call], limits: BatchLimits = OPENAI_LIMITS) -> tuple[BatchPart, ...]:
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
    body = request.body(in_batch=True)
    return (
        canonical({"custom_id": call.fingerprint, "method": "POST", "url": f"/v1{request.path}", "body": body}) + b"\n"
    )


@dataclass(frozen=True, slots=True)
class Submission:
    """Submits batches and notes each step in the journal."""

    journal: BatchJournal
    settings: RuntimeParams
    waits: Waits

    async def submit(self, part: BatchPart, client: BatchClient) -> None:
        """Upload the part and create its batch.

        Raises:
            CallFailed: it was not accepted, or it is not known whether it was: then the journal has it as uploaded, and the
                next run finds out.
        """
        key, clock = self.waits.new_key(), self.waits.clock
        fingerprints = [call.fingerprint for call in part.calls]
        self.journal.intend(key=key, endpoint=part.endpoint, model=part.model, fingerprints=fingerprints, at=clock())
        try:
            content = b"".join(map(line_of, part.calls))
            input_file_id = await self.waits.retried(lambda: client.upload(content), self.settings)
        except CallFailed as failure:
            self.journal.close_batch(key)
            raise _with_hint(failure) from None
        self.journal.uploaded(key, input_file_id, at=clock())
        batch = await self._create(client, key, input_file_id)
        self.journal.submitted(key, batch.id, at=clock())

    async def recover(self, record: BatchRecord, client: BatchClient) -> None:
        """Find out whether a batch exists whose process died before it was noted as submitted, and note it.

        Raises:
            CallFailed: it could not be found out; the journal is unchanged.
        """
        found = await self._find(client, record.key, record.noted_at) if record.state == "uploaded" else None
        if found is None:
            self.journal.close_batch(record.key)
        else:
            self.journal.submitted(record.key, found.id, at=self.waits.clock())

    async def _create(self, client: BatchClient, key: str, input_file_id: str) -> Batch:
        """A new batch; one whose reply was lost is searched for before it is created again."""
        began, attempt = self.waits.clock(), 0
        while True:
            attempt += 1
            asked_at = self.waits.clock()
            try:
                return await client.create(input_file_id=input_file_id, key=key)
            except CallFailed as failed:
                failure = failed
            if _may_have_happened(failure.fault) and (found := await self._find(client, key, asked_at)):
                return found
            try:
                await self.waits.back_off(failure, attempt=attempt, began=began, settings=self.settings)
            except CallFailed:
                self.journal.close_batch(key)
                raise

    async def _find(self, client: BatchClient, key: str, asked_at: float) -> Batch | None:
        """The batch with a key: searched for until it would certainly be listed."""
        since = asked_at - CLOCKS_DIFFER_S
        while True:
            late = self.waits.clock() >= asked_at + LISTED_AFTER_S
            found = await self.waits.retried(lambda: client.find(key=key, since=since), self.settings)
            if found is not None or late:
                return found
            await self.waits.sleep(LIST_AGAIN_S)


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
