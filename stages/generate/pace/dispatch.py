"""One run of calls: sends what may go, takes what comes back, ends when every call has its result."""

import math
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import msgspec

from stages.contracts.params import RuntimeParams
from stages.generate.call import Answer, Call
from stages.generate.caller import Caller, CallFailed, Fault, Price, Reply, Store
from stages.generate.pace.budget import Budget
from stages.generate.pace.event import Event
from stages.generate.pace.failures import cell_out_of_time
from stages.generate.pace.flight import Flight
from stages.generate.pace.governor import Ticket
from stages.generate.pace.lane import Job, Lane, Turn
from stages.generate.pace.results import Results
from stages.generate.pace.retry import GiveUp, verdict


@dataclass(frozen=True)
class Means:
    """What a run works with: the arguments of `runner.run` of the same names."""

    call: Caller
    store: Store
    price: Price
    settings: RuntimeParams
    clock: Callable[[], float]
    draw: Callable[[], float]
    observe: Callable[[Event], None]


class Departure(NamedTuple):
    """A call that goes out."""

    lane: Lane
    turn: Turn
    job: Job
    call: Call
    ticket: Ticket


class Dispatch:
    """The state of one run. `flight` does the waiting. Used once."""

    def __init__(self, calls: Sequence[Call], means: Means, *, budget: Budget, flight: Flight) -> None:
        self._means = means
        self._budget = budget
        self._flight = flight
        self._lanes: dict[object, Lane] = {}
        self.results = Results(len(calls), means.observe)
        for order, one in enumerate(calls):
            to = one.endpoint
            key = (to.provider, to.url, to.key_env, to.headers_env, to.service)
            if key not in self._lanes:
                self._lanes[key] = Lane(means.settings)
            self._lanes[key].add(order, one)
        self._turns = deque(self._lanes.values())

    async def run(self) -> None:
        """Until every call has its result in `results`; raises what storing raised."""
        try:
            while self._flight.broken is None:
                self._flight.hush()
                wait_s = self._send()
                if not self._flight.out and not self._flight.storing and wait_s == math.inf:
                    break
                await self._flight.rest(wait_s)
        finally:
            await self._flight.wind_up()
        if self._flight.broken is not None:
            raise self._flight.broken

    def _send(self) -> float:
        """Send all that may go now; the seconds until more may, infinite when only an event can bring it."""
        while self._flight.out < self._means.settings.max_concurrency:
            departure = self._departure()
            if not isinstance(departure, Departure):
                return departure
            self._flight.call(self._carry(departure))
        return math.inf

    async def _carry(self, departure: Departure) -> None:
        """Make a call, then at once what may go in its place.

        Were all answers of a moment taken in before the next calls go out, these would go out in one burst, and so would
        their answers come back: the processor idles, and then each waits for the others.
        """
        following: Departure | float = departure
        while isinstance(following, Departure):
            await self._attempt(following)
            self._flight.ring()
            following = math.inf if self._flight.ending else self._departure()

    def _departure(self) -> Departure | float:
        """What may go now, counted as out; else the seconds until something may, infinite when only an event can bring it."""
        if self._flight.storing >= self._means.settings.max_concurrency:
            return math.inf
        soonest = math.inf
        tried = 0
        while tried < len(self._turns):
            lane = self._turns[0]
            self._turns.rotate(-1)
            now = self._means.clock()
            turn = lane.next(now)
            if not isinstance(turn, Turn):
                soonest = min(soonest, turn)
                tried += 1
                continue
            departure = self._begin(lane, turn, now)
            if isinstance(departure, Departure):
                return departure
            tried = 0 if departure else tried + 1
        return soonest

    def _begin(self, lane: Lane, turn: Turn, now: float) -> Departure | bool:
        """A call that goes out; else True when it is given up unsent, False when it has to wait until money comes back."""
        upper = turn.call.cost_upper_usd
        granted = self._budget.reserve(upper)
        if granted == "later":
            return False
        job = turn.group.pop(now)
        if granted != "reserved":
            turn.group.warm = True
            code = "price_unknown" if granted == "unknown" else "max_cost_usd"
            self.results.failed(job, "budget_stopped", code, self._budget.refusal(upper))
            return True
        if job.first_sent_at is None:
            job.first_sent_at = now
        left_s = job.first_sent_at + self._means.settings.cell_timeout_s - now
        if left_s <= 0 and job.last is not None:
            self._budget.settle(upper, 0.0)
            self._failed(lane, turn, job, job.last)
            return True
        job.attempts += 1
        call = job.call
        if left_s < call.timeout_s:
            call = msgspec.structs.replace(call, timeout_s=left_s)
        self._means.observe(Event(kind="sent", call=call))
        return Departure(lane, turn, job, call, lane.governor.sent(call, now))

    async def _attempt(self, departure: Departure) -> None:
        """One call of a job and what follows from it."""
        lane, turn, job, call, ticket = departure
        group = turn.group

        def begun() -> None:
            if not group.warm:
                group.warm = True
                self._flight.ring()

        cost: float | None = None
        try:
            reply = await self._means.call(call, begun)
            cost = self._means.price(call, reply.body)
        except CallFailed as failed:
            cost = None if failed.fault.may_be_billed else 0.0
            lane.governor.failed(ticket, failed.fault, self._means.clock(), self._means.draw())
            job.counted += failed.fault.status != "rate_limited"
            self._failed(lane, turn, job, self._told(job, call, failed.fault))
            return
        finally:
            group.warm = True
            self._budget.settle(call.cost_upper_usd, cost)
        lane.governor.answered(ticket, call, reply.limits, reply.tokens, self._means.clock())
        group.given_up = 0
        self._flight.keep(self._keep(lane, job, reply, cost))

    def _told(self, job: Job, call: Call, fault: Fault) -> Fault:
        """The fault, in terms of the cell's time when that was the call's deadline."""
        if fault.code != "deadline" or call.timeout_s >= job.call.timeout_s:
            return fault
        return cell_out_of_time(job.last, left_s=call.timeout_s, cell_timeout_s=self._means.settings.cell_timeout_s)

    async def _keep(self, lane: Lane, job: Job, reply: Reply, cost_usd: float | None) -> None:
        """Store an answer; only then does it count."""
        answer = Answer(
            fingerprint=job.call.fingerprint,
            body=reply.body,
            latency_ms=reply.latency_ms,
            attempts=job.attempts,
            arrived_at=reply.arrived_at,
            endpoint=reply.endpoint,
        )
        further = await self._means.store(answer)
        self.results.answered(job, cost_usd)
        if further is None:
            return
        self._means.observe(Event(kind="further", call=further))
        following = Job(further, job.order)
        if lane.stopped is None:
            lane.put_back(following, due=self._means.clock())
        else:
            self.results.stopped([following], lane.stopped)

    def _failed(self, lane: Lane, turn: Turn, job: Job, fault: Fault) -> None:
        """Queue a job again after a fault, or give it up and with it whatever the fault dooms."""
        now = self._means.clock()
        elapsed_s = now - (now if job.first_sent_at is None else job.first_sent_at)
        decision = verdict(
            fault, attempt=job.counted, elapsed_s=elapsed_s, draw=self._means.draw(), settings=self._means.settings
        )
        if not isinstance(decision, GiveUp) and lane.stopped is None:
            job.last = fault
            lane.put_back(job, due=now + decision.wait_s)
            self.results.retrying(job, fault, decision.wait_s)
            return
        reason = f"; {decision.reason}" if isinstance(decision, GiveUp) and fault.scope == "call" else ""
        self.results.failed(job, fault.status, fault.code, f"{fault.message}{reason}")
        if fault.scope == "key" and lane.stopped is None:
            lane.stopped = fault
            self.results.stopped(lane.drain(), fault)
        elif turn.group.counts_as_down(fault.status):
            self.results.stopped(turn.group.drain(), fault)
