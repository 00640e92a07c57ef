"""Answers for many calls: each is sent as soon as the limits allow it, stored, and tried again when it failed."""

import asyncio
from collections import defaultdict
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from stages.contracts.params import RuntimeParams
from stages.generate.answers.api_answer import PaidAnswer, read_answer
from stages.generate.calls.budget import Budget
from stages.generate.calls.faults import (
    Caller,
    CallFailed,
    Fault,
    fault_of_answer,
    no_answer_in_time,
)
from stages.generate.calls.lanes import Group, Job, Lane, now_s
from stages.generate.calls.limiter import Permit
from stages.generate.calls.progress import CallEvent
from stages.generate.calls.retry import out_of_time, verdict
from stages.generate.plan.call import Call

DOWN_AFTER = 32
"""So many cells of a model given up in a row, none answered between them: the model is taken to be down."""

Store = Callable[[Call, PaidAnswer], Awaitable[Call | None]]
"""Makes an answer durable; returns the cell's next draw when one more is wanted, else None."""


@dataclass(kw_only=True)
class CallRunner:
    """Makes calls, further draws included, and stores their answers; `draw` is uniform in [0, 1), for the jitter of waits."""

    call: Caller
    store: Store
    settings: RuntimeParams
    budget: Budget
    draw: Callable[[], float]
    observe: Callable[[CallEvent], None] = lambda _event: None

    async def run(self, calls: Sequence[Call]) -> dict[str, Fault]:
        """Make all calls; why some have no answer, by fingerprint, in order.

        When it is cancelled or `store` fails, calls in flight are cut off, and answers that have arrived are stored.
        """
        self._failures: dict[str, Fault] = {}
        self._slots = asyncio.Semaphore(self.settings.max_concurrency)
        lanes: defaultdict[object, Lane] = defaultdict(lambda: Lane(self.settings))
        for one in calls:
            to = one.endpoint
            lanes[to.provider, to.url, to.key_env, to.headers_env, to.service].add(one)
        try:
            async with asyncio.TaskGroup() as tasks:
                for lane in lanes.values():
                    tasks.create_task(self._send(lane, tasks))
        except BaseExceptionGroup as errors:
            raise errors.exceptions[0] from None
        return dict(sorted(self._failures.items()))

    async def _send(self, lane: Lane, tasks: asyncio.TaskGroup) -> None:
        while lane.left:
            await self._slots.acquire()
            job = lane.next_job()
            if isinstance(job, float):
                self._slots.release()
                if lane.left:
                    await lane.wait(job)
                continue
            granted = self._out_of_time(job) or self.budget.reserve(job.call)
            if granted == "reserved":
                lane.begun += not job.made
                job.group.sent += 1
                tasks.create_task(self._attempt(job, lane.limiter.sent(job.call, now_s())))
                await asyncio.sleep(
                    0
                )  # calls that begin together end together, and nothing is in flight in between
                continue
            self._slots.release()
            if granted == "later":
                job.group.queue.appendleft(job)
                await self.budget.change()
            else:
                self._give_up(job, granted)

    def _out_of_time(self, job: Job) -> Fault | None:
        """The last fault, when the cell's time ended while it waited for its turn."""
        if job.last is None or job.elapsed_s < self.settings.cell_timeout_s:
            return None
        return replace(
            job.last, message=f"{job.last.message}; {out_of_time(job.last, job.elapsed_s)}"
        )

    async def _attempt(self, job: Job, permit: Permit) -> None:
        group = job.group
        try:
            answer, cost_usd = await self._answer(job, permit)
            following = await self._keep(job.call, answer)
        except CallFailed as failed:
            fault = failed.fault
        else:
            group.given_up = 0
            group.lane.begun -= 1
            self.observe(CallEvent(kind="answered", call=job.call, cost_usd=cost_usd))
            if following is None:
                group.lane.left -= 1
            else:
                self.observe(CallEvent(kind="further", call=following))
                self._queue(Job(group, following))
            return
        finally:
            self._slots.release()  # not before the answer is stored, so that a kill costs no more calls than there are slots
            group.lane.changed()
        await self._try_again(job, fault)

    async def _answer(self, job: Job, permit: Permit) -> tuple[PaidAnswer, float | None]:
        call, limiter = job.call, job.group.lane.limiter
        job.made += 1
        job.began_at = min(job.began_at, permit.sent_at)
        left_s = job.began_at + self.settings.cell_timeout_s - permit.sent_at
        cost_usd: float | None = None
        try:
            reply = await self.call(replace(call, timeout_s=min(left_s, call.timeout_s)))
            content = read_answer(reply.body)
            if fault := fault_of_answer(content, call.endpoint.api):
                raise CallFailed(replace(fault, limits=reply.limits))
            answer = PaidAnswer(
                fingerprint=call.fingerprint,
                model=call.model,
                request=call.canonical,
                content=content,
                latency_ms=reply.latency_ms,
                attempts=job.made,
                arrived_at=reply.arrived_at,
                endpoint=reply.endpoint,
            )
            limiter.answered(permit, call, reply.limits, content.total_tokens)
            cost_usd = call.prices.cost(answer).usd
            return answer, cost_usd
        except CallFailed as failed:
            fault = failed.fault
            cost_usd = None if fault.may_be_billed else 0.0
            held_s = limiter.failed(permit, fault, now_s(), self.draw())
            if held_s is not None:
                self.observe(
                    CallEvent(kind="held", call=call, wait_s=held_s, message=fault.message)
                )
            if fault.code == "deadline" and left_s < call.timeout_s:
                limited = job.last if job.last and job.last.status == "rate_limited" else None
                raise CallFailed(
                    limited or no_answer_in_time(left_s, "runtime.cell_timeout_s")
                ) from None
            raise
        finally:
            self.budget.book(call, cost_usd)
            job.group.warm = True

    async def _try_again(self, job: Job, fault: Fault) -> None:
        """Queue a call again after a wait, or give it up together with whatever cannot succeed either."""
        group, limited = job.group, fault.status == "rate_limited"
        job.last = fault
        job.counted += not limited
        decision = verdict(
            fault,
            attempt=job.counted,
            elapsed_s=job.elapsed_s,
            draw=self.draw(),
            settings=self.settings,
        )
        if not isinstance(decision, str):
            self.observe(CallEvent(kind="retrying", call=job.call))
            until = now_s() + (
                0.0 if limited else decision
            )  # the limiter holds a limited call as long as the others
            while group.stopped is None and (left_s := until - now_s()) > 0:
                await group.lane.wait(left_s)
            self._queue(job)
            return
        reason = f"; {decision}" if fault.scope == "call" else ""
        self._give_up(job, replace(fault, message=fault.message + reason))
        group.given_up += fault.scope == "call"
        if fault.scope == "key":
            self._stop(group.lane.groups.values(), fault, "a call with the same key failed")
        elif fault.scope == "model" or group.given_up >= DOWN_AFTER:
            self._stop([group], fault, "this model's last calls failed")

    async def _keep(self, call: Call, answer: PaidAnswer) -> Call | None:
        """Store an answer, even when the run is cancelled."""
        storing = asyncio.ensure_future(self.store(call, answer))
        try:
            return await asyncio.shield(storing)
        except asyncio.CancelledError:
            await storing
            raise

    def _stop(self, groups: Iterable[Group], fault: Fault, why: str) -> None:
        for group in groups:
            group.stopped = replace(fault, message=f"{why}: {fault.message}")
            while group.queue:
                self._queue(group.queue.popleft())

    def _queue(self, job: Job) -> None:
        """Queue a call before the others of its group; one of a stopped group is given up."""
        if (stopped := job.group.stopped) is None:
            job.group.queue.appendleft(job)
            job.group.lane.changed()
        else:
            action = "given up" if job.made else "not called"
            self._give_up(job, replace(stopped, message=f"{action}, because {stopped.message}"))

    def _give_up(self, job: Job, fault: Fault) -> None:
        lane = job.group.lane
        self._failures[job.call.fingerprint] = replace(fault, attempts=job.made)
        lane.left -= 1
        lane.begun -= job.made > 0
        lane.changed()
        self.observe(CallEvent(kind="failed", call=job.call))
