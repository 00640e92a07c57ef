"""Which calls are in one batch, how it is submitted and found again: a kill at any moment neither
loses a batch nor submits it twice.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from stages.generate.batch.client import BatchClient, ServiceBatch
from stages.generate.batch.journal import Batch, BatchJournal, fingerprints_out, open_batches
from stages.generate.calls.faults import CallFailed
from stages.generate.plan.call import Call
from stages.generate.plan.endpoint import Endpoint
from stages.shared.records.json_text import canonical
from stages.shared.records.params import RuntimeParams

MOST_REQUESTS = 50_000
"""What one input file may hold, with `MOST_BYTES`. Source: OpenAI, Batch API guide."""
MOST_BYTES = 200_000_000
LISTED_AFTER_S = 30.0
"""How long a batch that was created may take to appear in the service's list, seconds."""


def in_batches(calls: Sequence[Call], settings: RuntimeParams, folder: Path) -> dict[str, Call]:
    """The calls that batches answer, by fingerprint.

    In batch mode all but those of simulated models; in direct mode those in a batch of an earlier
    run that nobody collected.
    """
    if settings.mode == "batch":
        return {call.fingerprint: call for call in calls if not call.endpoint.simulated}
    pending = fingerprints_out(folder)
    return {call.fingerprint: call for call in calls if call.fingerprint in pending}


def parts_of(
    calls: Iterable[Call], *, most_requests: int = MOST_REQUESTS, most_bytes: int = MOST_BYTES
) -> Iterator[Sequence[Call]]:
    """The calls in as few batches as the limits allow, in order, each of one endpoint and model; a
    line beyond `most_bytes` gets one, which the service refuses.
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
                yield part
                part, size = [], 0
            part.append(call)
            size += length
        yield part


def batch_of(calls: Sequence[Call], *, needs_room: bool = False) -> Batch:
    """A new batch of these calls, which have one endpoint and model."""
    first = calls[0]
    by_fingerprint = {call.fingerprint: call for call in calls}
    return Batch(
        endpoint=first.endpoint,
        model=first.model,
        fingerprints=list(by_fingerprint),
        calls=by_fingerprint,
        needs_room=needs_room,
    )


def line_of(call: Call) -> bytes:
    """One line of the input file, line end included; `custom_id` is the fingerprint."""
    body, url = call.body(in_batch=True), call.endpoint.api_kind.batch_endpoint
    request = {"custom_id": call.fingerprint, "method": "POST", "url": url, "body": body}
    return canonical(request) + b"\n"


async def submit(batch: Batch, client: BatchClient, journal: BatchJournal) -> None:
    """Upload the calls of a new batch and create it; each step is in the journal before the next.

    Raises:
        CallFailed: the batch is new again, or "uploaded" when it may exist.
    """
    journal.intend(batch)
    try:
        input_file_id = await client.upload(b"".join(map(line_of, batch.calls.values())))
    except CallFailed as failure:
        journal.abandon(batch)
        if failure.fault.status != "invalid_request":
            raise
        advice = "an endpoint without a Batch API needs runtime.mode=direct"
        message = f"{failure.fault.message} ({advice})"
        raise CallFailed(replace(failure.fault, message=message)) from None
    journal.note(batch, "uploaded")
    try:
        created = await client.create(input_file_id=input_file_id, key=batch.key)
    except CallFailed as failure:
        fault = failure.fault
        if fault.may_be_billed or fault.status in ("timeout_failed", "server_error"):
            journal.note(batch, "uploaded")  # from now on it will be listed soon, if it exists
        else:
            journal.abandon(batch)
        raise
    journal.note(batch, "submitted", batch_id=created.id)


async def find(batch: Batch, client: BatchClient, journal: BatchJournal) -> ServiceBatch | None:
    """A batch as it is at the service, searched for by its key when its id was not noted.

    None: it is not listed. It is new again once it would certainly be listed, some time after its
    step was noted.
    """
    if batch.step == "submitted":
        return await client.state(batch.batch_id or "")
    if batch.step == "intended":
        journal.abandon(batch)
        return None
    listed = await client.find(batch.key)
    if listed is not None:
        journal.note(batch, "submitted", batch_id=listed.id)
    elif batch.noted_at > journal.clock():
        journal.note(batch, "uploaded")  # the clock was set back: the time runs from now on
    elif journal.clock() - batch.noted_at >= LISTED_AFTER_S:
        journal.abandon(batch)
    return listed


async def cancel_all(folder: Path, variables: Mapping[str, str], say: Callable[[str], None]) -> int:
    """Ask for the end of every open batch; the next run collects what they had finished. Returns
    how many could not be asked.
    """
    batches = [batch for batch in open_batches(folder) if batch.batch_id is not None]
    if not batches:
        say("no batch is open")
    refused = 0
    for batch in batches:
        client = BatchClient(batch.endpoint, variables)
        try:
            cancelled = await client.cancel(batch.batch_id or "")
            say(f"{batch.name}: {cancelled.status}")
        except CallFailed as failure:
            refused += 1
            say(f"{batch.name} could not be cancelled: {failure.fault.message}")
        finally:
            await client.close()
    return refused
