"""Fetches what an ended batch has to give: every answer is stored before its call counts as settled."""

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import aclosing

import msgspec

from stages.generate.batch.line import BatchLine, read_line
from stages.generate.batch.service import BatchService, BatchView
from stages.generate.call import Answer, Call, Failure
from stages.generate.caller import Answered, Fault, Price, Result, Store

_STORED_TOGETHER = 256
NO_ROOM = "token_limit_exceeded"
"""The provider's code for a batch that its queue has no room for."""


class Collected(msgspec.Struct, frozen=True, kw_only=True):
    """What a batch gave: a result for each call that was waited for, and the calls that answers led to (further draws).

    `unreadable` counts the lines that name no request. Lines of requests that were not waited for are passed over; of several lines
    of one request the first counts.
    """

    results: dict[str, Result]
    further: tuple[Call, ...]
    unreadable: int = 0


async def collect(
    batch: BatchView,
    waiting: Mapping[str, Call],
    *,
    service: BatchService,
    store: Store,
    price: Price,
    arrived_at: Callable[[], str],
    address: str,
) -> Collected:
    """Everything that an ended batch holds for the calls in `waiting` (by fingerprint).

    Lines are matched by `custom_id`, in whatever order and whichever of the two files they are; an answer counts before an error
    of the same request. A call without any line failed, with the reason that the batch itself gives.

    Raises:
        CallFailed: a file could not be read to its end; what was read is stored.
    """
    fetch = _Fetch(waiting, store=store, price=price, arrived_at=arrived_at, address=address)
    for file_id in (batch.output_file_id, batch.error_file_id):
        if file_id is not None:
            async with aclosing(service.lines(file_id)) as lines:
                await fetch.read(lines)
    return fetch.finished(why_none=_why_none(batch))


class _Fetch:
    def __init__(
        self,
        waiting: Mapping[str, Call],
        *,
        store: Store,
        price: Price,
        arrived_at: Callable[[], str],
        address: str,
    ) -> None:
        self._waiting = waiting
        self._store, self._price = store, price
        self._arrived_at, self._address = arrived_at, address
        self._answered: dict[str, Answered] = {}
        self._faults: dict[str, Fault] = {}
        self._further: dict[str, Call] = {}
        self._unreadable = 0

    async def read(self, lines: AsyncIterator[bytes]) -> None:
        held: list[tuple[Call, str]] = []
        async for line in lines:
            entry = self._entry(line)
            if entry is None:
                continue
            call = self._waiting[entry.custom_id]
            if entry.body is None:
                self._faults.setdefault(call.fingerprint, entry.fault or _why_none(None))
                continue
            cost = self._price(call, entry.body)
            self._answered[call.fingerprint] = Answered(fingerprint=call.fingerprint, attempts=1, cost_usd=cost)
            held.append((call, entry.body))
            if len(held) == _STORED_TOGETHER:
                await self._keep(held)
                held = []
        await self._keep(held)

    def _entry(self, line: bytes) -> BatchLine | None:
        if not line.strip():
            return None
        endpoint = next(iter(self._waiting.values())).endpoint
        entry = read_line(line, api=endpoint.api, key_env=endpoint.key_env)
        if entry is None:
            self._unreadable += 1
            return None
        again = entry.custom_id in self._answered or (entry.body is None and entry.custom_id in self._faults)
        return None if again or entry.custom_id not in self._waiting else entry

    async def _keep(self, held: list[tuple[Call, str]]) -> None:
        wanted = await asyncio.gather(*(self._store(self._answer(call, body)) for call, body in held))
        for (call, _), further in zip(held, wanted, strict=True):
            if further is not None:
                self._further[call.fingerprint] = further

    def _answer(self, call: Call, body: str) -> Answer:
        return Answer(
            fingerprint=call.fingerprint,
            body=body,
            latency_ms=None,
            attempts=1,
            arrived_at=self._arrived_at(),
            endpoint=self._address,
            source="batch",
        )

    def finished(self, *, why_none: Fault) -> Collected:
        results: dict[str, Result] = {}
        for fingerprint in self._waiting:
            answered = self._answered.get(fingerprint)
            results[fingerprint] = answered or failed(fingerprint, self._faults.get(fingerprint, why_none))
        return Collected(
            results=results,
            further=tuple(self._further[key] for key in self._waiting if key in self._further),
            unreadable=self._unreadable,
        )


def failed(fingerprint: str, fault: Fault, *, attempts: int = 1) -> Failure:
    """A fault as the result of a call."""
    return Failure(
        fingerprint=fingerprint, status=fault.status, code=fault.code, message=fault.message, attempts=attempts
    )


def _why_none(batch: BatchView | None) -> Fault:
    """Why a request of an ended batch has no line of its own."""
    if batch is None or batch.status == "completed":
        return Fault(
            status="server_error", code="not_in_batch", message="the batch ended without an answer to this request"
        )
    if batch.status == "expired":
        return Fault(
            status="timeout_failed",
            code="batch_expired",
            message=f"batch {batch.id} expired before this request's turn",
        )
    if batch.status == "cancelled":
        return Fault(
            status="server_error",
            code="batch_cancelled",
            message=f"batch {batch.id} was cancelled before this request's turn",
        )
    return whole_failure(batch)


def whole_failure(batch: BatchView) -> Fault:
    """Why a batch failed as a whole: it was refused before any of its requests ran."""
    code = batch.error_code or "batch_failed"
    message = f"batch {batch.id} was refused: {batch.error_message or 'the service does not say why'}"
    if code == NO_ROOM:
        return Fault(status="rate_limited", code=code, message=message)
    return Fault(status="invalid_request", code=code, message=message, scope="cell")
