"""Submits batches so that a kill at any moment neither loses one nor submits it twice."""

import uuid
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from stages.contracts.json_text import canonical
from stages.contracts.params import RuntimeParams
from stages.generate.batch.client import Batch, BatchClient
from stages.generate.batch.journal import BatchJournal, BatchRecord, fingerprints_out, open_batches
from stages.generate.calls.faults import CallFailed
from stages.generate.plan.call import Call
from stages.generate.plan.endpoint import Endpoint

MOST_REQUESTS = 50_000
"""What one input file may hold, with `MOST_BYTES`. Source: OpenAI, Batch API guide."""
MOST_BYTES = 200_000_000
LISTED_AFTER_S = 30.0
"""How long a batch that was created may take to appear in the service's list, seconds."""
CLOCKS_DIFFER_S = 86_400.0
"""How much the service's clock may differ from ours, seconds: generous, it only bounds how much of
the list is read.
"""
Part = tuple[Call, ...]
"""The calls of one batch, in order: one endpoint, one model, at least one call."""


def in_batches(calls: Sequence[Call], settings: RuntimeParams, folder: Path) -> list[Call]:
    """The calls that batches answer.

    In batch mode all but those of simulated models; in direct mode those in a batch of an earlier
    run that nobody collected.
    """
    if settings.mode == "batch":
        return [call for call in calls if call.endpoint.provider != "simulated"]
    pending = fingerprints_out(folder)
    return [call for call in calls if call.fingerprint in pending]


def parts_of(
    calls: Sequence[Call], *, most_requests: int = MOST_REQUESTS, most_bytes: int = MOST_BYTES
) -> Iterator[Part]:
    """The calls in as few batches as the limits allow, in order; a line beyond `most_bytes` gets
    one, which the service refuses.
    """
    groups: defaultdict[tuple[Endpoint, str], list[Call]] = defaultdict(list)
    for call in calls:
        groups[call.endpoint, call.model].append(call)
    for group in groups.values():
        part: list[Call] = []
        size = 0
        for call in group:
            length = len(line_of(call))
            if part and (len(part) == most_requests or size + length > most_bytes):
                yield tuple(part)
                part, size = [], 0
            part.append(call)
            size += length
        yield tuple(part)


def line_of(call: Call) -> bytes:
    """One line of the input file, line end included; `custom_id` is the fingerprint."""
    body, url = call.body(in_batch=True), call.endpoint.api_kind.batch_endpoint
    return (
        canonical({"custom_id": call.fingerprint, "method": "POST", "url": url, "body": body})
        + b"\n"
    )


async def submit(part: Part, client: BatchClient, journal: BatchJournal) -> None:
    """Upload the part and create its batch, or raise `CallFailed`; each step is in the journal
    before the next one.
    """
    key, fingerprints = uuid.uuid4().hex, [call.fingerprint for call in part]
    journal.intend(key, endpoint=part[0].endpoint, model=part[0].model, fingerprints=fingerprints)
    try:
        input_file_id = await client.upload(b"".join(map(line_of, part)))
    except CallFailed as failure:
        journal.settle(key, fingerprints)
        if failure.fault.status != "invalid_request":
            raise
        message = (
            f"{failure.fault.message} (an endpoint without a Batch API needs runtime.mode=direct)"
        )
        raise CallFailed(replace(failure.fault, message=message)) from None
    journal.note(key, "uploaded")
    try:
        batch = await client.create(input_file_id=input_file_id, key=key)
    except CallFailed as failure:
        fault = failure.fault
        if fault.status in ("timeout_failed", "server_error") or (
            fault.status == "connection_failed" and fault.may_be_billed
        ):
            journal.note(key, "uploaded")  # again: from now on it will be listed soon, if it exists
        else:
            journal.settle(key, fingerprints)
        raise
    journal.note(key, "submitted", batch_id=batch.id)


async def find(record: BatchRecord, client: BatchClient, journal: BatchJournal) -> Batch | None:
    """The batch of a record as it is now, searched for by its key when its id was not noted.

    None: it is not listed. The record is closed once a batch would certainly be, some time after
    the record; a record of a later time than now is from before the clock was set back.
    """
    if record.state == "submitted":
        return await client.state(record.batch_id or "")
    now = journal.clock()
    since = min(record.noted_at, now) - CLOCKS_DIFFER_S
    is_listed = abs(now - record.noted_at) >= LISTED_AFTER_S
    batch: Batch | None = None
    if record.state == "uploaded":
        batch = await client.find(key=record.key, since=since)
    if batch is not None:
        journal.note(record.key, "submitted", batch_id=batch.id)
    elif is_listed or record.state == "intended":
        journal.settle(record.key, record.fingerprints)
    return batch


async def cancel_all(folder: Path, variables: Mapping[str, str], say: Callable[[str], None]) -> int:
    """Ask for the end of every open batch; the next run collects what they had finished. Returns
    how many could not be asked.
    """
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
            name = f"batch {record.batch_id} ({record.model})"
            say(f"{name} could not be cancelled: {failure.fault.message}")
        finally:
            await client.close()
    return refused
