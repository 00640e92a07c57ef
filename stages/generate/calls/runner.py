"""Answers for many calls: each is sent as soon as the limits allow it, stored, and retried."""

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace

from stages.generate.answers.answer import read_answer
from stages.generate.calls.budget import Budget
from stages.generate.calls.faults import (
    Caller,
    CallFailed,
    Fault,
    Reply,
    answered_body,
)
from stages.generate.calls.limiter import Permit
from stages.generate.calls.progress import CallEvent
from stages.generate.calls.queue import CallQueue, Job
from stages.generate.plan.call import Call
from stages.generate.plan.endpoint import Endpoint
from stages.shared.records.params import RuntimeParams
from stages.shared.records.response import Answer

FIRST_WAIT_S = 0.5
"""The bound of the first wait; it doubles with every further attempt."""
LIMITED_HINT = (
    "raise it, set runtime.requests_per_minute or tokens_per_minute to what the account allows, "
    "or run again later"
)
DOWN_AFTER = 32
"""A model is taken to be down when so many of its cells in a row were given up."""


@dataclass(kw_only=True)
class Work(ABC):
    """What answers are fetched for; `failures` say why calls have none, by fingerprint, and
    `paid_usd` is the cost of each answer, None where it is not known.
    """

    budget: Budget
    observe: Callable[[CallEvent], None] = lambda _event: None
    failures: dict[str, Fault] = field(default_factory=dict)
    paid_usd: dict[str, float | None] = field(default_factory=dict)

    @abstractmethod
    async def keep(self, call: Call, answer: Answer, cost_usd: float | None) -> None:
        """Make an answer durable."""

    @abstractmethod
    def following(self, call: Call, answer: Answer) -> Call | None:
        """The call that is needed after a kept answer; None where none is."""

    async def take(self, call: Call, answer: Answer) -> Call | None:
        """Book and keep an answer; the call that is needed after it."""
        cost_usd = call.prices.cost(answer).usd
        self.budget.book(call, cost_usd)
        await self.keep(call, answer, cost_usd)
        self.paid_usd[call.fingerprint] = cost_usd
        self.observe(CallEvent(kind="answered", call=call, cost_usd=cost_usd))
        following = self.following(call, answer)
        if following is not None:
            self.observe(CallEvent(kind="further", call=following))
        return following

    def give_up(self, call: Call, fault: Fault) -> None:
        """Count a call that has no answer."""
        self.failures[call.fingerprint] = fault
        self.observe(CallEvent(kind="failed", call=call))


@dataclass(kw_only=True)
class CallRunner:
    """Makes calls, and those that their answers lead to; `draw` is uniform in [0, 1), for the
    jitter of waits.
    """

    callers: Mapping[Endpoint, Caller]
    work: Work
    settings: RuntimeParams
    draw: Callable[[], float]

    async def run(self, calls: Sequence[Call]) -> None:
        """Make all calls.

        When it is cancelled, calls in flight are cut off. When an answer cannot be kept nothing
        more is sent, calls in flight are waited for and their answers are kept as far as that is
        possible, and the first error is raised.
        """
        self._queue = CallQueue(calls, self.settings)
        self._in_flight = 0
        self._changed = asyncio.Event()
        self._error: Exception | None = None
        try:
            async with asyncio.TaskGroup() as tasks:
                while self._queue.left and self._error is None:
                    await self._send_next(tasks)
        except BaseExceptionGroup as errors:
            raise errors.exceptions[0] from None
        if self._error is not None:
            raise self._error

    async def _send_next(self, tasks: asyncio.TaskGroup) -> None:
        """Send the call whose turn it is, give it up, or wait until something changes."""
        now = now_s()
        is_full = self._in_flight >= self.settings.max_concurrency
        delay_s, job = (None, None) if is_full else self._queue.next_job(now)
        if job is None or delay_s:
            await self._wait_for_change(delay_s)
        elif fault := self._reason_not_to_send(job, now):
            self._queue.remove(job)
            self._give_up(job, fault)
        elif self.work.budget.when_affordable(job.call) == "later":
            await self._wait_for_change(None)
        else:
            self.work.budget.reserve(job.call)
            self._queue.begin(job, now)
            self._in_flight += 1
            tasks.create_task(self._attempt(job, job.group.limiter.send(job.call, now)))
            # Calls that begin together end together, and nothing is in flight in between.
            await asyncio.sleep(0)

    async def _wait_for_change(self, wait_s: float | None) -> None:
        """Wait until a call ends, `wait_s` seconds at most."""
        self._changed.clear()
        with suppress(TimeoutError):
            async with asyncio.timeout(wait_s):
                await self._changed.wait()

    def _reason_not_to_send(self, job: Job, now: float) -> Fault | None:
        """Why a call whose turn it is will never be sent."""
        stopped, fault = job.group.stopped, job.fault
        if stopped is not None:
            action = "given up" if job.attempts else "not called"
            return replace(stopped, message=f"{action}, because {stopped.message}")
        elapsed_s = job.elapsed_s(now)
        if fault is not None and elapsed_s >= self.settings.cell_timeout_s:
            return replace(fault, message=f"{fault.message}; {out_of_time(fault, elapsed_s)}")
        if self.work.budget.when_affordable(job.call) == "never":
            return self.work.budget.refusal(job.call)
        return None

    async def _attempt(self, job: Job, permit: Permit) -> None:
        """Make one call, keep its answer, and queue the call that follows."""
        call, group = job.call, job.group
        left_s = job.began_at + self.settings.cell_timeout_s - permit.sent_at
        try:
            caller = self.callers[call.endpoint]
            reply = await caller(replace(call, timeout_s=min(left_s, call.timeout_s)))
            answer = _answer_in(reply, job)
            group.limiter.record_answer(permit, reply.limits, answer.usage.total_tokens)
            following = await self.work.take(call, answer)
            group.given_up = 0
            self._queue.finish(job)
            if following is not None:
                self._queue.add(following, group)
        except CallFailed as failed:
            self._record_fault(job, permit, failed.fault)
            self._retry_or_give_up(job, failed.fault)
        except Exception as error:  # noqa: BLE001 - raised when no call is in flight any more
            self._error = self._error or error
        finally:
            # Not before the answer is kept: a kill costs no more calls than may be in flight.
            group.warm = True
            self._in_flight -= 1
            self._changed.set()

    def _record_fault(self, job: Job, permit: Permit, fault: Fault) -> None:
        """Book a failed call, and hold others as the server asks."""
        call = job.call
        self.work.budget.book(call, None if fault.may_be_billed else 0.0)
        hold_s = job.group.limiter.record_fault(permit, fault, now_s())
        if hold_s:
            event = CallEvent(kind="held", call=call, wait_s=hold_s, message=fault.message)
            self.work.observe(event)

    def _retry_or_give_up(self, job: Job, fault: Fault) -> None:
        """Queue a call again, or give it up together with whatever cannot succeed either.

        Refusals by a rate limit are not counted: only `cell_timeout_s` bounds those.
        """
        now, group = now_s(), job.group
        job.fault = fault
        if fault.status != "rate_limited":
            job.counted += 1
        if fault.scope == "call":
            wait_s = retry_wait_s(fault, job.counted, self.draw(), most_s=self.settings.max_wait_s)
            reason = self._reason_to_give_up(job, fault, job.elapsed_s(now), wait_s)
            if reason is None:
                self.work.observe(CallEvent(kind="retrying", call=job.call))
                self._queue.retry(job, now + wait_s)
                return
            fault = replace(fault, message=f"{fault.message}; {reason}")
            group.given_up += 1
        self._give_up(job, fault)
        if fault.scope == "key":
            message = f"a call with the same key failed: {fault.message}"
            for other in self._queue.groups_of(group.limiter):
                other.stopped = replace(fault, message=message)
        elif fault.scope == "model" or group.given_up >= DOWN_AFTER:
            message = f"this model's last calls failed: {fault.message}"
            group.stopped = replace(fault, message=message)

    def _reason_to_give_up(
        self, job: Job, fault: Fault, elapsed_s: float, wait_s: float
    ) -> str | None:
        """Why a call is not tried again; None when it is, after `wait_s`."""
        if fault.status != "rate_limited" and job.counted >= self.settings.max_attempts:
            return f"given up after {job.counted} attempts (runtime.max_attempts)"
        if elapsed_s + wait_s < self.settings.cell_timeout_s:
            return None
        return out_of_time(fault, elapsed_s)

    def _give_up(self, job: Job, fault: Fault) -> None:
        self._queue.finish(job)
        self.work.give_up(job.call, replace(fault, attempts=job.attempts))


def _answer_in(reply: Reply, job: Job) -> Answer:
    """The answer in a reply; `CallFailed` when it is none."""
    call = job.call
    body = answered_body(reply.body, call.endpoint.api, reply.limits)
    tier = body.service_tier or call.settings.get("service_tier")
    return read_answer(
        body,
        fingerprint=call.fingerprint,
        most_output_tokens=call.most_output_tokens,
        schema=call.schema,
        # Flex calls wait in a queue, which is no latency of the model.
        latency_ms=None if tier == "flex" else reply.latency_ms,
        attempts=job.attempts,
        created_at=reply.created_at,
        endpoint=reply.endpoint,
    )


def now_s() -> float:
    """The monotonic clock of the running loop."""
    return asyncio.get_running_loop().time()


def retry_wait_s(fault: Fault, attempt: int, draw: float, *, most_s: float) -> float:
    """Seconds before another try: exponential back-off with full jitter, or what the server asks
    for, at most `most_s`; `draw` is uniform in [0, 1).

    Source: M. Brooker, "Exponential Backoff And Jitter", AWS Architecture Blog, 2015.
    """
    bound_s = min(FIRST_WAIT_S * 2.0 ** min(max(attempt, 1) - 1, 60), most_s)
    return min(max(draw * bound_s, fault.wait_s or 0.0), most_s)


def out_of_time(fault: Fault, elapsed_s: float) -> str:
    """Why a cell whose time is over is given up; `fault` is its last one."""
    hint = f": {LIMITED_HINT}" if fault.status == "rate_limited" else ""
    return f"given up after {elapsed_s:.0f} s (runtime.cell_timeout_s){hint}"
