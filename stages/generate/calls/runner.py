"""Answers for many calls: each is sent as soon as the limits allow it, stored, and retried."""

import asyncio
import math
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace

from stages.generate.answers.answer import read_answer
from stages.generate.calls.faults import (
    Caller,
    CallFailed,
    Fault,
    Reply,
    answered_body,
)
from stages.generate.calls.limiter import Limiter, Permit
from stages.generate.calls.work import Work
from stages.generate.plan.call import Call, Endpoint, address, estimated_tokens
from stages.shared.records.params import RuntimeParams
from stages.shared.records.response import Answer

FIRST_WAIT_S = 0.5
"""The bound of the first wait; it doubles with every further attempt."""
DOWN_AFTER = 32
"""A model is taken to be down when so many of its cells in a row were given up."""
BEGUN_PER_SLOT = 2
"""Calls of a key that are begun and not done, per call in flight: some wait for a retry."""
WARM_FROM_TOKENS = 1_024
"""Providers cache prompts of this length and more."""


@dataclass(slots=True, eq=False)
class Group:
    """The calls of one model config and prompt; those of one endpoint and key share a limiter.

    Until the provider has the prompt in its cache (`warm`), one is sent. `given_up` counts calls
    given up since the last answer; `stopped` says why no more are sent.
    """

    limiter: Limiter
    warm: bool
    sent: bool = False
    given_up: int = 0
    stopped: Fault | None = None
    first_tries: asyncio.Lock = field(default_factory=asyncio.Lock)
    retries: asyncio.Lock = field(default_factory=asyncio.Lock)
    """Held by the first try, and by the retry, that is sent next: the others wait in line."""


@dataclass(slots=True, eq=False)
class Job:
    """A call until it has an answer or is given up.

    `attempts` were made since `began_at`; a rate limit refused all but `counted` of them.
    """

    call: Call
    group: Group
    attempts: int = 0
    counted: int = 0
    began_at: float = math.inf
    ready_at: float = -math.inf
    fault: Fault | None = None


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
        """Make all calls, each in a task of its own.

        When it is cancelled, calls in flight are cut off. When an answer cannot be kept nothing
        more is sent, calls in flight are waited for and their answers are kept as far as that is
        possible, and the first error is raised.
        """
        self._limiters = defaultdict[object, Limiter](lambda: Limiter(self.settings))
        self._groups: dict[object, Group] = {}
        self._in_flight = 0
        self._changed = asyncio.Event()
        self._error: Exception | None = None
        async with asyncio.TaskGroup() as tasks:
            for call in calls:
                tasks.create_task(self._fetch(call))
        if self._error is not None:
            raise self._error

    async def _fetch(self, call: Call) -> None:
        """Get the answer to a call, and to each call that an answer leads to."""
        group = self._group_of(call)
        following: Call | None = call
        try:
            while following is not None:
                following = await self._answer(Job(following, group))
        except Exception as error:  # noqa: BLE001 - raised when no call is in flight any more
            self._error = self._error or error
            self._report_change()

    async def _answer(self, job: Job) -> Call | None:
        """Try a call until it has its answer or is given up; the call that the answer leads to."""
        try:
            while permit := await self._take_turn(job):
                try:
                    return await self._attempt(job, permit)
                except CallFailed as failed:
                    if not self._can_retry(job, failed.fault):
                        break
            return None
        finally:
            if job.attempts:
                job.group.limiter.begun -= 1
            self._report_change()

    async def _take_turn(self, job: Job) -> Permit | None:
        """Wait until a call may be sent, and begin it; None when it never will be."""
        group = job.group
        while (wait_s := job.ready_at - now_s()) > 0 and not (group.stopped or self._error):
            await self._wait(wait_s)
        async with group.retries if job.attempts else group.first_tries:
            while self._error is None:
                now = now_s()
                fault = self._reason_not_to_send(job, now)
                if fault is not None:
                    self._give_up(job, fault)
                    return None
                delay_s = self._delay_s(job, now)
                if delay_s == 0:
                    return self._begin(job, now)
                await self._wait(delay_s)
        return None

    async def _wait(self, wait_s: float | None) -> None:
        """Wait until something changes, `wait_s` seconds at most."""
        with suppress(TimeoutError):
            async with asyncio.timeout(wait_s):
                await self._changed.wait()

    def _report_change(self) -> None:
        """End the waits of all calls, each of which then looks whether it may be sent."""
        self._changed.set()
        self._changed.clear()

    def _reason_not_to_send(self, job: Job, now: float) -> Fault | None:
        """Why a call will never be sent."""
        if job.group.stopped is not None:
            return job.group.stopped
        reason = self._reason_to_give_up(job, now)
        if job.fault is not None and reason is not None:
            return replace(job.fault, message=f"{job.fault.message}; {reason}")
        if self.work.budget.when_affordable(job.call) == "never":
            return self.work.budget.refusal(job.call)
        return None

    def _delay_s(self, job: Job, now: float) -> float | None:
        """Seconds until a call may be sent; None when another one has to end before."""
        group, most_in_flight = job.group, self.settings.max_concurrency
        is_new = job.attempts == 0
        if (
            self._in_flight >= most_in_flight
            or (is_new and group.limiter.begun >= BEGUN_PER_SLOT * most_in_flight)
            or (group.sent and not group.warm)
            or self.work.budget.when_affordable(job.call) == "later"
        ):
            return None
        return group.limiter.delay_s(job.call, now)

    def _begin(self, job: Job, now: float) -> Permit:
        """Count a call that is sent now."""
        self.work.budget.reserve(job.call)
        self._in_flight += 1
        job.group.sent = True
        if job.attempts == 0:
            job.group.limiter.begun += 1
            job.began_at = now
        job.attempts += 1
        return job.group.limiter.send(job.call, now)

    async def _attempt(self, job: Job, permit: Permit) -> Call | None:
        """Make one call and keep its answer; the call that follows."""
        call, group = job.call, job.group
        left_s = job.began_at + self.settings.cell_timeout_s - permit.sent_at
        caller = self.callers[call.endpoint]
        try:
            reply = await caller(replace(call, timeout_s=min(left_s, call.timeout_s)))
            answer = _answer_in(reply, job)
            group.limiter.record_answer(permit, reply.limits)
            following = await self.work.take(call, answer)
            group.given_up = 0
            return following
        except CallFailed as failed:
            self.work.budget.book(call, None if failed.fault.may_be_billed else 0.0)
            group.limiter.record_fault(permit, failed.fault, now_s())
            raise
        finally:
            # Not before the answer is kept: a kill costs no more calls than may be in flight.
            group.warm = True
            self._in_flight -= 1
            self._report_change()

    def _can_retry(self, job: Job, fault: Fault) -> bool:
        """Whether a call is tried again; if not, it is given up together with whatever cannot
        succeed either.

        Refusals by a rate limit are not counted: only `cell_timeout_s` bounds those.
        """
        now, group = now_s(), job.group
        job.fault = fault
        job.counted += fault.status != "rate_limited"
        if fault.scope == "call":
            wait_s = retry_wait_s(fault, job.counted, self.draw(), most_s=self.settings.max_wait_s)
            job.ready_at = now + wait_s
            reason = self._reason_to_give_up(job, job.ready_at)
            if reason is None:
                self.work.observe("retrying", None)
                return True
            fault = replace(fault, message=f"{fault.message}; {reason}")
            group.given_up += 1
        self._give_up(job, fault)
        stops = "key" if fault.scope == "key" else "model"
        if stops == "key" or group.given_up >= DOWN_AFTER:
            message = f"given up, because a call of the same {stops} failed: {fault.message}"
            for other in self._groups.values():
                if other is group or (stops == "key" and other.limiter is group.limiter):
                    other.stopped = replace(fault, message=message)
        return False

    def _reason_to_give_up(self, job: Job, at: float) -> str | None:
        """Why a call is not tried again; None when it may be, at that time."""
        if job.counted >= self.settings.max_attempts:
            return f"given up after {job.counted} attempts (runtime.max_attempts)"
        if at - job.began_at >= self.settings.cell_timeout_s:
            limit_s = self.settings.cell_timeout_s
            return f"given up, as {limit_s:g} s would be over (runtime.cell_timeout_s)"
        return None

    def _give_up(self, job: Job, fault: Fault) -> None:
        self.work.give_up(job.call, replace(fault, attempts=job.attempts))

    def _group_of(self, call: Call) -> Group:
        account = call.endpoint.model_dump_json(exclude={"api", "api_version"})
        name = (account, call.cell.model_id, call.instructions_sha256)
        if name not in self._groups:
            is_short = estimated_tokens(call.instructions) < WARM_FROM_TOKENS
            warm = is_short or not self.settings.warm_prompt_cache
            self._groups[name] = Group(self._limiters[account], warm)
        return self._groups[name]


def _answer_in(reply: Reply, job: Job) -> Answer:
    """The answer in a reply; `CallFailed` when it is none."""
    call = job.call
    body = answered_body(reply.body)
    tier = body.service_tier or call.settings.get("service_tier")
    return read_answer(
        body,
        fingerprint=call.fingerprint,
        call=call,
        # Flex calls wait in a queue, which is no latency of the model.
        latency_ms=None if tier == "flex" else reply.latency_ms,
        attempts=job.attempts,
        created_at=reply.created_at,
        endpoint=address(call.endpoint),
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
