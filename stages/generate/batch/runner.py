"""Answers for many calls through the Batch API: sent up, waited for, fetched; resumed where an earlier run was stopped."""

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager

import msgspec

from stages.generate.batch.collection import NO_ROOM, collect, whole_failure
from stages.generate.batch.departure import Departure, Line
from stages.generate.batch.journal import BatchRecord
from stages.generate.batch.outcomes import Outcomes
from stages.generate.batch.plan import OPENAI_LIMITS, BatchLimits, BatchPart
from stages.generate.batch.service import BatchService, BatchView
from stages.generate.batch.submission import Tools, patiently, recover
from stages.generate.call import Call, Endpoint
from stages.generate.caller import CallFailed, Fault, Price, Result, Store
from stages.generate.pace.budget import Budget
from stages.generate.pace.event import Event
from stages.generate.plan.endpoint import address

FORGOTTEN_AFTER_S = 48 * 3600.0
"""A batch that the service does not know is given up after this time; until then another key may be the cause."""


class BatchSeen(msgspec.Struct, frozen=True):
    """One look at one batch, for whoever shows progress."""

    model: str
    batch: BatchView


@asynccontextmanager
async def _alone() -> AsyncIterator[None]:
    yield


class BatchRun:
    """One run over calls whose fingerprints differ.

    Args:
        calls: One for each answer to be had; nobody else fetches them while this runs.
        service: The Batch API of an endpoint.
        tools: Journal, settings, clock, sleep.
        store: Makes an answer durable; returns the cell's next draw when one more is wanted.
        price: What an answer costs in a batch.
        arrived_at: The time of day as answers carry it.
        budget: Shared by all runs under one cap.
        observe: Told what happens to calls.
        seen: Told of every look at a batch.
        note: Told, in a sentence, of lines that cannot be read.
        limits: What one input file may hold.
        lock: Held while batches are sent up or looked for, so that no other process takes them for abandoned.
    """

    def __init__(
        self,
        calls: Sequence[Call],
        *,
        service: Callable[[Endpoint], BatchService],
        tools: Tools,
        store: Store,
        price: Price,
        arrived_at: Callable[[], str],
        budget: Budget | None = None,
        observe: Callable[[Event], None] = lambda _event: None,
        seen: Callable[[BatchSeen], None] = lambda _seen: None,
        note: Callable[[str], None] = lambda _note: None,
        limits: BatchLimits = OPENAI_LIMITS,
        lock: Callable[[], AbstractAsyncContextManager[None]] = _alone,
    ) -> None:
        self._calls = {call.fingerprint: call for call in calls}
        self._service, self._tools, self._store, self._price = service, tools, store, price
        self._arrived_at, self._seen, self._note = arrived_at, seen, note
        self._lock = lock
        self._outcomes = Outcomes(budget, observe)
        self._departure = Departure(service, tools, self._outcomes, limits)
        self._unreached_since: dict[str, float] = {}
        self._sends = True

    async def run(self, *, wait: bool = True) -> dict[str, Result]:
        """What became of every call, by fingerprint, further draws included. Never raises for what a provider does.

        Batches that an earlier run sent up are fetched, not sent again. When cancelled, batches go on at the service, and the
        next run fetches them.

        Args:
            wait: False looks once at the batches that are out, fetches those that have ended, and sends nothing up; a further
                draw that an answer leads to is then not among the results.
        """
        self._sends = wait
        async with self._lock():
            await self._recover()
            waiting = self._waiting()
            if wait:
                spoken_for = {key for record in waiting for key in record.fingerprints}
                await self._departure.send([call for key, call in self._calls.items() if key not in spoken_for])
        while (waiting := self._waiting()) or self._departure.holds:
            ended = [await self._look(record) for record in waiting]
            if self._departure.holds:
                async with self._lock():
                    await self._departure.send_held(self._busy())
            if not wait:
                self._leave(self._waiting())
            elif not any(ended) and self._waiting():
                await self._tools.sleep(self._tools.settings.batch_poll_s)
        return {key: self._outcomes.results[key] for key in self._calls if key in self._outcomes.results}

    def _waiting(self) -> list[BatchRecord]:
        """The batches that are out and hold a call of ours without a result."""
        open_calls = self._calls.keys() - self._outcomes.results.keys()
        return [
            record for record in self._tools.journal.open_batches() if not open_calls.isdisjoint(record.fingerprints)
        ]

    async def _recover(self) -> None:
        for record in self._waiting():
            if record.state == "submitted":
                continue
            try:
                await recover(record, lambda record=record: self._service(record.endpoint), self._tools)  # type: ignore[misc]
            except CallFailed as failure:
                self._outcomes.fail(self._ours(record), failure.fault)

    async def _look(self, record: BatchRecord) -> bool:
        """True when the batch has ended and is fetched, or is given up for this run."""
        calls = self._ours(record)
        service = self._service(record.endpoint)
        try:
            batch = await service.look(record.batch_id or "")
            self._seen(BatchSeen(record.model, batch))
            self._unreached_since.pop(record.key, None)
            if not batch.ended:
                return False
            if batch.status == "failed":
                self._refused(record, batch, calls)
            else:
                await patiently(lambda: self._fetch(record, batch, calls, service), self._tools)
        except CallFailed as failure:
            return self._unreached(record, calls, failure.fault)
        return True

    async def _fetch(self, record: BatchRecord, batch: BatchView, calls: Sequence[Call], service: BatchService) -> None:
        found = await collect(
            batch,
            {call.fingerprint: call for call in calls},
            service=service,
            store=self._store,
            price=self._price,
            arrived_at=self._arrived_at,
            address=address(record.endpoint),
        )
        if found.unreadable:
            self._note(f"batch {batch.id}: {found.unreadable:,} of its lines cannot be read")
        self._tools.journal.settle(record.key, found.results)
        for call in calls:
            self._outcomes.settle(call, found.results[call.fingerprint])
        further = found.further if self._sends else ()
        for call in further:
            self._calls.setdefault(call.fingerprint, call)
            self._outcomes.further(call)
        if further:
            async with self._lock():
                await self._departure.send(further)

    def _refused(self, record: BatchRecord, batch: BatchView, calls: Sequence[Call]) -> None:
        """A batch of which no request ran. One that the provider's queue had no room for goes up again, smaller or later."""
        fault = whole_failure(batch)
        self._tools.journal.settle(record.key, [call.fingerprint for call in calls])
        if fault.code == NO_ROOM and self._sends:
            self._departure.hold(BatchPart(tuple(calls)), self._busy(), fault)
        else:
            self._outcomes.fail(calls, fault)

    def _busy(self) -> set[Line]:
        return {(record.endpoint, record.model) for record in self._waiting()}

    def _unreached(self, record: BatchRecord, calls: Sequence[Call], fault: Fault) -> bool:
        """A look that failed: True when this run gives the batch up. The journal keeps it, so that nothing goes up twice."""
        now = self._tools.clock()
        since = self._unreached_since.setdefault(record.key, now)
        gone = fault.status == "invalid_request"
        if fault.scope == "call" and not gone and now - since < self._tools.settings.cell_timeout_s:
            return False
        if gone and now - record.noted_at > FORGOTTEN_AFTER_S:
            self._tools.journal.close_batch(record.key)
        message = f"the answer is in batch {record.batch_id}, which cannot be looked at: {fault.message}"
        self._outcomes.fail(calls, msgspec.structs.replace(fault, message=message))
        return True

    def _leave(self, records: Sequence[BatchRecord]) -> None:
        for record in records:
            message = f"batch {record.batch_id} is still at work on it: run with runtime.mode=batch to wait for it, or cancel it"
            self._outcomes.fail(
                self._ours(record), Fault(status="timeout_failed", code="in_batch", message=message), attempts=0
            )

    def _ours(self, record: BatchRecord) -> list[Call]:
        mine = (self._calls.get(key) for key in record.fingerprints)
        return [call for call in mine if call is not None and call.fingerprint not in self._outcomes.results]
