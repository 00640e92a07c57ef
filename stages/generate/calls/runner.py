"""Answers for many calls: each is sent as soon as the limits allow it, stored, and retried."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

from stages.generate.answers.answer import Answer, read_content
from stages.generate.calls.budget import Budget
from stages.generate.calls.faults import (
    Caller,
    CallFailed,
    Fault,
    fault_of_answer,
    no_answer_in_time,
)
from stages.generate.calls.limiter import Permit
from stages.generate.calls.progress import CallEvent
from stages.generate.calls.queue import CallQueue, Job
from stages.generate.plan.call import Call
from stages.shared.records.params import RuntimeParams

FIRST_WAIT_S = 0.5
"""The bound of the first wait; it doubles with every further attempt."""
LIMITED_HINT = (
    "raise it, set runtime.requests_per_minute or tokens_per_minute to what the account allows, "
    "or run again later"
)
DOWN_AFTER = 32
"""A model is taken to be down when so many of its cells in a row were given up."""

Store = Callable[[Call, Answer, float | None], Awaitable[Call | None]]
"""Makes an answer, with its cost in US dollars, durable; returns the cell's next draw when one more
is wanted, else None.
"""


@dataclass(kw_only=True)
class CallRunner:
    """Makes calls, further draws included, and stores their answers.

    `draw` is uniform in [0, 1), for the jitter of waits.
    """

    call: Caller
    store: Store
    settings: RuntimeParams
    budget: Budget
    draw: Callable[[], float]
    observe: Callable[[CallEvent], None] = lambda _event: None

    async def run(self, calls: Sequence[Call]) -> dict[str, Fault]:
        """Make all calls; why some have no answer, by fingerprint, in order.

        When it is cancelled, calls in flight are cut off, and answers that have arrived are stored.
        When `store` fails nothing more is sent, calls in flight are waited for and their answers
        are stored as far as that is possible, and the first error is raised.
        """
        self._failures: dict[str, Fault] = {}
        self._queue = CallQueue(calls, self.settings)
        self._in_flight = 0
        self._changed = asyncio.Event()
        self._error: Exception | None = None
        try:
            async with asyncio.TaskGroup() as tasks:
                await self._send_all(tasks)
        except BaseExceptionGroup as errors:
            raise errors.exceptions[0] from None
        if self._error is not None:
            raise self._error
        return dict(sorted(self._failures.items()))

    async def _send_all(self, tasks: asyncio.TaskGroup) -> None:
        while self._queue.left and self._error is None:
            now = now_s()
            full = self._in_flight >= self.settings.max_concurrency
            job = None if full else self._queue.next_job(now)
            delay_s = job.delay_s(now) if job else None
            if job is None or delay_s:
                await self._wait_for_change(delay_s)
                continue
            if fault := self._reason_not_to_send(job):
                self._queue.remove(job)
                self._give_up(job, fault)
            elif self.budget.when_affordable(job.call) == "later":
                await self._wait_for_change(None)
            else:
                self._send(job, now, tasks)
                # Calls that begin together end together, and nothing is in flight in between.
                await asyncio.sleep(0)

    def _send(self, job: Job, now: float, tasks: asyncio.TaskGroup) -> None:
        self.budget.reserve(job.call)
        self._queue.begin(job, now)
        self._in_flight += 1
        permit = job.group.account.limiter.send(job.call, now)
        tasks.create_task(self._attempt(job, permit))

    async def _wait_for_change(self, wait_s: float | None) -> None:
        """Wait until a call ends, `wait_s` seconds at most."""
        self._changed.clear()
        with suppress(TimeoutError):
            async with asyncio.timeout(wait_s):
                await self._changed.wait()

    def _reason_not_to_send(self, job: Job) -> Fault | None:
        """Why a call whose turn it is will never be sent."""
        stopped, fault = job.group.stopped, job.fault
        if stopped is not None:
            action = "given up" if job.attempts else "not called"
            return replace(stopped, message=f"{action}, because {stopped.message}")
        elapsed_s = job.elapsed_s(now_s())
        if fault is not None and elapsed_s >= self.settings.cell_timeout_s:
            return replace(fault, message=f"{fault.message}; {out_of_time(fault, elapsed_s)}")
        if self.budget.when_affordable(job.call) == "never":
            return self.budget.refusal(job.call)
        return None

    async def _attempt(self, job: Job, permit: Permit) -> None:
        try:
            answer, cost_usd = await self._answer(job, permit)
            following = await self._store(job.call, answer, cost_usd)
        except CallFailed as failed:
            fault = self._explain_deadline(job, permit, failed.fault)
            self._retry_or_give_up(job, fault)
        except Exception as error:  # noqa: BLE001 - raised when no call is in flight any more
            self._error = self._error or error
        else:
            self.observe(CallEvent(kind="answered", call=job.call, cost_usd=cost_usd))
            job.group.given_up = 0
            self._queue.finish(job)
            if following is not None:
                self.observe(CallEvent(kind="further", call=following))
                self._queue.add(following, job.group)
        finally:
            # Not before the answer is stored: a kill costs no more calls than may be in flight.
            self._in_flight -= 1
            self._changed.set()

    async def _answer(self, job: Job, permit: Permit) -> tuple[Answer, float | None]:
        """The answer of one call and its cost, booked; `CallFailed` when there is none."""
        call, limiter = job.call, job.group.account.limiter
        cost_usd: float | None = None
        try:
            timeout_s = min(self._time_left_s(job, permit), call.timeout_s)
            reply = await self.call(replace(call, timeout_s=timeout_s))
            content = read_content(reply.body)
            if fault := fault_of_answer(content, call.endpoint.api):
                raise CallFailed(replace(fault, limits=reply.limits))
            limiter.record_answer(permit, reply.limits, content.total_tokens)
            tier = content.service_tier or call.settings.get("service_tier")
            answer = Answer(
                fingerprint=call.fingerprint,
                model=call.model,
                request=call.canonical,
                content=content,
                # Flex calls wait in a queue, which is no latency of the model.
                latency_ms=None if tier == "flex" else reply.latency_ms,
                attempts=job.attempts,
                created_at=reply.created_at,
                endpoint=reply.endpoint,
            )
            cost_usd = call.prices.cost(answer).usd
            return answer, cost_usd
        except CallFailed as failed:
            fault = failed.fault
            cost_usd = None if fault.may_be_billed else 0.0
            hold_s = limiter.record_fault(permit, fault, now_s())
            if hold_s:
                self.observe(
                    CallEvent(kind="held", call=call, wait_s=hold_s, message=fault.message)
                )
            raise
        finally:
            self.budget.book(call, cost_usd)
            job.group.warm = True

    async def _store(self, call: Call, answer: Answer, cost_usd: float | None) -> Call | None:
        """Store an answer, even when the run is cancelled."""
        storing = asyncio.ensure_future(self.store(call, answer, cost_usd))
        try:
            return await asyncio.shield(storing)
        except asyncio.CancelledError:
            await storing
            raise

    def _time_left_s(self, job: Job, permit: Permit) -> float:
        return job.began_at + self.settings.cell_timeout_s - permit.sent_at

    def _explain_deadline(self, job: Job, permit: Permit, fault: Fault) -> Fault:
        """The fault; when the time of the cell ended the call, what took that time."""
        left_s = self._time_left_s(job, permit)
        if fault.code != "deadline" or left_s >= job.call.timeout_s:
            return fault
        if job.fault is not None and job.fault.status == "rate_limited":
            return job.fault
        return no_answer_in_time(left_s, "runtime.cell_timeout_s")

    def _retry_or_give_up(self, job: Job, fault: Fault) -> None:
        """Queue a call again, or give it up together with whatever cannot succeed either."""
        now, group = now_s(), job.group
        job.fault = fault
        if fault.status != "rate_limited":
            job.counted += 1
        wait_s = retry_wait_s(fault, job.counted, self.draw(), most_s=self.settings.max_wait_s)
        reason = self._reason_to_give_up(job, fault, job.elapsed_s(now), wait_s)
        if reason is None:
            self.observe(CallEvent(kind="retrying", call=job.call))
            self._queue.retry(job, now + wait_s)
            return
        if fault.scope == "call":
            fault = replace(fault, message=f"{fault.message}; {reason}")
            group.given_up += 1
        self._give_up(job, fault)
        if fault.scope == "key":
            message = f"a call with the same key failed: {fault.message}"
            for other in group.account.groups.values():
                other.stopped = replace(fault, message=message)
        elif fault.scope == "model" or group.given_up >= DOWN_AFTER:
            message = f"this model's last calls failed: {fault.message}"
            group.stopped = replace(fault, message=message)

    def _reason_to_give_up(
        self, job: Job, fault: Fault, elapsed_s: float, wait_s: float
    ) -> str | None:
        """Why a call is not tried again; None when it is, after `wait_s`.

        Refusals by a rate limit are not counted: only `cell_timeout_s` bounds those. `elapsed_s` is
        counted from the first try.
        """
        if fault.scope != "call":
            return "trying again cannot help"
        if fault.status != "rate_limited" and job.counted >= self.settings.max_attempts:
            return f"given up after {job.counted} attempts (runtime.max_attempts)"
        if elapsed_s + wait_s < self.settings.cell_timeout_s:
            return None
        return out_of_time(fault, elapsed_s)

    def _give_up(self, job: Job, fault: Fault) -> None:
        self._failures[job.call.fingerprint] = replace(fault, attempts=job.attempts)
        self._queue.finish(job)
        self.observe(CallEvent(kind="failed", call=job.call))


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
