"""Answers for many calls: each is sent as soon as the limits allow it, stored, and retried."""

import asyncio
import math
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial

from graph_evaluator.generate.calls.booking import Intake
from graph_evaluator.generate.calls.limiter import Limiter, Used
from graph_evaluator.generate.calls.outcome import Caller, CallFailed, Fault, Scope, answer_in
from graph_evaluator.generate.plan.call import Call, Endpoint, estimated_tokens
from graph_evaluator.records.params import RuntimeParams
from graph_evaluator.shell.command import off_loop

FIRST_WAIT_S = 0.5
"""The bound of the first wait; it doubles with every further attempt."""
DOWN_AFTER = 32
"""A model counts as down when the weights of its given-up cells in a row reach this number."""
FAULT_WEIGHTS: Mapping[Scope, int] = {"call": 1, "once": 8, "cell": 0, "key": 0}
"""The weight of a given-up cell in that count, by the scope of its fault."""
MOST_PAID = 2
"""Tries of a call that bring a reply which cannot be used, or none in time."""
LOOK_AGAIN_S = 1.0
"""Time between two looks at what other processes have reserved, seconds."""
BEGUN_PER_SLOT = 2
"""Calls of a key that are begun and not done, per call in flight: some wait for a retry."""
WARM_FROM_TOKENS = 1_024
"""Providers cache prompts of this length and more."""
Readiness = float | Fault
"""Until when a call waits (infinite: until something changes), or why it is given up."""


@dataclass(eq=False)
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


@dataclass(eq=False)
class Job:
    """A call until it has an answer or is given up.

    `attempts` were made since `began_at`, the last one at `sent_at` and ending with `fault`; a rate
    limit refused all but `counted` of them. `used` is what the limiter counted up to the last one.
    Another try is made at `ready_at` at the earliest.
    """

    call: Call
    group: Group
    attempts: int = 0
    counted: int = 0
    paid: int = 0
    began_at: float = math.inf
    sent_at: float = math.inf
    used: Used = ()
    ready_at: float = -math.inf
    fault: Fault | None = None


@dataclass(kw_only=True)
class CallRunner:
    """Makes calls, at most `max_in_flight` at once, and those that their answers lead to; `jitter`
    draws from [0, 1), uniformly, for the waits before retries.
    """

    callers: Mapping[Endpoint, Caller]
    intake: Intake
    settings: RuntimeParams
    jitter: Callable[[], float]
    max_in_flight: int

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
        except Exception as error:  # noqa: BLE001 - raised once no call is in flight
            self._error = self._error or error
            self._report_change()

    async def _answer(self, job: Job) -> Call | None:
        """Try a call until it has its answer or is given up; the call that the answer leads to."""
        try:
            while await self._take_turn(job):
                try:
                    return await self._attempt(job)
                except CallFailed as failed:
                    decision = self._decide_after(failed.fault, job, now_s())
                if isinstance(decision, Fault):
                    self._give_up(job, decision)
                    self._stop_others(job.group, decision)
                    break
                job.ready_at = decision
                self.intake.observe("retrying", None)
            return None
        finally:
            if job.attempts:
                job.group.limiter.begun -= 1
            self._report_change()

    async def _take_turn(self, job: Job) -> bool:
        """Wait until a call may be sent, and begin it; False when it never will be."""
        group = job.group
        while job.ready_at > now_s() and not (group.stopped or self._error):
            await self._wait(job.ready_at)
        async with group.retries if job.attempts else group.first_tries:
            while self._error is None:
                now = now_s()
                decision = self._decide_to_send(job, now)
                if isinstance(decision, Fault):
                    self._give_up(job, decision)
                    return False
                if decision > now:
                    await self._wait(decision)
                elif self.intake.budget.reserve(job.call):
                    self._begin(job, now)
                    return True
        return False

    async def _wait(self, until: float) -> None:
        """Wait until something changes, or a time has come."""
        with suppress(TimeoutError):
            async with asyncio.timeout_at(None if until == math.inf else until):
                await self._changed.wait()

    def _report_change(self) -> None:
        """End the waits of all calls. Each then checks whether it may be sent."""
        self._changed.set()
        self._changed.clear()

    def _decide_to_send(self, job: Job, now: float) -> Readiness:
        """When a call is sent, `now` at the earliest; changes nothing."""
        group = job.group
        affordable = self.intake.budget.when_affordable(job.call)
        reason = self._reason_to_give_up(job, now)
        if group.stopped is not None:
            return group.stopped
        if job.fault is not None and reason is not None:
            return _with_reason(job.fault, reason)
        if affordable == "never":
            return self.intake.budget.refusal(job.call)
        if (
            self._in_flight >= self.max_in_flight
            or (job.attempts == 0 and group.limiter.begun >= BEGUN_PER_SLOT * self.max_in_flight)
            or (group.sent and not group.warm)
        ):
            return math.inf
        if affordable == "later":
            return now + LOOK_AGAIN_S
        return now + group.limiter.delay_s(job.call, now)

    def _decide_after(self, fault: Fault, job: Job, now: float) -> Readiness:
        """Whether a call that failed is tried again; changes nothing."""
        if fault.scope in ("cell", "key"):
            return fault
        if job.paid >= MOST_PAID:
            why = f"given up after {MOST_PAID} tries, which were probably paid for"
            return _with_reason(fault, why)
        wait_s = retry_wait_s(fault, job.counted, self.jitter(), most_s=self.settings.max_wait_s)
        reason = self._reason_to_give_up(job, now + wait_s)
        return now + wait_s if reason is None else _with_reason(fault, reason)

    def _reason_to_give_up(self, job: Job, at: float) -> str | None:
        """Why a call is not tried again; None when it may be, at that time."""
        if job.counted >= self.settings.max_attempts:
            return f"given up after {job.counted} attempts (runtime.max_attempts)"
        if at - job.began_at >= self.settings.cell_timeout_s:
            limit_s = self.settings.cell_timeout_s
            return f"given up: the limit of {limit_s:g} s is reached (runtime.cell_timeout_s)"
        return None

    def _begin(self, job: Job, now: float) -> None:
        """Count a call that is sent now."""
        self._in_flight += 1
        job.group.sent = True
        if job.attempts == 0:
            job.group.limiter.begun += 1
            job.began_at = now
        job.attempts += 1
        job.sent_at, job.used = now, job.group.limiter.send(job.call, now)

    async def _attempt(self, job: Job) -> Call | None:
        """Make one call that was begun and keep its answer; the call that follows."""
        call, group = job.call, job.group
        left_s = job.began_at + self.settings.cell_timeout_s - job.sent_at
        caller = self.callers[call.endpoint]
        try:
            reply = await caller(replace(call, timeout_s=min(left_s, call.timeout_s)))
            answer = await off_loop(
                len(reply.body), partial(answer_in, reply, call, attempts=job.attempts)
            )
            group.limiter.record_answer(call, job.sent_at, job.used, reply.limits)
            following = await self.intake.take(call, answer)
            group.given_up = 0
            return following
        except CallFailed as failed:
            fault = job.fault = failed.fault
            job.counted += fault.status != "rate_limited"
            job.paid += fault.scope == "once"
            group.limiter.record_fault(job.sent_at, fault, now_s())
            await self.intake.take_fault(call, replace(fault, attempts=job.attempts))
            raise
        finally:
            # Not before the answer is kept: a kill costs no more calls than may be in flight.
            group.warm = True
            self._in_flight -= 1
            self._report_change()

    def _give_up(self, job: Job, fault: Fault) -> None:
        self.intake.give_up(job.call, replace(fault, attempts=job.attempts))

    def _stop_others(self, group: Group, fault: Fault) -> None:
        """After a call was given up, stop what cannot succeed either: the calls of its key, or
        those of a model that is down.
        """
        group.given_up += FAULT_WEIGHTS[fault.scope]
        stops = "key" if fault.scope == "key" else "model"
        if stops == "model" and group.given_up < DOWN_AFTER:
            return
        message = f"given up, because a call of the same {stops} failed: {fault.message}"
        for other in self._groups.values():
            if other is group or (stops == "key" and other.limiter is group.limiter):
                other.stopped = replace(fault, message=message)

    def _group_of(self, call: Call) -> Group:
        account = call.endpoint.model_dump_json(exclude={"api", "api_version"})
        name = (account, call.cell.model_id, call.prompt.sha256)
        if name not in self._groups:
            is_short = estimated_tokens(call.prompt.text) < WARM_FROM_TOKENS
            warm = is_short or not self.settings.warm_prompt_cache
            self._groups[name] = Group(self._limiters[account], warm)
        return self._groups[name]


def _with_reason(fault: Fault, reason: str) -> Fault:
    return replace(fault, message=f"{fault.message}; {reason}")


def now_s() -> float:
    """The monotonic clock of the running loop."""
    return asyncio.get_running_loop().time()


def retry_wait_s(fault: Fault, attempt: int, jitter: float, *, most_s: float) -> float:
    """Seconds before another try: exponential back-off with full jitter, or what the server asks
    for, at most `most_s`; `jitter` is uniform in [0, 1).

    Source: M. Brooker, "Exponential Backoff And Jitter", AWS Architecture Blog, 2015.
    """
    bound_s = min(FIRST_WAIT_S * 2.0 ** min(max(attempt, 1) - 1, 60), most_s)
    return min(max(jitter * bound_s, fault.wait_s or 0.0), most_s)
