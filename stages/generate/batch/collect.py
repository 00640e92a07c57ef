"""The batches of a ledger folder: submits those that this run needs, and collects them with those
that earlier runs submitted.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from pathlib import Path

from stages.contracts.params import RuntimeParams
from stages.generate.answers.answer import Answer, Content
from stages.generate.batch.client import (
    NO_ROOM,
    Batch,
    BatchClient,
    BatchLine,
    RequestCounts,
    progress_of,
    unprocessed,
)
from stages.generate.batch.journal import BatchJournal, BatchRecord
from stages.generate.batch.submit import Part, find, parts_of, submit
from stages.generate.calls.budget import Budget
from stages.generate.calls.faults import CallFailed, Fault, unusable_body
from stages.generate.calls.progress import CallEvent
from stages.generate.calls.runner import Store
from stages.generate.plan.call import Call
from stages.generate.plan.endpoint import Endpoint, address
from stages.shell.numbers import count

ENDED = frozenset({"completed", "expired", "cancelled"})
"""The statuses of a batch that may have answers and gets no more."""
UNKNOWN_FOR_S = 48 * 3600.0
"""A batch that the service does not know, or whose files are not whole, is given up after this
time; until then another key or a fault on the way may be the cause.
"""
CUT_FILE = "cut_file"


@dataclass(slots=True, kw_only=True)
class BatchRun:
    """Answers for calls through the Batch API; the journal is in `folder`, the ledger's.

    `calls` are those without a result, by fingerprint: further draws are added, and what is
    answered or failed is removed. The run has claimed them, so no other process submits or recovers
    their batches.
    """

    folder: Path
    settings: RuntimeParams
    variables: Mapping[str, str]
    budget: Budget
    store: Store
    observe: Callable[[CallEvent], None]
    say: Callable[[str], None]
    calls: dict[str, Call]
    clock: Callable[[], float] = time.time
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    _journal: BatchJournal = field(init=False)
    _clients: dict[Endpoint, BatchClient] = field(default_factory=dict)
    _failures: dict[str, Fault] = field(default_factory=dict)
    _waiting: list[Part] = field(default_factory=list)
    _full: set[tuple[Endpoint, str]] = field(default_factory=set)
    _refused_keys: dict[tuple[str | None, str | None], Fault] = field(default_factory=dict)
    _failing_since: dict[str, float] = field(default_factory=dict)
    _said: set[str] = field(default_factory=set)

    async def run(self) -> dict[str, Fault]:
        """Store the answers to the calls, further draws included; the failures by fingerprint, in
        order.

        Batches of earlier runs are collected, not submitted again. In direct mode nothing is
        submitted and nothing is waited for.
        """
        with closing(BatchJournal(self.folder, self.clock)) as self._journal:
            try:
                await self._work()
            except asyncio.CancelledError:
                if any(record.state != "intended" for record in self._journal.open_batches()):
                    self.say(
                        "submitted batches continue at the service; the next run collects them"
                    )
                raise
            finally:
                for client in self._clients.values():
                    await client.close()
        return dict(sorted(self._failures.items()))

    async def _work(self) -> None:
        while self.calls:
            for record in self._open():
                await self._look(record)
            if not self._submits:
                self._leave()
                return
            await self._submit()
            if self.calls:
                await self.sleep(self.settings.batch_poll_s)

    @property
    def _submits(self) -> bool:
        return self.settings.mode == "batch"

    def _client(self, endpoint: Endpoint) -> BatchClient:
        if endpoint not in self._clients:
            self._clients[endpoint] = BatchClient(endpoint, self.variables)
        return self._clients[endpoint]

    def _open(self) -> list[BatchRecord]:
        return [record for record in self._journal.open_batches() if self._ours(record)]

    def _ours(self, record: BatchRecord) -> list[Call]:
        return [self.calls[key] for key in record.fingerprints if key in self.calls]

    async def _submit(self) -> None:
        """Submit the calls that are in no batch; to a queue of the provider that had no room, one
        part when it is empty.
        """
        parts = [*self._waiting, *parts_of(self._reserve_new_calls())]
        self._waiting = []
        for part in parts:
            endpoint = part[0].endpoint
            queue = (endpoint, part[0].model)
            refused_key = self._refused_keys.get((endpoint.url, endpoint.key_env))
            if queue in self._full and self._is_busy(queue):
                self._waiting.append(part)
            elif refused_key is not None:
                self._fail(part, refused_key)
            else:
                await self._submit_part(part)

    def _reserve_new_calls(self) -> list[Call]:
        """The calls that are in no batch and within the budget; the others fail."""
        submitted = {key for record in self._open() for key in record.fingerprints}
        waiting = {call.fingerprint for part in self._waiting for call in part}
        new_calls = [
            call for key, call in self.calls.items() if key not in submitted and key not in waiting
        ]
        affordable: list[Call] = []
        for call in new_calls:
            self.budget.book(call, 0.0)  # releases what was reserved for a submission that failed
            if self.budget.when_affordable(call) == "now":
                self.budget.reserve(call)
                affordable.append(call)
            else:
                self._fail([call], self.budget.refusal(call), attempts=0)
        return affordable

    async def _submit_part(self, part: Part) -> None:
        endpoint, step = part[0].endpoint, part[0].fingerprint
        try:
            await submit(part, self._client(endpoint), self._journal)
            self._failing_since.pop(step, None)
        except CallFailed as failure:
            if self._is_final(step, failure.fault):
                self._fail(part, failure.fault)
            if failure.fault.scope == "key":
                self._refused_keys[endpoint.url, endpoint.key_env] = failure.fault

    def _is_final(self, step: str, fault: Fault) -> bool:
        """Whether a step that failed is given up: trying again cannot help, or has not for
        `cell_timeout_s`.
        """
        now = self.clock()
        late = now - self._failing_since.setdefault(step, now) >= self.settings.cell_timeout_s
        return late or fault.scope != "call" or not self._submits

    def _is_busy(self, queue: tuple[Endpoint, str]) -> bool:
        return any((record.endpoint, record.model) == queue for record in self._open())

    async def _look(self, record: BatchRecord) -> None:
        client = self._client(record.endpoint)
        try:
            batch = await find(record, client, self._journal)
            if batch is not None:
                await self._use(record, batch, client)
            self._failing_since.pop(record.key, None)
        except CallFailed as failure:
            self._unreached(record, failure.fault)

    async def _use(self, record: BatchRecord, batch: Batch, client: BatchClient) -> None:
        """Report the progress of a batch; collect it, or submit it again, when it has ended."""
        self._say_once(progress_of(batch, record.model))
        if batch.status == "failed":
            self._refused(record, client.refusal(batch))
        elif batch.status in ENDED:
            await self._collect(record, batch, client)

    async def _collect(self, record: BatchRecord, batch: Batch, client: BatchClient) -> None:
        """Store the answers of an ended batch, then settle its calls: one without a line failed as
        the batch did.

        Of several lines of one request the first counts, and an answer counts before an error.
        `CallFailed` when there are fewer lines than the batch says: a file was cut, or is another.
        """
        unanswered = {call.fingerprint: call for call in self._ours(record)}
        faults: dict[str, Fault] = {}
        listed: set[str] = set()
        unreadable = 0
        counts = batch.request_counts or RequestCounts()
        files = (
            (batch.output_file_id, counts.completed),
            (batch.error_file_id, counts.completed + counts.failed),
        )
        for file_id, finished in files:
            async for lines in client.lines(file_id):
                readable_lines = [line for line in lines if line is not None]
                unreadable += len(lines) - len(readable_lines)
                listed.update(line.custom_id for line in readable_lines)
                for line in readable_lines:
                    if line.fault is not None:
                        faults.setdefault(line.custom_id, line.fault)
                await self._store_answers(record, readable_lines, unanswered)
            if len(listed) < finished or (unreadable and not batch.request_counts):
                message = f"the files of batch {batch.id} hold fewer requests than it has finished"
                raise CallFailed(unusable_body(CUT_FILE, message))
        if unreadable:
            self._say_once(f"batch {batch.id}: {count(unreadable)} of its lines cannot be read")
        self._journal.settle(record.key, unanswered)
        missing = unprocessed(f"batch_{batch.status}", f"batch {batch.id} is {batch.status}")
        for key, call in unanswered.items():
            self._fail([call], faults.get(key, missing))

    async def _store_answers(
        self, record: BatchRecord, lines: Sequence[BatchLine], unanswered: dict[str, Call]
    ) -> None:
        """Store the answers in these lines, and take their calls out of those without one."""
        contents: dict[str, Content] = {}
        for line in lines:
            if line.content is not None and line.custom_id in unanswered:
                contents.setdefault(line.custom_id, line.content)
        calls = [unanswered.pop(key) for key in contents]
        # At once, so that they are stored with one commit.
        await asyncio.gather(*(self._keep(call, contents[call.fingerprint]) for call in calls))
        self._journal.settle(record.key, contents)

    def _say_once(self, text: str) -> None:
        if text not in self._said:
            self._said.add(text)
            self.say(text)

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
        further = await self.store(call, answer, cost_usd)
        del self.calls[call.fingerprint]
        self.budget.book(call, cost_usd)
        self.observe(CallEvent(kind="answered", call=call, cost_usd=cost_usd))
        if further is not None and self._submits:
            self.calls[further.fingerprint] = further
            self.observe(CallEvent(kind="further", call=further))

    def _refused(self, record: BatchRecord, fault: Fault) -> None:
        """A batch of which no request ran. When the provider's queue had no room for it, it is
        submitted again, smaller or later.

        A single call that has the queue for itself and does not fit is given up.
        """
        part, queue = tuple(self._ours(record)), (record.endpoint, record.model)
        self._journal.settle(record.key, [call.fingerprint for call in part])
        alone = not self._is_busy(queue)
        if fault.code != NO_ROOM or not self._submits or (alone and len(part) <= 1):
            self._fail(part, fault)
            return
        self._full.add(queue)
        if alone:
            middle = len(part) // 2
            self._waiting += [part[:middle], part[middle:]]
        else:
            self._waiting.append(part)

    def _unreached(self, record: BatchRecord, fault: Fault) -> None:
        """A look that failed. The journal keeps a batch that this run gives up, so that nothing is
        submitted twice.
        """
        if not self._is_final(record.key, fault):
            return
        may_be_lost = fault.status == "invalid_request" or fault.code == CUT_FILE
        if may_be_lost and self.clock() - record.noted_at > UNKNOWN_FOR_S:
            self._journal.settle(record.key, record.fingerprints)
        message = f"the answer is in {record.name}, whose state is not available: {fault.message}"
        self._fail(self._ours(record), replace(fault, message=message))

    def _leave(self) -> None:
        advice = (
            "run with runtime.mode=batch to wait for it, or cancel it with "
            "python -m stages.generate --cancel-batches"
        )
        for record in self._open():
            message = f"{record.name} has not ended: {advice}"
            fault = Fault(status="timeout_failed", code="in_batch", message=message)
            self._fail(self._ours(record), fault, attempts=0)

    def _fail(self, calls: Sequence[Call], fault: Fault, *, attempts: int = 1) -> None:
        for call in calls:
            key = call.fingerprint
            del self.calls[key]
            self._failures[key] = replace(fault, attempts=attempts)
            self.budget.book(call, 0.0)
            self.observe(CallEvent(kind="failed", call=call))
