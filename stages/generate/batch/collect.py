"""The batches of a ledger folder: submits those that this run needs, and collects them with those
that earlier runs submitted.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from pathlib import Path

from stages.generate.answers.answer import Answer, Content
from stages.generate.batch.client import (
    CUT_FILE,
    NO_ROOM,
    BatchClient,
    BatchLine,
    RequestCounts,
    ServiceBatch,
    unprocessed,
)
from stages.generate.batch.journal import Batch, BatchJournal
from stages.generate.batch.submit import batch_of, find, parts_of, submit
from stages.generate.calls.budget import Budget
from stages.generate.calls.faults import CallFailed, Fault
from stages.generate.calls.progress import CallEvent
from stages.generate.calls.runner import Work
from stages.generate.plan.call import Call
from stages.generate.plan.endpoint import Endpoint, address
from stages.shared.records.params import RuntimeParams
from stages.shared.shell.numbers import count

ENDED = frozenset({"completed", "expired", "cancelled"})
"""The statuses of a batch that may have answers and gets no more."""
UNKNOWN_FOR_S = 48 * 3600.0
"""A batch that the service does not know, or whose files are cut, is given up after this time;
until then another key or a fault on the way may be the cause.
"""
MOST_READS = 3
"""How often files that lack lines are read before they count as whole."""
LEFT = (
    "has not ended: run with runtime.mode=batch to wait for it, or cancel it with "
    "graph-evaluator generate --cancel-batches"
)


@dataclass(slots=True, kw_only=True)
class BatchRun:
    """Answers for calls through the Batch API; the journal is in `folder`, the ledger's.

    The run has claimed `calls`, so no other process submits or recovers their batches. Waits are
    measured by `own_clock`, which nobody sets.
    """

    folder: Path
    settings: RuntimeParams
    variables: Mapping[str, str]
    budget: Budget
    work: Work
    observe: Callable[[CallEvent], None]
    say: Callable[[str], None]
    calls: Mapping[str, Call]
    clock: Callable[[], float] = time.time
    own_clock: Callable[[], float] = time.monotonic
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    _journal: BatchJournal = field(init=False)
    _batches: list[Batch] = field(default_factory=list)
    _clients: dict[Endpoint, BatchClient] = field(default_factory=dict)
    _failures: dict[str, Fault] = field(default_factory=dict)
    _further: list[Call] = field(default_factory=list)

    async def run(self) -> dict[str, Fault]:
        """Store the answers to the calls, further draws included; the failures by fingerprint, in
        order.

        Batches of earlier runs are collected, not submitted again. In direct mode nothing is
        submitted and nothing is waited for.
        """
        with closing(BatchJournal(self.folder, self.clock)) as self._journal:
            self._take_open_batches()
            try:
                await self._work()
            except asyncio.CancelledError:
                if any(batch.step in ("uploaded", "submitted") for batch in self._batches):
                    self.say(
                        "submitted batches continue at the service; the next run collects them"
                    )
                raise
            finally:
                for client in self._clients.values():
                    await client.close()
        return dict(sorted(self._failures.items()))

    @property
    def _submits(self) -> bool:
        return self.settings.mode == "batch"

    def _take_open_batches(self) -> None:
        """Begin with the batches that earlier runs submitted, and new ones of the other calls."""
        others = dict(self.calls)
        for batch in self._journal.open_batches():
            keys = [key for key in batch.fingerprints if key in others]
            batch.calls = {key: others.pop(key) for key in keys}
            if batch.calls:
                self._batches.append(batch)
        self._batches += map(batch_of, parts_of(list(others.values())))

    async def _work(self) -> None:
        while True:
            for batch in [batch for batch in self._batches if batch.step != "new"]:
                await self._try(batch, self._look)
            if not self._submits:
                break
            self._batches += map(batch_of, parts_of(self._further))
            self._further = []
            for batch in [batch for batch in self._batches if batch.step == "new"]:
                if batch.calls and not (batch.needs_room and self._is_busy(batch)):
                    await self._try(batch, self._submit)
            self._batches = [batch for batch in self._batches if batch.calls]
            if not self._batches:
                return
            await self.sleep(self.settings.batch_poll_s)
        for batch in self._batches:
            if batch.step != "new":
                message = f"{batch.name} {LEFT}"
                fault = Fault(status="timeout_failed", code="in_batch", message=message)
                self._fail(batch, fault, attempts=0)

    async def _try(
        self, batch: Batch, step: Callable[[Batch, BatchClient], Awaitable[None]]
    ) -> None:
        """Take a step of a batch, unless its endpoint asked for a wait that is not over."""
        if batch.endpoint not in self._clients:
            self._clients[batch.endpoint] = BatchClient(batch.endpoint, self.variables)
        client = self._clients[batch.endpoint]
        if self.own_clock() < client.held_until:
            return
        try:
            await step(batch, client)
            if batch.step == "submitted":
                batch.failing_since = None
        except CallFailed as failure:
            fault, now = failure.fault, self.own_clock()
            wait_s = min(fault.wait_s or 0.0, self.settings.max_wait_s)
            client.held_until = max(client.held_until, now + wait_s)
            if batch.failing_since is None:
                batch.failing_since = now
            late = now - batch.failing_since >= self.settings.cell_timeout_s
            if not late and fault.scope == "call" and self._submits:
                return
            if step == self._look:
                self._give_up(batch, fault)
                return
            for other in self._batches:
                same_key = other.step == "new" and account_of(other) == account_of(batch)
                if other is batch or (fault.scope == "key" and same_key):
                    self._fail(other, fault)

    def _give_up(self, batch: Batch, fault: Fault) -> None:
        """Give up a batch whose state is not available. The journal keeps it, so that nothing is
        submitted twice.
        """
        may_be_lost = fault.status == "invalid_request" or fault.code == CUT_FILE
        if may_be_lost and self.clock() - batch.noted_at > UNKNOWN_FOR_S:
            self._journal.settle(batch, batch.fingerprints)
        message = f"the answer is in {batch.name}, whose state is not available: {fault.message}"
        self._fail(batch, replace(fault, message=message))

    async def _submit(self, batch: Batch, client: BatchClient) -> None:
        """Submit a new batch without the calls that the budget has no room for, which fail."""
        for call in list(batch.calls.values()):
            self.budget.book(call, 0.0)  # releases what was reserved for a submission that failed
            if self.budget.when_affordable(call) == "now":
                self.budget.reserve(call)
            else:
                self._fail_call(batch, call, self.budget.refusal(call), attempts=0)
        batch.fingerprints = list(batch.calls)
        if batch.calls:
            await submit(batch, client, self._journal)

    def _is_busy(self, batch: Batch) -> bool:
        """Whether another batch is in the provider's queue for the model."""
        queue = (batch.endpoint, batch.model)
        return any(
            other.calls and other.step != "new" and (other.endpoint, other.model) == queue
            for other in self._batches
            if other is not batch
        )

    async def _look(self, batch: Batch, client: BatchClient) -> None:
        """Report the progress of a batch; collect it, or submit it again, when it has ended."""
        reply = await find(batch, client, self._journal)
        if reply is None:
            return
        progress = progress_of(reply)
        if progress != batch.progress:
            batch.progress = progress
            self.say(f"{batch.name}: {progress}")
        if reply.status == "failed":
            self._refused(batch, client.refusal(reply))
        elif reply.status in ENDED:
            await self._collect(batch, reply, client)

    def _refused(self, batch: Batch, fault: Fault) -> None:
        """A batch of which no request ran. When the provider's queue had no room for it, it is
        submitted again, smaller or later.

        A single call that has the queue for itself and does not fit is given up.
        """
        self._journal.abandon(batch)
        alone, calls = not self._is_busy(batch), list(batch.calls.values())
        if fault.code != NO_ROOM or not self._submits or (alone and len(calls) == 1):
            self._fail(batch, fault)
            return
        middle = len(calls) // 2 if alone else 0
        halves = [half for half in (calls[:middle], calls[middle:]) if half]
        self._batches += [batch_of(half, needs_room=True) for half in halves]
        batch.calls = {}

    async def _collect(self, batch: Batch, reply: ServiceBatch, client: BatchClient) -> None:
        """Store the answers of an ended batch, then settle its calls: one without a line failed as
        the batch did.

        Files that lack lines are read again, as they may have been cut; those that still lack them
        are the result of the batch, whatever it counts.
        """
        faults: dict[str, Fault] = {}
        for _ in range(MOST_READS - 1):
            if await self._read_files(batch, reply, client, faults):
                break
            await self.sleep(self.settings.batch_poll_s)
        else:
            await self._read_files(batch, reply, client, faults)
        self._journal.settle(batch, batch.calls)
        missing = unprocessed(f"batch_{reply.status}", f"{batch.name} is {reply.status}")
        for call in list(batch.calls.values()):
            self._fail_call(batch, call, faults.get(call.fingerprint, missing))

    async def _read_files(
        self, batch: Batch, reply: ServiceBatch, client: BatchClient, faults: dict[str, Fault]
    ) -> bool:
        """Store the answers in the files and note the faults; whether no line is missing.

        Of several lines of one request the first counts, and an answer counts before an error.
        """
        calls, listed = frozenset(batch.calls), set[str]()
        counts = reply.request_counts or RequestCounts()
        keeps_counts = 0 < counts.total >= counts.completed + counts.failed
        files = (
            (reply.output_file_id, counts.completed),
            (reply.error_file_id, counts.completed + counts.failed),
        )
        for file_id, finished in files:
            async for lines in client.lines(file_id):
                for line in lines:
                    listed.add(line.custom_id)
                    if line.fault is not None:
                        faults.setdefault(line.custom_id, line.fault)
                await self._store_answers(batch, lines)
            keeps_counts = keeps_counts and len(listed) >= finished
        return keeps_counts or listed >= calls

    async def _store_answers(self, batch: Batch, lines: Sequence[BatchLine]) -> None:
        """Store the answers in these lines, and settle their calls."""
        contents: dict[str, Content] = {}
        for line in lines:
            if line.content is not None and line.custom_id in batch.calls:
                contents.setdefault(line.custom_id, line.content)
        calls = [batch.calls.pop(key) for key in contents]
        # At once, so that they are stored with one commit.
        await asyncio.gather(*(self._keep(call, contents[call.fingerprint]) for call in calls))
        self._journal.settle(batch, contents)

    async def _keep(self, call: Call, content: Content) -> None:
        answer = Answer(
            fingerprint=call.fingerprint,
            model=call.model,
            request=call.canonical,
            content=content,
            latency_ms=None,
            attempts=1,
            created_at=time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(self.clock())),
            endpoint=address(call.endpoint),
            source="batch",
        )
        cost_usd = call.prices.cost(answer).usd
        await self.work.keep(call, answer, cost_usd)
        self.budget.book(call, cost_usd)
        self.observe(CallEvent(kind="answered", call=call, cost_usd=cost_usd))
        further = self.work.following(call, answer)
        if further is not None and self._submits:
            self._further.append(further)
            self.observe(CallEvent(kind="further", call=further))

    def _fail(self, batch: Batch, fault: Fault, *, attempts: int = 1) -> None:
        for call in list(batch.calls.values()):
            self._fail_call(batch, call, fault, attempts=attempts)

    def _fail_call(self, batch: Batch, call: Call, fault: Fault, *, attempts: int = 1) -> None:
        del batch.calls[call.fingerprint]
        self._failures[call.fingerprint] = replace(fault, attempts=attempts)
        self.budget.book(call, 0.0)
        self.observe(CallEvent(kind="failed", call=call))


def account_of(batch: Batch) -> tuple[str | None, str | None]:
    """What the batches share that one key pays for."""
    return batch.endpoint.url, batch.endpoint.key_env


def progress_of(batch: ServiceBatch) -> str:
    """The status of a batch and what is done, for people."""
    counts = batch.request_counts
    if counts is None:
        return batch.status
    failed = f", {count(counts.failed)} failed" if counts.failed else ""
    return f"{batch.status}, {count(counts.completed)} of {count(counts.total)} done{failed}"
