"""The calls of one endpoint and key that are still to be made: fresh ones by model, failed ones until their wait is over."""

import heapq
import math
from collections import deque

import msgspec

from stages.contracts.params import RuntimeParams
from stages.contracts.response import Status
from stages.generate.call import Call
from stages.generate.caller import Fault
from stages.generate.pace.governor import Governor

WARM_FROM_TOKENS = 1_024
"""Providers cache prompts from this length on."""

WAITING_PER_SLOT = 4
"""Cells that may wait for another try, per call at once: beyond that no fresh cell is begun."""

DOWN_AFTER = 32
"""So many cells of a model given up in a row, none answered between them: the model is taken for down."""

_PASSING = frozenset({"server_error", "connection_failed", "timeout_failed", "rate_limited"})


class Job:
    """A call and what has been tried: `attempts` in all, `counted` without the rate-limited ones, `last` the last fault."""

    __slots__ = ("attempts", "call", "counted", "due", "first_sent_at", "last", "order")

    def __init__(self, call: Call, order: int) -> None:
        self.call = call
        self.order = order
        self.attempts = 0
        self.counted = 0
        self.due = 0.0
        self.first_sent_at: float | None = None
        self.last: Fault | None = None

    def __lt__(self, other: "Job") -> bool:
        return (self.due, self.order) < (other.due, other.order)


class Group:
    """The calls of one model config with one prompt; `warm` is False until the first one's answer has begun or failed."""

    def __init__(self, *, warm: bool) -> None:
        self.fresh: deque[tuple[int, Call]] = deque()
        self.waiting: list[Job] = []
        self.warm = warm
        self.warming = False
        self.given_up = 0

    def head(self, now: float, *, begin: bool) -> tuple[Call | None, float]:
        """The call that would go next, and the seconds until one may when there is none (infinite: not before an event)."""
        if self.waiting and self.waiting[0].due <= now:
            return self.waiting[0].call, 0.0
        if self.fresh and begin and (self.warm or not self.warming):
            return self.fresh[0][1], 0.0
        return None, self.waiting[0].due - now if self.waiting else math.inf

    def pop(self, now: float) -> Job:
        """Take the call that `head` showed."""
        if self.waiting and self.waiting[0].due <= now:
            return heapq.heappop(self.waiting)
        order, call = self.fresh.popleft()
        self.warming = True
        return Job(call, order)

    def drain(self) -> list[Job]:
        """Take everything, in order."""
        jobs = [*self.waiting, *(Job(call, order) for order, call in self.fresh)]
        self.waiting.clear()
        self.fresh.clear()
        return sorted(jobs, key=lambda job: job.order)

    def counts_as_down(self, status: Status) -> bool:
        """Count a cell that was given up; True when the model has to be taken for down."""
        if status in _PASSING:
            self.given_up += 1
        return self.given_up >= DOWN_AFTER


class Turn(msgspec.Struct, frozen=True):
    """Whose turn it is: a group, and the call at its head."""

    group: Group
    call: Call


class Lane:
    """Everything that is to be sent to one endpoint with one key."""

    def __init__(self, settings: RuntimeParams) -> None:
        self.governor = Governor(settings)
        self.stopped: Fault | None = None
        self._settings = settings
        self._groups: dict[tuple[str, str], Group] = {}
        self._turn: deque[Group] = deque()

    def add(self, order: int, call: Call) -> None:
        """Queue a call behind those of its model."""
        self.group(call).fresh.append((order, call))

    def put_back(self, job: Job, *, due: float) -> None:
        """Queue a call that failed, for `due`."""
        job.due = due
        heapq.heappush(self.group(job.call).waiting, job)

    def group(self, call: Call) -> Group:
        """The calls that share a model config and a prompt with `call`."""
        key = (call.cell.model_id, call.instructions_sha256)
        if key not in self._groups:
            whole = max(len(call.instructions) + len(call.input), 1)
            prompt_tokens = call.input_tokens_estimate * len(call.instructions) / whole
            cold = self._settings.warm_prompt_cache and prompt_tokens > WARM_FROM_TOKENS
            self._groups[key] = Group(warm=not cold)
            self._turn.append(self._groups[key])
        return self._groups[key]

    def next(self, now: float) -> Turn | float:
        """What may be sent now, models taking turns; else the seconds until it is worth asking again."""
        waiting = sum(len(group.waiting) for group in self._turn)
        begin = waiting < WAITING_PER_SLOT * self._settings.max_concurrency
        soonest = math.inf
        for _ in range(len(self._turn)):
            group = self._turn[0]
            self._turn.rotate(-1)
            call, delay = group.head(now, begin=begin)
            if call is not None:
                delay = self.governor.delay(call, now)
                if delay <= 0:
                    return Turn(group, call)
            soonest = min(soonest, delay)
        return soonest

    def drain(self) -> list[Job]:
        """Take everything that is queued, in order."""
        return sorted((job for group in self._turn for job in group.drain()), key=lambda job: job.order)
