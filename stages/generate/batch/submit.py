"""Submits batches so that a kill at any moment neither loses one nor submits it twice."""

import random
import uuid
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeVar

from openai.types import Batch

from stages.contracts.json_text import canonical
from stages.contracts.params import RuntimeParams
from stages.generate.batch.client import BatchClient
from stages.generate.batch.journal import BatchJournal, BatchRecord, fingerprints_out, open_batches
from stages.generate.calls.faults import CallFailed, Fault
from stages.generate.calls.retry import GiveUp, verdict
from stages.generate.plan.cells import Call
from stages.generate.plan.endpoint import Endpoint

LISTED_AFTER_S = 30.0
"""How long a batch that was created may take to appear in the service's list, seconds."""
LIST_AGAIN_S = 5.0
CLOCKS_DIFFER_S = 86_400.0
"""How much the service's clock may differ from ours, seconds: generous, it only bounds how much of the list is read."""

Part = tuple[Call, ...]
"""The calls of one batch, in order: one endpoint, one model, at least one call."""
Done = TypeVar("Done")


@dataclass(frozen=True, slots=True)
class BatchLimits:
    """What one input file may hold. Source: OpenAI, Batch API guide: 50,000 requests, 200 MB."""

    requests: int = 50_000
    bytes: int = 200_000_000


OPENAI_LIMITS = BatchLimits()


def in_batches(calls: Sequence[Call], settings: RuntimeParams, folder: Path) -> list[Call]:
    """The calls that batches answer.

    In batch mode all but those of simulated models; in direct mode those in a batch of an earlier run that nobody collected.
    """
    if settings.mode == "batch":
        return [call for call in calls if call.endpoint.provider != "simulated"]
    pending = fingerprints_out(folder)
    return [call for call in calls if call.fingerprint in pending]


def parts_of(calls: Sequence[Call], limits: BatchLimits = OPENAI_LIMITS) -> Iterator[Part]:
    """The calls, split into as few batches as the limits allow when taken in order.

    Endpoints and models come in the order of their first call. A call whose own line exceeds the limit gets a batch of its
    own: the service refuses it, and the refusal names the cause.
    """
    groups: dict[tuple[Endpoint, str], list[Call]] = {}
    for call in calls:
        groups.setdefault((call.endpoint, call.model), []).append(call)
    for group in groups.values():
        part: list[Call] = []
        size = 0
        for call in group:
            length = len(line_of(call))
            if part and (len(part) == limits.requests or size + length > limits.bytes):
                yield tuple(part)
                part, size = [], 0
            part.append(call)
            size += length
        yield tuple(part)


def line_of(call: Call) -> bytes:
    """One line of the input file, line end included; `custom_id` is the fingerprint."""
    body, url = call.planned.body(in_batch=True), f"/v1{call.endpoint.path}"
    return canonical({"custom_id": call.fingerprint, "method": "POST", "url": url, "body": body}) + b"\n"


@dataclass(frozen=True, slots=True)
class Submission:
    """Submits batches and notes each step in the journal; `clock` is Unix time in seconds."""

    journal: BatchJournal
    settings: RuntimeParams
    clock: Callable[[], float]
    sleep: Callable[[float], Awaitable[None]]

    async def submit(self, part: Part, client: BatchClient) -> None:
        """Upload the part and create its batch.

        Raises:
            CallFailed: it was not accepted, or it is not known whether it was: then the journal has it as uploaded, and the
                next run finds out.
        """
        key, fingerprints = uuid.uuid4().hex, [call.fingerprint for call in part]
        self.journal.intend(
            key=key, endpoint=part[0].endpoint, model=part[0].model, fingerprints=fingerprints, at=self.clock()
        )
        try:
            content = b"".join(map(line_of, part))
            input_file_id = await self.retried(lambda: client.upload(content))
        except CallFailed as failure:
            self.journal.settle(key, fingerprints)
            if failure.fault.status != "invalid_request":
                raise
            message = f"{failure.fault.message} (an endpoint without a Batch API needs runtime.mode=direct)"
            raise CallFailed(replace(failure.fault, message=message)) from None
        self.journal.note(key, "uploaded", at=self.clock())
        began, attempt, batch = self.clock(), 0, None
        while batch is None:
            attempt += 1
            asked_at = self.clock()
            try:
                batch = await client.create(input_file_id=input_file_id, key=key)
            except CallFailed as failure:
                if _may_have_happened(failure.fault):
                    batch = await self._find(client, key, asked_at)
                if batch is None and not await self._back_off(failure.fault, attempt, began):
                    self.journal.settle(key, fingerprints)
                    raise
        self.journal.note(key, "submitted", batch_id=batch.id, at=self.clock())

    async def recover(self, record: BatchRecord, client: BatchClient) -> None:
        """Find out whether a batch exists whose process died before it was noted as submitted, and note it.

        Raises:
            CallFailed: it could not be found out; the journal is unchanged.
        """
        found = await self._find(client, record.key, record.noted_at) if record.state == "uploaded" else None
        if found is None:
            self.journal.settle(record.key, record.fingerprints)
        else:
            self.journal.note(record.key, "submitted", batch_id=found.id, at=self.clock())

    async def retried(self, action: Callable[[], Awaitable[Done]]) -> Done:
        """The result of `action`, tried again after a failure; raises `CallFailed` when it is given up."""
        began, attempt = self.clock(), 0
        while True:
            attempt += 1
            try:
                return await action()
            except CallFailed as failure:
                if not await self._back_off(failure.fault, attempt, began):
                    raise

    async def _back_off(self, fault: Fault, attempt: int, began: float) -> bool:
        """True after the wait for another try; False when there is to be none."""
        elapsed_s = self.clock() - began
        decision = verdict(fault, attempt=attempt, elapsed_s=elapsed_s, draw=random.random(), settings=self.settings)
        if isinstance(decision, GiveUp):
            return False
        await self.sleep(decision)
        return True

    async def _find(self, client: BatchClient, key: str, asked_at: float) -> Batch | None:
        """The batch with a key: searched for until it would certainly be listed."""
        since = asked_at - CLOCKS_DIFFER_S
        while True:
            late = self.clock() >= asked_at + LISTED_AFTER_S
            found = await self.retried(lambda: client.find(key=key, since=since))
            if found is not None or late:
                return found
            await self.sleep(LIST_AGAIN_S)


def _may_have_happened(fault: Fault) -> bool:
    if fault.status == "connection_failed":
        return fault.may_be_billed
    return fault.status in ("timeout_failed", "server_error")


async def cancel_all(folder: Path, variables: Mapping[str, str], say: Callable[[str], None]) -> int:
    """Ask for the end of every open batch; the next run collects what they had finished. Returns how many could not be asked."""
    records = [record for record in open_batches(folder) if record.batch_id is not None]
    if not records:
        say("no batch is open")
    refused = 0
    for record in records:
        client = BatchClient(record.endpoint, variables)
        try:
            batch = await client.cancel(record.batch_id or "")
            say(f"batch {batch.id} ({record.model}): {batch.status}")
        except CallFailed as failure:
            refused += 1
            say(f"batch {record.batch_id} ({record.model}) could not be cancelled: {failure.fault.message}")
        finally:
            await client.close()
    return refused
