"""Sends a batch up so that a kill at any moment neither loses it nor sends it twice."""

from collections.abc import Awaitable, Callable
from typing import TypeVar

import msgspec

from stages.contracts.params import RuntimeParams
from stages.generate.batch.journal import BatchJournal, BatchRecord
from stages.generate.batch.plan import BatchPart, file_of
from stages.generate.batch.service import BatchService, BatchView
from stages.generate.caller import CallFailed, Fault
from stages.generate.pace.retry import GiveUp, verdict

SETTLING_S = 30.0
"""How long a batch that was asked for may take to appear in the service's list, seconds."""
LOOK_AGAIN_S = 5.0
"""Time between two looks at that list, seconds."""
CLOCKS_DIFFER_S = 86_400.0
"""How far the service's clock may be from ours, seconds: generous, it only bounds how much of the list is read."""

Done = TypeVar("Done")


class Tools(msgspec.Struct, frozen=True, kw_only=True):
    """What a batch run works with: the journal, the settings, the clock (Unix time, seconds) and its like."""

    journal: BatchJournal
    settings: RuntimeParams
    clock: Callable[[], float]
    sleep: Callable[[float], Awaitable[None]]
    draw: Callable[[], float]
    new_key: Callable[[], str]


async def patiently(action: Callable[[], Awaitable[Done]], tools: Tools) -> Done:
    """What `action` gives, tried again as `retry.verdict` says.

    Raises:
        CallFailed: given up.
    """
    begun = tools.clock()
    attempt = 0
    while True:
        attempt += 1
        try:
            return await action()
        except CallFailed as failure:
            await _wait_or_raise(failure, attempt, begun, tools)


async def submit(part: BatchPart, service: BatchService, tools: Tools) -> str:
    """The key under which the part now stands in the journal as submitted.

    Raises:
        CallFailed: it was not accepted, or it is not known whether it was: then the journal has it as uploaded, and the next
            run finds out.
    """
    key = tools.new_key()
    journal = tools.journal
    fingerprints = [call.fingerprint for call in part.calls]
    journal.intend(key=key, endpoint=part.endpoint, model=part.model, fingerprints=fingerprints, at=tools.clock())
    try:
        input_file_id = await patiently(lambda: service.upload(file_of(part)), tools)
    except CallFailed as failure:
        journal.close_batch(key)
        raise _with_hint(failure) from None
    journal.uploaded(key, input_file_id, at=tools.clock())
    batch = await _create(part, service, tools, key=key, input_file_id=input_file_id)
    journal.submitted(key, batch.id, at=tools.clock())
    return key


async def recover(record: BatchRecord, service: Callable[[], BatchService], tools: Tools) -> bool:
    """Find out what became of a batch whose process died before it was noted as submitted.

    Returns:
        True when the batch exists; the journal then has it as submitted. False when it was never created; then the journal
        has closed it.

    Raises:
        CallFailed: it could not be found out; the journal is as before.
    """
    if record.state == "intended":
        tools.journal.close_batch(record.key)
        return False
    found = await _find(service(), tools, key=record.key, asked_at=record.noted_at)
    if found is None:
        tools.journal.close_batch(record.key)
        return False
    tools.journal.submitted(record.key, found.id, at=tools.clock())
    return True


async def _create(part: BatchPart, service: BatchService, tools: Tools, *, key: str, input_file_id: str) -> BatchView:
    begun = tools.clock()
    attempt = 0
    while True:
        attempt += 1
        asked_at = tools.clock()
        try:
            return await service.create(input_file_id=input_file_id, api=part.endpoint.api, key=key)
        except CallFailed as failure:
            if _may_have_happened(failure.fault):
                found = await _find(service, tools, key=key, asked_at=asked_at)
                if found is not None:
                    return found
            elif failure.fault.scope != "call":
                tools.journal.close_batch(key)
                raise
            try:
                await _wait_or_raise(failure, attempt, begun, tools)
            except CallFailed:
                tools.journal.close_batch(key)
                raise


async def _find(service: BatchService, tools: Tools, *, key: str, asked_at: float) -> BatchView | None:
    """The batch with a key: looked for until it would surely be listed."""
    while True:
        late = tools.clock() >= asked_at + SETTLING_S
        found = await patiently(lambda: service.find(key=key, since=asked_at - CLOCKS_DIFFER_S), tools)
        if found is not None or late:
            return found
        await tools.sleep(LOOK_AGAIN_S)


def _with_hint(failure: CallFailed) -> CallFailed:
    """An endpoint that refuses a file has, as a rule, no Batch API at all."""
    if failure.fault.status != "invalid_request":
        return failure
    hint = "an endpoint without a Batch API needs runtime.mode=direct"
    return CallFailed(msgspec.structs.replace(failure.fault, message=f"{failure.fault.message} ({hint})"))


def _may_have_happened(fault: Fault) -> bool:
    if fault.status == "connection_failed":
        return fault.may_be_billed
    return fault.status in ("timeout_failed", "server_error")


async def _wait_or_raise(failure: CallFailed, attempt: int, begun: float, tools: Tools) -> None:
    decision = verdict(
        failure.fault,
        attempt=attempt,
        elapsed_s=tools.clock() - begun,
        draw=tools.draw(),
        settings=tools.settings,
    )
    if isinstance(decision, GiveUp):
        raise failure
    await tools.sleep(decision.wait_s)
