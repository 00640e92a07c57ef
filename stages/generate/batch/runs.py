"""The batches of a ledger folder: those that earlier runs submitted, and those that this run submits."""

import asyncio
import random
import time
import uuid
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from filelock import AsyncFileLock

from stages.contracts.params import RuntimeParams
from stages.generate.batch.client import BatchClient, BatchState
from stages.generate.batch.collect import NO_ROOM, collect, whole_failure
from stages.generate.batch.journal import FILE, BatchJournal, BatchRecord, fingerprints_out
from stages.generate.batch.submit import BatchLimits, BatchPart, BatchTools, parts_of, recover, retried, submit
from stages.generate.calls.budget import Budget
from stages.generate.calls.caller import CallFailed
from stages.generate.calls.faults import CallFailure, Fault
from stages.generate.calls.progress import CallEvent
from stages.generate.calls.workers import Price, Store
from stages.generate.plan.cells import Call
from stages.generate.plan.endpoint import Endpoint
from stages.shell.numbers import count

LOCK = "batches.lock"
UNKNOWN_FOR_S = 48 * 3600.0
"""A batch that the service does not know is given up after this time; until then another key may be the cause."""
OPENAI_LIMITS = BatchLimits()


@dataclass(frozen=True, slots=True, kw_only=True)
class Batches:
    """Answers for calls through the Batch API.

    Args:
        folder: The ledger's folder, which holds the journal.
        settings: The mode, the bounds, the time between two looks.
        variables: The environment.
        price: What an answer cost.
        budget: Shared with the calls that are made one by one.
        say: Prints a sentence.
        limits: What one input file may hold.
        clock: Unix time, seconds.
        sleep: Waits for so many seconds of that clock.
        draw: Uniform in [0, 1), for the jitter of waits.
        new_key: A key that no other batch has.
    """

    folder: Path
    settings: RuntimeParams
    variables: Mapping[str, str]
    price: Price
    budget: Budget
    say: Callable[[str], None]
    limits: BatchLimits = OPENAI_LIMITS
    clock: Callable[[], float] = time.time
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    draw: Callable[[], float] = random.random
    new_key: Callable[[], str] = lambda: uuid.uuid4().hex

    def share(self, calls: Sequence[Call]) -> list[Call]:
        """Those of `calls` that batches answer.

        In batch mode all but those of simulated models; in direct mode those in a batch of an earlier run that nobody collected.
        """
        if self.settings.mode == "batch":
            return [call for call in calls if call.endpoint.provider != "simulated"]
        pending = fingerprints_out(self.folder)
        return [call for call in calls if call.fingerprint in pending]

    async def run(
        self, calls: Sequence[Call], store: Store, observe: Callable[[CallEvent], None]
    ) -> dict[str, CallFailure]:
        """Store the answers to the calls, further draws included; the failures by fingerprint, in order.

        Batches that an earlier run submitted are collected, not submitted again. In direct mode nothing is submitted and nothing
        is waited for. When cancelled, batches continue at the service, and the next run collects them.
        """
        journal = BatchJournal(self.folder)
        tools = BatchTools(
            journal=journal,
            settings=self.settings,
            clock=self.clock,
            sleep=self.sleep,
            draw=self.draw,
            new_key=self.new_key,
        )
        run = _BatchRun(self, tools, {call.fingerprint: call for call in calls}, store, observe)
        try:
            await run.run()
        except asyncio.CancelledError:
            if journal.open_batches():
                self.say("submitted batches continue at the service; the next run collects them")
            raise
        finally:
            journal.close()
            for client in run.clients.values():
                await client.close()
        return dict(sorted(run.failures.items()))

    def lock(self) -> AsyncFileLock:
        """Held while batches are submitted or recovered, so that no other process takes them for abandoned."""
        return AsyncFileLock(self.folder / LOCK, run_in_executor=False)


def cancel_all(folder: Path, variables: Mapping[str, str], say: Callable[[str], None]) -> int:
    """Ask for the end of every open batch; the next run collects what they had finished.

    Returns:
        How many could not be asked.
    """
    if not (folder / FILE).exists():
        say("no batch is open")
        return 0
    return asyncio.run(_cancel_all(folder, variables, say))


async def _cancel_all(folder: Path, variables: Mapping[str, str], say: Callable[[str], None]) -> int:
    journal = BatchJournal(folder)
    refused = 0
    try:
        records = [record for record in journal.open_batches() if record.batch_id is not None]
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
        if not records:
            say("no batch is open")
    finally:
        journal.close()
    return refused


@dataclass(slots=True)
class _BatchRun:
    """One run over calls whose fingerprints differ."""

    batches: Batches
    tools: BatchTools
    calls: dict[str, Call]
    store: Store
    observe: Callable[[CallEvent], None]
    clients: dict[Endpoint, BatchClient] = field(default_factory=dict)
    failures: dict[str, CallFailure] = field(default_factory=dict)
    settled: set[str] = field(default_factory=set)
    held: list[BatchPart] = field(default_factory=list)
    refused_keys: dict[tuple[str | None, str | None], Fault] = field(default_factory=dict)
    unreached_since: dict[str, float] = field(default_factory=dict)
    shown: dict[str, str] = field(default_factory=dict)

    async def run(self) -> None:
        """Recover, submit, and look at open batches until each call is settled; in direct mode only look, once."""
        submits = self.tools.settings.mode == "batch"
        async with self.batches.lock():
            await self._recover()
            if submits:
                taken = {key for record in self._open() for key in record.fingerprints}
                await self._submit([call for key, call in self.calls.items() if key not in taken])
        while (records := self._open()) or self.held:
            ended = [await self._look(record, submits=submits) for record in records]
            if self.held:
                async with self.batches.lock():
                    await self._submit_held()
            if not submits:
                self._leave()
            elif not any(ended) and self._open():
                await self.tools.sleep(self.tools.settings.batch_poll_s)

    def _client(self, endpoint: Endpoint) -> BatchClient:
        if endpoint not in self.clients:
            self.clients[endpoint] = BatchClient(endpoint, self.batches.variables)
        return self.clients[endpoint]

    def _open(self) -> list[BatchRecord]:
        """The open batches that hold a call of ours without a result."""
        waiting = self.calls.keys() - self.settled
        return [record for record in self.tools.journal.open_batches() if not waiting.isdisjoint(record.fingerprints)]

    def _ours(self, record: BatchRecord) -> list[Call]:
        return [self.calls[key] for key in record.fingerprints if key in self.calls and key not in self.settled]

    async def _recover(self) -> None:
        for record in self._open():
            if record.state != "submitted":
                try:
                    await recover(record, self._client, self.tools)
                except CallFailed as failure:
                    self._fail(self._ours(record), failure.fault)

    async def _submit(self, calls: Sequence[Call]) -> None:
        """Submit what has no result yet and what the budget allows. Whoever calls this holds the lock."""
        affordable: list[Call] = []
        for call in calls:
            if call.fingerprint not in self.settled:
                if self.batches.budget.reserve(call) == "reserved":
                    affordable.append(call)
                else:
                    self._fail([call], self.batches.budget.refusal(call), attempts=0)
        for part in parts_of(affordable, self.batches.limits):
            await self._submit_part(part)

    async def _submit_part(self, part: BatchPart) -> None:
        key = (part.endpoint.url, part.endpoint.key_env)
        fault = self.refused_keys.get(key)
        if fault is None:
            try:
                await submit(part, self._client(part.endpoint), self.tools)
            except CallFailed as failure:
                fault = failure.fault
                if fault.scope == "key":
                    self.refused_keys[key] = fault
        if fault is not None:
            self._fail(part.calls, fault)

    async def _submit_held(self) -> None:
        """Submit one part for each queue of the provider (an endpoint and a model) that has become empty."""
        busy = self._busy()
        for part in list(self.held):
            if (part.endpoint, part.model) not in busy:
                busy.add((part.endpoint, part.model))
                self.held.remove(part)
                await self._submit_part(part)

    def _busy(self) -> set[tuple[Endpoint, str]]:
        return {(record.endpoint, record.model) for record in self._open()}

    async def _look(self, record: BatchRecord, *, submits: bool) -> bool:
        """True when the batch has ended and is collected, or is given up for this run."""
        client = self._client(record.endpoint)
        try:
            batch = await client.state(record.batch_id or "")
            self._show(record.model, batch)
            self.unreached_since.pop(record.key, None)
            if not batch.ended:
                return False
            if batch.status == "failed":
                self._refused(record, batch, submits=submits)
            else:
                await retried(lambda: self._collect(record, batch, client, submits=submits), self.tools)
        except CallFailed as failure:
            return self._unreached(record, failure.fault)
        return True

    async def _collect(self, record: BatchRecord, batch: BatchState, client: BatchClient, *, submits: bool) -> None:
        found = await collect(
            batch,
            {call.fingerprint: call for call in self._ours(record)},
            endpoint=record.endpoint,
            client=client,
            store=self.store,
            price=self.batches.price,
            arrived_at=lambda: time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(self.tools.clock())),
        )
        if found.unreadable:
            self.batches.say(f"batch {batch.id}: {count(found.unreadable)} of its lines cannot be read")
        self.tools.journal.settle(record.key, [*found.costs, *found.faults])
        for key, cost_usd in found.costs.items():
            self.settled.add(key)
            self.batches.budget.book(self.calls[key], cost_usd)
            self.observe(CallEvent(kind="answered", call=self.calls[key], cost_usd=cost_usd))
        for key, fault in found.faults.items():
            self._fail([self.calls[key]], fault)
        if submits and found.further:
            for call in found.further:
                self.calls[call.fingerprint] = call
                self.observe(CallEvent(kind="further", call=call))
            async with self.batches.lock():
                await self._submit(found.further)

    def _refused(self, record: BatchRecord, batch: BatchState, *, submits: bool) -> None:
        """A batch of which no request ran. When the provider's queue had no room for it, it is submitted again, smaller or later.

        A single call that has the queue for itself and does not fit is given up.
        """
        part = BatchPart(tuple(self._ours(record)))
        fault = whole_failure(batch)
        self.tools.journal.settle(record.key, [call.fingerprint for call in part.calls])
        if fault.code != NO_ROOM or not submits:
            self._fail(part.calls, fault)
        elif (part.endpoint, part.model) in self._busy():
            self.held.append(part)
        elif len(part.calls) > 1:
            self.held += part.halves()
        else:
            self._fail(part.calls, fault)

    def _unreached(self, record: BatchRecord, fault: Fault) -> bool:
        """A look that failed: True when this run gives the batch up. The journal keeps it, so that nothing is submitted twice."""
        now = self.tools.clock()
        since = self.unreached_since.setdefault(record.key, now)
        gone = fault.status == "invalid_request"
        if fault.scope == "call" and not gone and now - since < self.tools.settings.cell_timeout_s:
            return False
        if gone and now - record.noted_at > UNKNOWN_FOR_S:
            self.tools.journal.close_batch(record.key)
        message = f"the answer is in batch {record.batch_id}, whose state is not available: {fault.message}"
        self._fail(self._ours(record), replace(fault, message=message))
        return True

    def _leave(self) -> None:
        """Give up, for this run, the calls whose batches have not ended."""
        for record in self._open():
            message = (
                f"batch {record.batch_id} has not ended: run with runtime.mode=batch to wait for it, or cancel it "
                "with python -m stages.generate --cancel-batches"
            )
            fault = Fault(status="timeout_failed", code="in_batch", message=message)
            self._fail(self._ours(record), fault, attempts=0)

    def _fail(self, calls: Sequence[Call], fault: Fault, *, attempts: int = 1) -> None:
        for call in calls:
            key = call.fingerprint
            self.settled.add(key)
            self.failures[key] = CallFailure(
                fingerprint=key, status=fault.status, code=fault.code, message=fault.message, attempts=attempts
            )
            self.batches.budget.book(call, 0.0)
            self.observe(CallEvent(kind="failed", call=call))

    def _show(self, model: str, batch: BatchState) -> None:
        failed = f", {count(batch.failed)} failed" if batch.failed else ""
        progress = f"{count(batch.completed)} of {count(batch.total)} done{failed}"
        text = f"batch {batch.id} ({model}): {batch.status}, {progress}"
        if self.shown.get(batch.id) != text:
            self.shown[batch.id] = text
            self.batches.say(text)
