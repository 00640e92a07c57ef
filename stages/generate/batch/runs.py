"""The batches of a ledger folder: those that earlier runs submitted, and those that this run submits."""

import asyncio
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from filelock import AsyncFileLock
from openai.types import Batch

from stages.contracts.params import RuntimeParams
from stages.generate.answers.api_answer import ApiAnswer, PaidAnswer
from stages.generate.batch.client import NO_ROOM, BatchClient, fault_without_line
from stages.generate.batch.journal import FILE, BatchJournal, BatchRecord, fingerprints_out
from stages.generate.batch.submit import OPENAI_LIMITS, REAL_WAITS, BatchLimits, BatchPart, Submission, Waits, parts_of
from stages.generate.calls.budget import Budget
from stages.generate.calls.faults import CallFailed, Fault
from stages.generate.calls.progress import CallEvent
from stages.generate.calls.runner import Price, Store
from stages.generate.plan.cells import Call
from stages.generate.plan.endpoint import Endpoint, address
from stages.shell.numbers import count

LOCK = "batches.lock"
ENDED = frozenset({"failed", "completed", "expired", "cancelled"})
"""The statuses that nothing follows; all but `failed` may have answers."""
UNKNOWN_FOR_S = 48 * 3600.0
"""A batch that the service does not know is given up after this time; until then another key may be the cause."""
_STORED_TOGETHER = 256


def in_batches(calls: Sequence[Call], settings: RuntimeParams, folder: Path) -> list[Call]:
    """The calls that batches answer.

    In batch mode all but those of simulated models; in direct mode those in a batch of an earlier run that nobody collected.
    """
    if settings.mode == "batch":
        return [call for call in calls if call.endpoint.provider != "simulated"]
    pending = fingerprints_out(folder)
    return [call for call in calls if call.fingerprint in pending]


@dataclass(slots=True, kw_only=True)
class BatchRun:
    """Answers for calls through the Batch API.

    `folder` is the ledger's, which holds the journal; `budget` is shared with the calls that are made one by one; `say` prints a
    sentence; `calls` are by fingerprint, and further draws are added.
    """

    folder: Path
    settings: RuntimeParams
    variables: Mapping[str, str]
    price: Price
    budget: Budget
    store: Store
    observe: Callable[[CallEvent], None]
    say: Callable[[str], None]
    calls: dict[str, Call]
    limits: BatchLimits = OPENAI_LIMITS
    waits: Waits = REAL_WAITS
    _submission: Submission = field(init=False)
    _clients: dict[Endpoint, BatchClient] = field(default_factory=dict)
    _failures: dict[str, Fault] = field(default_factory=dict)
    _settled: set[str] = field(default_factory=set)
    _held: list[BatchPart] = field(default_factory=list)
    _refused_keys: dict[tuple[str | None, str | None], Fault] = field(default_factory=dict)
    _unreached_since: dict[str, float] = field(default_factory=dict)
    _shown: dict[str, str] = field(default_factory=dict)

    async def run(self) -> dict[str, Fault]:
        """Store the answers to the calls, further draws included; the failures by fingerprint, in order.

        Batches that an earlier run submitted are collected, not submitted again. In direct mode nothing is submitted and nothing
        is waited for. When cancelled, batches continue at the service, and the next run collects them.
        """
        self._submission = Submission(BatchJournal(self.folder), self.settings, self.waits)
        try:
            await self._work()
        except asyncio.CancelledError:
            if self._submission.journal.open_batches():
                self.say("submitted batches continue at the service; the next run collects them")
            raise
        finally:
            self._submission.journal.close()
            for client in self._clients.values():
                await client.close()
        return dict(sorted(self._failures.items()))

    async def _work(self) -> None:
        """Recover, submit, and look at open batches until each call is settled; in direct mode only look, once."""
        async with self._lock():
            await self._recover()
            if self._submits:
                taken = {key for record in self._open() for key in record.fingerprints}
                await self._submit([call for key, call in self.calls.items() if key not in taken])
        while (records := self._open()) or self._held:
            ended = [await self._look(record) for record in records]
            if self._held:
                async with self._lock():
                    await self._submit_held()
            if not self._submits:
                self._leave()
            elif not any(ended) and self._open():
                await self.waits.sleep(self.settings.batch_poll_s)

    @property
    def _submits(self) -> bool:
        return self.settings.mode == "batch"

    def _lock(self) -> AsyncFileLock:
        """Held while batches are submitted or recovered, so that no other process takes them for abandoned."""
        return AsyncFileLock(self.folder / LOCK, run_in_executor=False)

    def _client(self, endpoint: Endpoint) -> BatchClient:
        if endpoint not in self._clients:
            self._clients[endpoint] = BatchClient(endpoint, self.variables)
        return self._clients[endpoint]

    def _open(self) -> list[BatchRecord]:
        """The open batches that hold a call of ours without a result."""
        waiting = self.calls.keys() - self._settled
        return [
            record for record in self._submission.journal.open_batches() if not waiting.isdisjoint(record.fingerprints)
        ]

    def _ours(self, record: BatchRecord) -> list[Call]:
        return [self.calls[key] for key in record.fingerprints if key in self.calls and key not in self._settled]

    async def _recover(self) -> None:
        for record in self._open():
            if record.state != "submitted":
                try:
                    await self._submission.recover(record, self._client(record.endpoint))
                except CallFailed as failure:
                    self._fail(self._ours(record), failure.fault)

    async def _submit(self, calls: Sequence[Call]) -> None:
        """Submit what has no result yet and what the budget allows. Whoever calls this holds the lock."""
        affordable: list[Call] = []
        for call in calls:
            if call.fingerprint not in self._settled:
                if self.budget.reserve(call) == "reserved":
                    affordable.append(call)
                else:
                    self._fail([call], self.budget.refusal(call), attempts=0)
        for part in parts_of(affordable, self.limits):
            await self._submit_part(part)

    async def _submit_part(self, part: BatchPart) -> None:
        key = (part.endpoint.url, part.endpoint.key_env)
        fault = self._refused_keys.get(key)
        if fault is None:
            try:
                await self._submission.submit(part, self._client(part.endpoint))
            except CallFailed as failure:
                fault = failure.fault
                if fault.scope == "key":
                    self._refused_keys[key] = fault
        if fault is not None:
            self._fail(part.calls, fault)

    async def _submit_held(self) -> None:
        """Submit one part for each queue of the provider (an endpoint and a model) that has become empty."""
        busy = self._busy()
        for part in list(self._held):
            if (part.endpoint, part.model) not in busy:
                busy.add((part.endpoint, part.model))
                self._held.remove(part)
                await self._submit_part(part)

    def _busy(self) -> set[tuple[Endpoint, str]]:
        return {(record.endpoint, record.model) for record in self._open()}

    async def _look(self, record: BatchRecord) -> bool:
        """True when the batch has ended and is collected, or is given up for this run."""
        client = self._client(record.endpoint)
        try:
            batch = await client.state(record.batch_id or "")
            self._show(record.model, batch)
            self._unreached_since.pop(record.key, None)
            if batch.status not in ENDED:
                return False
            if batch.status == "failed":
                self._refused(record, client.failure(batch))
            else:
                await self.waits.retried(lambda: self._collect(record, batch, client), self.settings)
        except CallFailed as failure:
            return self._unreached(record, failure.fault)
        return True

    async def _collect(self, record: BatchRecord, batch: Batch, client: BatchClient) -> None:
        """Store the answers of an ended batch, then settle its calls.

        Lines are matched by `custom_id`, in whatever order and whichever of the two files they are; those of other requests are
        ignored. Of several lines of one request the first counts, and an answer counts before an error. A call without any
        line failed, for the reason that the batch itself gives.

        Raises:
            CallFailed: a file could not be read to its end; what was read is stored.
        """
        waiting = {call.fingerprint: call for call in self._ours(record)}
        costs: dict[str, float | None] = {}
        faults: dict[str, Fault] = {}
        further: list[Call] = []
        answers: dict[str, ApiAnswer] = {}
        unreadable = 0

        async def keep() -> None:
            paid = [self._paid(waiting[key], content) for key, content in answers.items()]
            wanted = await asyncio.gather(*(self.store(waiting[answer.fingerprint], answer) for answer in paid))
            costs.update((one.fingerprint, self.price(waiting[one.fingerprint].planned, one)) for one in paid)
            further.extend(call for call in wanted if call is not None)
            answers.clear()

        async for line in client.lines(batch):
            if line is None:
                unreadable += 1
            elif line.custom_id not in waiting or line.custom_id in costs:
                continue
            elif isinstance(line.content, Fault):
                faults.setdefault(line.custom_id, line.content)
            else:
                answers.setdefault(line.custom_id, line.content)
            if len(answers) == _STORED_TOGETHER:
                await keep()
        await keep()
        if unreadable:
            self.say(f"batch {batch.id}: {count(unreadable)} of its lines cannot be read")
        self._submission.journal.settle(record.key, waiting)
        for key, cost_usd in costs.items():
            self._settled.add(key)
            self.budget.book(self.calls[key], cost_usd)
            self.observe(CallEvent(kind="answered", call=self.calls[key], cost_usd=cost_usd))
        missing = fault_without_line(batch)
        for key in [one for one in waiting if one not in costs]:
            self._fail([waiting[key]], faults.get(key, missing))
        if self._submits and further:
            for call in further:
                self.calls[call.fingerprint] = call
                self.observe(CallEvent(kind="further", call=call))
            async with self._lock():
                await self._submit(further)

    def _paid(self, call: Call, content: ApiAnswer) -> PaidAnswer:
        return PaidAnswer(
            fingerprint=call.fingerprint,
            content=content,
            latency_ms=None,
            attempts=1,
            arrived_at=time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(self.waits.clock())),
            endpoint=address(call.endpoint),
            source="batch",
        )

    def _refused(self, record: BatchRecord, fault: Fault) -> None:
        """A batch of which no request ran. When the provider's queue had no room for it, it is submitted again, smaller or later.

        A single call that has the queue for itself and does not fit is given up.
        """
        part = BatchPart(tuple(self._ours(record)))
        self._submission.journal.settle(record.key, [call.fingerprint for call in part.calls])
        if fault.code != NO_ROOM or not self._submits:
            self._fail(part.calls, fault)
        elif (part.endpoint, part.model) in self._busy():
            self._held.append(part)
        elif len(part.calls) > 1:
            self._held += part.halves()
        else:
            self._fail(part.calls, fault)

    def _unreached(self, record: BatchRecord, fault: Fault) -> bool:
        """A look that failed: True when this run gives the batch up. The journal keeps it, so that nothing is submitted twice."""
        now = self.waits.clock()
        since = self._unreached_since.setdefault(record.key, now)
        gone = fault.status == "invalid_request"
        if fault.scope == "call" and not gone and now - since < self.settings.cell_timeout_s:
            return False
        if gone and now - record.noted_at > UNKNOWN_FOR_S:
            self._submission.journal.close_batch(record.key)
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
            self._settled.add(key)
            self._failures[key] = replace(fault, attempts=attempts)
            self.budget.book(call, 0.0)
            self.observe(CallEvent(kind="failed", call=call))

    def _show(self, model: str, batch: Batch) -> None:
        text = f"batch {batch.id} ({model}): {batch.status}"
        if batch.request_counts:
            counts = batch.request_counts
            failed = f", {count(counts.failed)} failed" if counts.failed else ""
            text += f", {count(counts.completed)} of {count(counts.total)} done{failed}"
        if self._shown.get(batch.id) != text:
            self._shown[batch.id] = text
            self.say(text)


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
