"""Answers for many calls: workers that take cells from a queue, wait for the rate limit, call, store, and go on."""

import asyncio
import math
from collections import defaultdict, deque
from collections.abc import Awaitable, Callable, Iterable, Sequence
from contextlib import suppress
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
from stages.generate.calls.limiter import Limiter, Permit
from stages.generate.calls.progress import CallEvent
from stages.generate.calls.retry import GiveUp, out_of_time, verdict
from stages.generate.plan.cells import Call, PlannedCell

WORKERS_PER_SLOT = 2
"""Workers of a model per call in flight: while some wait for a retry or for the disk, others call."""
WARM_FROM_TOKENS = 1_024
"""Providers cache prompts of this length and more."""
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
            for group in run.groups(calls):
                count = min(len(group.calls), WORKERS_PER_SLOT * settings.max_concurrency)
                for number in range(count):
                    tasks.create_task(run.work(group, first=number == 0))
    except BaseExceptionGroup as errors:
        raise errors.exceptions[0] from None
    return dict(sorted(run.failures.items()))


class _Lane:
    """What the calls of one endpoint and key share."""

    def __init__(self, settings: RuntimeParams) -> None:
        self.limiter = Limiter(settings)
        self.stopped: Fault | None = None
        self.turn = asyncio.Lock()
        self.turns_of_models: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)
        self._changed = asyncio.Event()

    def changed(self) -> None:
        """A call has ended: those that wait look again."""
        self._changed.set()
        self._changed = asyncio.Event()

    async def wait(self, wait_s: float) -> None:
        """Wait for so many seconds, but not beyond the next call that ends."""
        with suppress(TimeoutError):
            async with asyncio.timeout(None if wait_s == math.inf else wait_s):
                await self._changed.wait()


class _Group:
    """The calls of one model config with one prompt; `warm` once the first of them has ended and the prompt may be cached."""

    def __init__(self, lane: _Lane, *, warm: bool) -> None:
        self.lane = lane
        self.calls: deque[Call] = deque()
        self.warm = asyncio.Event()
        self.down: Fault | None = None
        self.given_up = 0
        if warm:
            self.warm.set()

    @property
    def stopped(self) -> Fault | None:
        """Why no more calls are made."""
        return self.lane.stopped or self.down

    async def back_off(self, wait_s: float) -> None:
        """Wait for so many seconds, but not once no more calls are made."""
        until = _now() + wait_s
        while self.stopped is None and (left_s := until - _now()) > 0:
            await self.lane.wait(left_s)


@dataclass(slots=True)
class _Job:
    """A call until it has an answer or is given up: `made` attempts, `counted` those that a rate limit did not refuse."""

    group: _Group
    call: Call
    made: int = 0
    counted: int = 0
    began_at: float | None = None
    last: Fault | None = None

    @property
    def elapsed_s(self) -> float:
        """Seconds since the first attempt was sent."""
        return 0.0 if self.began_at is None else _now() - self.began_at


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

    def groups(self, calls: Iterable[Call]) -> list[_Group]:
        """The calls by model config and prompt; those of one endpoint and key share a lane."""
        lanes: defaultdict[object, _Lane] = defaultdict(lambda: _Lane(self.settings))
        groups: dict[object, _Group] = {}
        for one in calls:
            to = one.endpoint
            key = (to.provider, to.url, to.key_env, to.headers_env, to.service)
            name = (key, one.cell.model_id, one.planned.request.instructions_sha256)
            if name not in groups:
                groups[name] = _Group(lanes[key], warm=not self._warms(one))
            groups[name].calls.append(one)
        return list(groups.values())

    async def work(self, group: _Group, *, first: bool) -> None:
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
            except CallFailed as failed:
                if not await self._try_again(job, failed.fault):
                    return None
                continue
            job.group.given_up = 0
            following = await self._keep(job.call, answer)
            self.observe(CallEvent(kind="answered", call=job.call, cost_usd=cost_usd))
            if following is not None:
                self.observe(CallEvent(kind="further", call=following))
            return following
        return None

    async def _turn(self, job: _Job) -> Permit | None:
        """Wait until the call may be sent: the limits of its model, of its key, a free slot, the budget. None: it is given up.

        At each of these stages one call waits in front of all others, so that models take turns, and so do keys.
        """
        group, lane, limiter = job.group, job.group.lane, job.group.lane.limiter
        async with lane.turns_of_models[job.call.model]:
            while group.stopped is None and (wait_s := limiter.model_delay(job.call, _now())) > 0:
                await lane.wait(wait_s)
            async with lane.turn:
                while group.stopped is None:
                    if (wait_s := limiter.delay(_now())) > 0:
                        await lane.wait(wait_s)
                        continue
                    await self.slots.acquire()
                    if group.stopped is not None or limiter.delay(_now()) > 0:
                        self.slots.release()
                        continue
                    granted = self._out_of_time(job) or self.budget.reserve(job.call)
                    if granted == "reserved":
                        return limiter.sent(job.call, _now())
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
            limiter.answered(permit, call, reply.limits, answer.content.total_tokens, _now())
            cost_usd = self.price(call.planned, answer)
            return answer, cost_usd
        except CallFailed as failed:
            fault = failed.fault
            cost_usd = None if fault.may_be_billed else 0.0
            held_s = limiter.failed(permit, fault, _now(), self.draw())
            if held_s is not None:
                self.observe(CallEvent(kind="held", call=call, wait_s=held_s, message=fault.message))
            if fault.code == "deadline" and left_s < call.timeout_s:
                raise CallFailed(cell_out_of_time(job.last, left_s=left_s, cell_timeout_s=cell_s)) from None
            raise
        finally:
            self.budget.book(call, cost_usd)
            self.slots.release()
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

    def _warms(self, call: Call) -> bool:
        """True when the prompt is long enough to be cached by the provider."""
        whole = max(len(call.instructions) + len(call.input), 1)
        prompt_tokens = call.input_tokens * len(call.instructions) / whole
        return self.settings.warm_prompt_cache and prompt_tokens > WARM_FROM_TOKENS


def _paid(call: Call, reply: Reply, attempts: int) -> PaidAnswer:
    content = read_answer(reply.body)
    fault = fault_of_answer(content, call.endpoint.api)
    if fault is not None:
        raise CallFailed(replace(fault, limits=reply.limits))
    return PaidAnswer(
        fingerprint=call.fingerprint,
        content=content,
        latency_ms=reply.latency_ms,
        attempts=attempts,
        arrived_at=reply.arrived_at,
        endpoint=reply.endpoint,
    )


def _now() -> float:
    return asyncio.get_running_loop().time()
