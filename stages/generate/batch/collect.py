"""The batches of a ledger folder: submits those that this run needs, and collects them with those
that earlier runs submitted.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from pathlib import Path

from stages.generate.answers.answer import Body, read_answer
from stages.generate.batch.client import (
    CUT_FILE,
    NO_ROOM,
    BatchClient,
    BatchLine,
    ServiceBatch,
)
from stages.generate.batch.journal import Batch, BatchJournal
from stages.generate.batch.submit import batch_of, find, parts_of, submit
from stages.generate.calls.faults import CallFailed, Fault, fault_of_error
from stages.generate.calls.runner import Work
from stages.generate.plan.call import Call
from stages.generate.plan.endpoint import Endpoint, address
from stages.shared.records.params import RuntimeParams

ENDED = frozenset({"completed", "expired", "cancelled"})
"""The statuses of a batch that may have answers and gets no more."""
UNKNOWN_FOR_S = 48 * 3600.0
"""A batch that the service does not know, or whose files are cut, is given up after this time;
until then another key or a fault on the way may be the cause.
"""
MOST_READS = 3
"""How often files that lack lines are read before they count as whole."""
CONTINUING = "submitted batches continue at the service; the next run collects them"
LEFT = (
    "has not ended: run with runtime.mode=batch to wait for it, or cancel it with "
    "graph-evaluator generate --cancel-batches"
)


@dataclass(slots=True, kw_only=True)
class BatchRun:
    """Answers for calls through the Batch API; the journal is in `folder`, the ledger's.

    The run has claimed `calls`, so no other process submits or recovers their batches.
    """

    folder: Path
    settings: RuntimeParams
    variables: Mapping[str, str]
    work: Work
    say: Callable[[str], None]
    calls: Mapping[str, Call]
    clock: Callable[[], float] = time.time
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    _journal: BatchJournal = field(init=False)
    _waited_s: float = 0.0
    _batches: list[Batch] = field(default_factory=list)
    _clients: dict[Endpoint, BatchClient] = field(default_factory=dict)
    _further: list[Call] = field(default_factory=list)

    async def run(self) -> None:
        """Keep the answers to the calls, further draws included.

        Batches of earlier runs are collected, not submitted again. In direct mode nothing is
        submitted and nothing is waited for.
        """
        with closing(BatchJournal(self.folder, self.clock)) as self._journal:
            self._take_open_batches()
            try:
                await self._work()
            except asyncio.CancelledError:
                if any(batch.step in ("uploaded", "submitted") for batch in self._batches):
                    self.say(CONTINUING)
                raise
            finally:
                for client in self._clients.values():
                    await client.close()

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
        self._begin(others.values())

    def _begin(self, calls: Iterable[Call]) -> None:
        """Take new batches of these calls."""
        self._batches += map(batch_of, parts_of(calls))

    async def _work(self) -> None:
        while True:
            for batch in self._batches:  # also those that are added meanwhile
                await self._try(batch)
            self._begin(self._further)
            self._further = []
            self._batches = [batch for batch in self._batches if batch.calls]
            if not (self._batches and self._submits):
                break
            await self._wait()
        for batch in self._batches:
            if batch.step != "new":
                message = f"{batch.name} {LEFT}"
                fault = Fault(status="timeout_failed", code="in_batch", message=message, attempts=0)
                self._fail(batch, fault)

    async def _wait(self) -> None:
        await self.sleep(self.settings.batch_poll_s)
        self._waited_s += self.settings.batch_poll_s

    async def _try(self, batch: Batch) -> None:
        """Take a step of a batch, unless its endpoint asked for a wait that is not over."""
        if batch.endpoint not in self._clients:
            self._clients[batch.endpoint] = BatchClient(batch.endpoint, self.variables)
        client, is_new = self._clients[batch.endpoint], batch.step == "new"
        if self._waited_s < client.held_until_s:
            return
        try:
            if not is_new:
                await self._look(batch, client)
            elif self._submits and not (batch.needs_room and self._is_busy(batch)):
                await self._submit(batch, client)
            if batch.step == "submitted":
                batch.failing_since_s = None
        except CallFailed as failure:
            fault = failure.fault
            wait_s = min(fault.wait_s or 0.0, self.settings.max_wait_s)
            client.held_until_s = self._waited_s + wait_s
            if batch.failing_since_s is None:
                batch.failing_since_s = self._waited_s
            is_late = self._waited_s - batch.failing_since_s >= self.settings.cell_timeout_s
            if is_late or fault.scope != "call" or not self._submits:
                self._fail(batch, fault if is_new else self._unavailable(batch, fault))

    def _unavailable(self, batch: Batch, fault: Fault) -> Fault:
        """Why a batch whose state is not available is given up. The journal keeps it, so that
        nothing is submitted twice.
        """
        may_be_lost = fault.status == "invalid_request" or fault.code == CUT_FILE
        if may_be_lost and self.clock() - batch.noted_at > UNKNOWN_FOR_S:
            self._journal.settle(batch, batch.fingerprints)
        message = f"the answer is in {batch.name}, whose state is not available: {fault.message}"
        return replace(fault, message=message)

    async def _submit(self, batch: Batch, client: BatchClient) -> None:
        """Submit a new batch without the calls that the budget has no room for, which fail."""
        budget = self.work.budget
        for call in list(batch.calls.values()):
            budget.book(call, 0.0)  # releases what was reserved for a submission that failed
            if budget.when_affordable(call) == "now":
                budget.reserve(call)
            else:
                self._fail_call(batch, call, budget.refusal(call))
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
        if reply.progress != batch.progress:
            batch.progress = reply.progress
            self.say(f"{batch.name}: {reply.progress}")
        if reply.status == "failed":
            self._refused(batch, client.refusal(reply))
        elif reply.status in ENDED:
            await self._collect(batch, reply, client)

    def _refused(self, batch: Batch, fault: Fault) -> None:
        """A batch of which no request ran. When the provider's queue had no room for it, its
        halves are submitted later.

        A single call that has the queue for itself and does not fit is given up.
        """
        self._journal.abandon(batch)
        calls = list(batch.calls.values())
        fits_never = len(calls) == 1 and not self._is_busy(batch)
        if fault.code != NO_ROOM or not self._submits or fits_never:
            self._fail(batch, fault)
            return
        middle = len(calls) // 2
        halves = [half for half in (calls[:middle], calls[middle:]) if half]
        self._batches += [batch_of(half, needs_room=True) for half in halves]
        batch.calls = {}

    async def _collect(self, batch: Batch, reply: ServiceBatch, client: BatchClient) -> None:
        """Keep the answers of an ended batch, then settle its calls: one without a line failed as
        the batch did.

        Files that lack lines are read again, as they may have been cut; those that still lack them
        are the result of the batch, whatever it counts.
        """
        faults: dict[str, Fault] = {}
        for read in range(MOST_READS):
            if read:
                await self._wait()
            for file_id in (reply.output_file_id, reply.error_file_id):
                async for lines in client.lines(file_id):
                    await self._keep_answers(batch, lines)
                    for line in lines:
                        if line.fault is not None:
                            faults.setdefault(line.custom_id, line.fault)
            if batch.calls.keys() <= faults.keys():
                break
        self._journal.settle(batch, batch.calls)
        ended = {"code": f"batch_{reply.status}", "message": f"{batch.name} is {reply.status}"}
        missing = fault_of_error(200, ended, {})
        for call in list(batch.calls.values()):
            self._fail_call(batch, call, faults.get(call.fingerprint, missing))

    async def _keep_answers(self, batch: Batch, lines: Sequence[BatchLine]) -> None:
        """Keep the answers in these lines, of which the first to a call counts, and settle their
        calls.
        """
        bodies: dict[str, Body] = {}
        for line in lines:
            if line.body is not None and line.custom_id in batch.calls:
                bodies.setdefault(line.custom_id, line.body)
        calls = [batch.calls.pop(key) for key in bodies]
        # At once, so that they are stored with one commit.
        await asyncio.gather(*(self._keep(call, bodies[call.fingerprint]) for call in calls))
        self._journal.settle(batch, bodies)

    async def _keep(self, call: Call, body: Body) -> None:
        answer = read_answer(
            body,
            fingerprint=call.fingerprint,
            most_output_tokens=call.most_output_tokens,
            schema=call.schema,
            latency_ms=None,
            attempts=1,
            created_at=time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(self.clock())),
            endpoint=address(call.endpoint),
            in_batch=True,
        )
        following = await self.work.take(call, answer)
        if following is not None:
            self._further.append(following)

    def _fail(self, batch: Batch, fault: Fault) -> None:
        for call in list(batch.calls.values()):
            self._fail_call(batch, call, fault)

    def _fail_call(self, batch: Batch, call: Call, fault: Fault) -> None:
        del batch.calls[call.fingerprint]
        self.work.budget.book(call, 0.0)
        self.work.give_up(call, fault)
