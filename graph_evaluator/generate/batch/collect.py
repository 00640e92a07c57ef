"""The batches of a ledger folder: submits those that this run needs, and collects them with those
that earlier runs submitted. A kill at any moment neither loses a batch nor submits it twice.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from pathlib import Path

from graph_evaluator.generate.batch.client import BatchClient, BatchLine, ServiceReply
from graph_evaluator.generate.batch.journal import (
    Batch,
    BatchJournal,
    fingerprints_out,
    line_of,
    new_batches,
    open_batches,
)
from graph_evaluator.generate.calls.booking import Intake
from graph_evaluator.generate.calls.outcome import (
    CallFailed,
    Fault,
    Reply,
    answer_in,
    fault_of_error,
    unusable_body,
)
from graph_evaluator.generate.plan.call import Call, Endpoint, Variables
from graph_evaluator.records.json_text import JsonObject
from graph_evaluator.records.params import RuntimeParams
from graph_evaluator.records.response import Answer
from graph_evaluator.shell.numbers import counted

ENDED = frozenset({"completed", "expired", "cancelled"})
"""The statuses of a batch that may have answers and gets no more."""
LISTED_AFTER_S = 30.0
"""How long a batch that was created may take to appear in the service's list, seconds."""
UNKNOWN_FOR_S = 48 * 3600.0
"""A batch that the service does not know, or whose files are cut, is given up after this time;
until then another key or a fault on the way may be the cause.
"""
MOST_READS = 3
"""How often files that lack lines are read before they count as whole."""
CUT_FILE = "cut_file"
CONTINUING = "submitted batches continue at the provider; the next run collects them"
LEFT = (
    "has not ended: run with runtime.mode=batch to wait for it, or cancel it with "
    "`graph-evaluator generate --cancel-batches`"
)


def in_batches(calls: Sequence[Call], settings: RuntimeParams, folder: Path) -> dict[str, Call]:
    """The calls that batches answer, by fingerprint.

    In batch mode all but those of simulated models; in direct mode those in a batch of an earlier
    run that nobody collected.
    """
    if settings.mode == "batch":
        return {call.fingerprint: call for call in calls if not call.endpoint.simulated}
    pending = fingerprints_out(folder)
    return {call.fingerprint: call for call in calls if call.fingerprint in pending}


@dataclass(kw_only=True)
class BatchRun:
    """Answers for calls through the Batch API; the journal is in `folder`, the ledger's.

    The run has claimed `calls`, so no other process submits or recovers their batches.
    """

    folder: Path
    settings: RuntimeParams
    variables: Variables
    intake: Intake
    say: Callable[[str], None]
    calls: Mapping[str, Call]
    clock: Callable[[], float] = time.time
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    _journal: BatchJournal = field(init=False)
    _batches: list[Batch] = field(default_factory=list)
    _clients: dict[Endpoint, BatchClient] = field(default_factory=dict)
    _further: list[Call] = field(default_factory=list)

    async def run(self) -> None:
        """Keep the answers to the calls, further draws included.

        Batches of earlier runs are collected, not submitted again. In direct mode nothing is
        submitted and nothing is waited for.
        """
        with closing(BatchJournal(self.folder, self.clock)) as self._journal:
            others = dict(self.calls)
            for batch in open_batches(self.folder):
                keys = [key for key in batch.fingerprints if key in others]
                batch.calls = {key: others.pop(key) for key in keys}
                self._batches.append(batch)
            self._batches += new_batches(others.values())
            try:
                await self._work()
            except asyncio.CancelledError:
                if any(batch.step != "new" for batch in self._batches):
                    self.say(CONTINUING)
                raise
            finally:
                for client in self._clients.values():
                    await client.close()

    @property
    def _submits(self) -> bool:
        return self.settings.mode == "batch"

    async def _work(self) -> None:
        while True:
            self._batches = [batch for batch in self._batches if batch.calls]
            for batch in self._batches:
                await self._try(batch)
            self._batches += new_batches(self._further)
            self._further = []
            if not (self._submits and any(batch.calls for batch in self._batches)):
                break
            await self.sleep(self.settings.batch_poll_s)
        for batch in self._batches:
            if batch.step != "new":
                message = f"{batch.name} {LEFT}"
                fault = Fault(status="timeout_failed", code="in_batch", message=message, attempts=0)
                self._fail(batch, batch.calls, fault)

    async def _try(self, batch: Batch) -> None:
        """Take a step of a batch; one that fails is taken again, for the time of a cell."""
        if batch.endpoint not in self._clients:
            self._clients[batch.endpoint] = BatchClient(batch.endpoint, self.variables)
        client, is_new = self._clients[batch.endpoint], batch.step == "new"
        try:
            if not is_new:
                await self._look(batch, client)
            elif self._submits:
                await self._submit(batch, client)
            if batch.step == "submitted":
                batch.failing_since = None
        except CallFailed as failure:
            fault, now = failure.fault, self.clock()
            if batch.failing_since is None:
                batch.failing_since = now
            is_late = now - batch.failing_since >= self.settings.cell_timeout_s
            if is_late or fault.scope in ("cell", "key") or not self._submits:
                self._fail(batch, batch.calls, fault if is_new else self._unavailable(batch, fault))

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
        """Upload the calls of a new batch and create it; each step is in the journal before the
        next. Calls that the budget has no room for fail.

        Raises:
            CallFailed: the batch is new again, or "uploaded" when it may exist.
        """
        budget = self.intake.budget
        for key, call in list(batch.calls.items()):
            budget.book(call, 0.0)  # releases what was reserved for a submission that failed
            if budget.when_affordable(call) != "now" or not budget.reserve(call):
                self._fail(batch, [key], budget.refusal(call))
        if not batch.calls:
            return
        batch.fingerprints = list(batch.calls)
        try:
            input_file_id = await client.upload(b"".join(map(line_of, batch.calls.values())))
            self._journal.note(batch, "uploaded")
            created = await client.create(input_file_id=input_file_id, key=batch.key)
        except CallFailed as failure:
            fault = failure.fault
            is_unclear = fault.may_be_billed or fault.status in ("timeout_failed", "server_error")
            if batch.step == "uploaded" and is_unclear:
                self._journal.note(batch, "uploaded")  # it will be listed soon, if it exists
            else:
                self._journal.abandon(batch)
            raise
        self._journal.note(batch, "submitted", batch_id=created.id)

    async def _look(self, batch: Batch, client: BatchClient) -> None:
        """Report the progress of a batch; collect it, or submit it again, when it has ended."""
        reply = await self._find(batch, client)
        if reply is None:
            return
        if reply.progress != batch.progress:
            batch.progress = reply.progress
            self.say(f"{batch.name}: {reply.progress}")
        if reply.status == "failed":  # no request ran
            self._journal.abandon(batch)
            self._fail(batch, batch.calls, client.refusal(reply))
        elif reply.status in ENDED:
            await self._collect(batch, reply, client)

    async def _find(self, batch: Batch, client: BatchClient) -> ServiceReply | None:
        """A batch as it is at the service, searched for by its key when its id was not noted.

        None: it is not listed. It is new again once it would certainly be listed, some time after
        its step was noted.
        """
        if batch.step != "submitted":
            listed = await client.find(batch.key)
            if listed is None:
                if abs(self.clock() - batch.noted_at) >= LISTED_AFTER_S:  # a clock may be set back
                    self._journal.abandon(batch)
                return None
            self._journal.note(batch, "submitted", batch_id=listed)
        return await client.state(batch.batch_id or "")

    async def _collect(self, batch: Batch, reply: ServiceReply, client: BatchClient) -> None:
        """Keep the answers of an ended batch, then settle its calls: one without a line failed as
        the batch did.

        Files that lack lines are read again, as they may have been cut; those that still lack them
        are the result of the batch, whatever it counts.
        """
        faults: dict[str, Fault] = {}
        for read in range(MOST_READS):
            if read:
                await self.sleep(self.settings.batch_poll_s)
            for file_id in filter(None, (reply.output_file_id, reply.error_file_id)):
                lines, is_cut = await client.lines(file_id)
                faults |= await self._keep_answers(batch, lines)
                if is_cut:
                    problem = f"the file {file_id} was cut, or is a different one"
                    raise CallFailed(unusable_body(CUT_FILE, problem))
            if batch.calls.keys() <= faults.keys():
                break
        for key in batch.calls.keys() & faults.keys():
            await self.intake.take_fault(batch.calls[key], faults[key])
        self._journal.settle(batch, batch.calls)
        end = f"{batch.name} has ended ({reply.status}) without an answer to this request"
        ended: JsonObject = {"code": f"batch_{reply.status}", "message": end}
        missing = fault_of_error(200, ended, {})
        for key in list(batch.calls):
            self._fail(batch, [key], faults.get(key, missing))

    async def _keep_answers(self, batch: Batch, lines: Sequence[BatchLine]) -> dict[str, Fault]:
        """Keep the answers in these lines, where the first to a call counts, and settle their
        calls; why other lines have none.
        """
        created_at = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(self.clock()))
        answers: dict[str, Answer] = {}
        faults: dict[str, Fault] = {}
        for key, reply in lines:
            if isinstance(reply, Fault):
                faults[key] = reply
            elif key in batch.calls and key not in answers:
                received = Reply(body=reply, latency_ms=None, created_at=created_at)
                try:
                    answers[key] = answer_in(received, batch.calls[key], in_batch=True)
                except CallFailed as failed:
                    faults[key] = failed.fault
        # At once, so that they are stored with one commit.
        keeping = [self.intake.take(batch.calls.pop(key), answers[key]) for key in answers]
        self._further += filter(None, await asyncio.gather(*keeping))
        self._journal.settle(batch, answers)
        return faults

    def _fail(self, batch: Batch, keys: Iterable[str], fault: Fault) -> None:
        """Give up these calls of a batch."""
        for key in list(keys):
            call = batch.calls.pop(key)
            self.intake.budget.book(call, 0.0)
            self.intake.give_up(call, fault)


async def cancel_all(folder: Path, variables: Variables, say: Callable[[str], None]) -> int:
    """Ask for the end of every open batch; the next run collects what they had finished. Returns
    how many could not be asked.
    """
    batches = [batch for batch in open_batches(folder) if batch.batch_id is not None]
    say(counted(len(batches), "open batch", "open batches"))
    refused = 0
    for batch in batches:
        client = BatchClient(batch.endpoint, variables)
        try:
            result = (await client.cancel(batch.batch_id or "")).status
        except CallFailed as failure:
            refused += 1
            result = f"could not be cancelled: {failure.fault.message}"
        finally:
            await client.close()
        say(f"{batch.name}: {result}")
    return refused
