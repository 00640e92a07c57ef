"""Answers for many calls: workers that take cells from a queue, wait for the rate limit, call, store, and go on."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field, replace

from stages.contracts.params import RuntimeParams
from stages.generate.answers.api_answer import PaidAnswer, read_answer
from stages.generate.calls.budget import Budget
from stages.generate.calls.faults import (
    Caller,
    CallFailed,
    CallFailure,
    Fault,
    Reply,
    cell_out_of_time,
    fault_of_answer,
)
from stages.generate.calls.groups import Group, groups_of, now_s
from stages.generate.calls.limiter import Permit
from stages.generate.calls.progress import CallEvent
from stages.generate.calls.retry import GiveUp, out_of_time, verdict
from stages.generate.plan.cells import Call, PlannedCell

WORKERS_PER_SLOT = 2
"""Workers of a model per call in flight: while some wait for a retry, others call."""
DOWN_AFTER = 32
"""So many cells of a model given up in a row, none answered between them: the model is taken to be down."""

Store = Callable[[Call, PaidAnswer], Awaitable[Call | None]]
"""Makes an answer durable; returns the cell's next draw when one more is wanted, else None."""
Price = Callable[[PlannedCell, PaidAnswer], float | None]
"""What an answer cost in US dollars; None when the price or the usage is not known."""


async def run_calls(
    calls: Sequence[Call],
    *,
    call: Caller,
    store: Store,
    price: Price,
    settings: RuntimeParams,
    budget: Budget,
    draw: Callable[[], float],
    observe: Callable[[CallEvent], None] = lambda _event: None,
) -> dict[str, CallFailure]:
    """Make all calls, further draws included, and store their answers; the failures by fingerprint, in order.

    When cancelled, calls in flight are cut off, answers that have arrived are stored, then `CancelledError` goes on. `draw` is
    uniform in [0, 1), for the jitter of waits.

    Raises:
        OSError, LedgerError: `store` raised it; nothing more was called, and the answers that had arrived were stored.
    """
    run = _Workers(call, store, price, settings, budget, observe, draw)
    try:
        async with asyncio.TaskGroup() as tasks:
            for group in groups_of(calls, settings):
                count = min(len(group.calls), WORKERS_PER_SLOT * settings.max_concurrency)
                for number in range(count):
                    tasks.create_task(run.work(group, first=number == 0))
    except BaseExceptionGroup as errors:
        raise errors.exceptions[0] from None
    return dict(sorted(run.failures.items()))


@dataclass(slots=True)
class _Job:
    """A call until it has an answer or is given up: `made` attempts, `counted` those that a rate limit did not refuse."""

    group: Group
    call: Call
    made: int = 0
    counted: int = 0
    began_at: float | None = None
    last: Fault | None = None

    @property
    def elapsed_s(self) -> float:
        """Seconds since the first attempt was sent."""
        return 0.0 if self.began_at is None else now_s() - self.began_at


@dataclass(slots=True)
class _Workers:
    call: Caller
    store: Store
    price: Price
    settings: RuntimeParams
    budget: Budget
    observe: Callable[[CallEvent], None]
    draw: Callable[[], float]
    failures: dict[str, CallFailure] = field(default_factory=dict)
    slots: asyncio.Semaphore = field(init=False)

    def __post_init__(self) -> None:
        self.slots = asyncio.Semaphore(self.settings.max_concurrency)

    async def work(self, group: Group, *, first: bool) -> None:
        """Take calls of the group until there are none; the first worker warms the prompt cache for the others."""
        if not first:
            await group.warm.wait()
        while group.calls:
            following: Call | None = group.calls.popleft()
            while following is not None:
                following = await self._fetch(_Job(group, following))

    async def _fetch(self, job: _Job) -> Call | None:
        """Make a call until it has an answer or is given up; the next draw, if one is wanted."""
        while (permit := await self._turn(job)) is not None:
            try:
                answer, cost_usd = await self._attempt(job, permit)
                following = await self._keep(job.call, answer)
            except CallFailed as failed:
                fault = failed.fault
            else:
                job.group.given_up = 0
                self.observe(CallEvent(kind="answered", call=job.call, cost_usd=cost_usd))
                if following is not None:
                    self.observe(CallEvent(kind="further", call=following))
                return following
            finally:
                self.slots.release()  # not before the answer is stored, so that a kill costs no more calls than there are slots
            if not await self._try_again(job, fault):
                return None
        return None

    async def _turn(self, job: _Job) -> Permit | None:
        """Wait until the call may be sent: the limits of its model, of its key, a free slot, the budget. None: it is given up.

        At each of these stages one call waits in front of all others, so that models take turns, and so do keys.
        """
        group, lane, limiter = job.group, job.group.lane, job.group.lane.limiter
        async with lane.turns_of_models[job.call.model]:
            while group.stopped is None and (wait_s := limiter.model_delay(job.call, now_s())) > 0:
                await lane.wait(wait_s)
            async with lane.turn:
                while group.stopped is None:
                    if (wait_s := limiter.delay(now_s())) > 0:
                        await lane.wait(wait_s)
                        continue
                    await self.slots.acquire()
                    if group.stopped is not None or limiter.delay(now_s()) > 0:
                        self.slots.release()
                        continue
                    granted = self._out_of_time(job) or self.budget.reserve(job.call)
                    if granted == "reserved":
                        return limiter.sent(job.call, now_s())
                    self.slots.release()
                    if granted != "later":
                        self._give_up(job, granted)
                        return None
                    await self.budget.change()
        action = "given up" if job.made else "not called"
        self._give_up(job, replace(group.stopped, message=f"{action}, because {group.stopped.message}"))
        return None

    def _out_of_time(self, job: _Job) -> Fault | None:
        """The last fault, when the cell's time ended while it waited for its turn."""
        if job.last is None or job.elapsed_s < self.settings.cell_timeout_s:
            return None
        reason = out_of_time(job.last, elapsed_s=job.elapsed_s)
        return replace(job.last, message=f"{job.last.message}; {reason}")

    async def _attempt(self, job: _Job, permit: Permit) -> tuple[PaidAnswer, float | None]:
        """Make a call once; its answer and what it cost."""
        call, limiter, cell_s = job.call, job.group.lane.limiter, self.settings.cell_timeout_s
        job.made += 1
        job.began_at = permit.sent_at if job.began_at is None else job.began_at
        left_s = job.began_at + cell_s - permit.sent_at
        cost_usd: float | None = None
        try:
            reply = await self.call(replace(call, timeout_s=left_s) if left_s < call.timeout_s else call)
            answer = _paid(call, reply, job.made)
            limiter.answered(permit, call, reply.limits, answer.content.total_tokens)
            cost_usd = self.price(call.planned, answer)
            return answer, cost_usd
        except CallFailed as failed:
            fault = failed.fault
            cost_usd = None if fault.may_be_billed else 0.0
            held_s = limiter.failed(permit, fault, now_s(), self.draw())
            if held_s is not None:
                self.observe(CallEvent(kind="held", call=call, wait_s=held_s, message=fault.message))
            if fault.code == "deadline" and left_s < call.timeout_s:
                raise CallFailed(cell_out_of_time(job.last, left_s=left_s, cell_timeout_s=cell_s)) from None
            raise
        finally:
            self.budget.book(call, cost_usd)
            job.group.warm.set()
            job.group.lane.changed()

    async def _try_again(self, job: _Job, fault: Fault) -> bool:
        """True after the wait for another try; False when the call, and whatever cannot succeed either, is given up."""
        group, limited = job.group, fault.status == "rate_limited"
        job.last = fault
        job.counted += not limited
        decision = verdict(
            fault, attempt=job.counted, elapsed_s=job.elapsed_s, draw=self.draw(), settings=self.settings
        )
        if not isinstance(decision, GiveUp):
            self.observe(CallEvent(kind="retrying", call=job.call))
            if not limited:  # the limiter holds it as long as the others
                await group.back_off(decision.wait_s)
            return True
        reason = f"; {decision.reason}" if fault.scope == "call" else ""
        self._give_up(job, replace(fault, message=f"{fault.message}{reason}"))
        group.given_up += fault.scope == "call"
        if fault.scope == "key":
            group.lane.stopped = replace(fault, message=f"a call with the same key failed: {fault.message}")
        elif fault.scope == "model" or group.given_up >= DOWN_AFTER:
            group.down = replace(fault, message=f"this model's last calls failed: {fault.message}")
        group.lane.changed()
        return False

    async def _keep(self, call: Call, answer: PaidAnswer) -> Call | None:
        """Store an answer, even when this worker is cancelled."""
        storing = asyncio.ensure_future(self.store(call, answer))
        try:
            return await asyncio.shield(storing)
        except asyncio.CancelledError:
            await storing
            raise

    def _give_up(self, job: _Job, fault: Fault) -> None:
        self.failures[job.call.fingerprint] = CallFailure(
            fingerprint=job.call.fingerprint,
            status=fault.status,
            code=fault.code,
            message=fault.message,
            attempts=job.made,
        )
        job.group.warm.set()
        self.observe(CallEvent(kind="failed", call=job.call))


def _paid(call: Call, reply: Reply, attempts: int) -> PaidAnswer:
    content = read_answer(reply.body)
    fault = fault_of_answer(content, call.endpoint.api)
    if fault is not None:
        raise CallFailed(replace(fault, limits=reply.limits))
    return PaidAnswer(
        fingerprint=call.fingerprint,
        model=call.model,
        request=call.canonical,
        content=content,
        latency_ms=reply.latency_ms,
        attempts=attempts,
        arrived_at=reply.arrived_at,
        endpoint=reply.endpoint,
    )
