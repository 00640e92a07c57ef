"""The calls of a run by what they share: an endpoint and key (a lane), and within it a model config and prompt (a group)."""

import asyncio
import math
from collections import deque
from contextlib import suppress
from dataclasses import dataclass, field

from stages.contracts.params import RuntimeParams
from stages.generate.calls.faults import Fault
from stages.generate.calls.limiter import Limiter
from stages.generate.plan.call import Call

BEGUN_PER_SLOT = 2
"""Calls of a lane that are begun and not ended, per call in flight: while some wait for a retry, others are sent."""
WARM_FROM_TOKENS = 1_024
"""Providers cache prompts of this length and more."""


def now_s() -> float:
    """The monotonic clock of the running loop."""
    return asyncio.get_running_loop().time()


@dataclass(slots=True)
class Job:
    """A call until it has an answer or is given up: `made` attempts, `counted` those that a rate limit did not refuse."""

    group: "Group"
    call: Call
    made: int = 0
    counted: int = 0
    began_at: float = math.inf
    last: Fault | None = None

    @property
    def elapsed_s(self) -> float:
        """Seconds since the first attempt was sent."""
        return max(now_s() - self.began_at, 0.0)


@dataclass(slots=True)
class Group:
    """The calls of one model config with one prompt; until the prompt is `warm`, cached by the provider, one is sent."""

    lane: "Lane"
    warm: bool
    queue: deque[Job] = field(default_factory=deque)
    sent: int = 0
    given_up: int = 0
    stopped: Fault | None = None


class Lane:
    """The calls of one endpoint and key: its groups take turns."""

    def __init__(self, settings: RuntimeParams) -> None:
        self.limiter = Limiter(settings)
        self.groups: dict[object, Group] = {}
        self.left = self.begun = 0
        self._settings = settings
        self._changed = asyncio.Event()

    def add(self, call: Call) -> None:
        """Queue a call."""
        name = (call.cell.model_id, call.instructions_sha256)
        if name not in self.groups:
            turns = sum(len(turn.text) for turn in call.turns)
            whole = max(len(call.instructions) + turns, 1)
            cached = call.input_tokens * len(call.instructions) / whole > WARM_FROM_TOKENS
            self.groups[name] = Group(self, warm=not (self._settings.warm_prompt_cache and cached))
        self.groups[name].queue.append(Job(self.groups[name], call))
        self.left += 1

    def next_job(self) -> Job | float:
        """The job that may be sent now, or the seconds until there may be one: infinite when another has to end first."""
        if (wait_s := self.limiter.delay(now_s())) > 0:
            return wait_s
        wait_s, most_begun = math.inf, BEGUN_PER_SLOT * self._settings.max_concurrency
        for group in sorted(self.groups.values(), key=lambda group: group.sent):
            if group.queue and (group.warm or not group.sent):
                job = group.queue[0]
                delay_s = self.limiter.model_delay(job.call, now_s())
                if delay_s <= 0 and (job.made or self.begun < most_begun):
                    return group.queue.popleft()
                wait_s = min(wait_s, delay_s or math.inf)
        return wait_s

    def changed(self) -> None:
        """A call has ended: those that wait look again."""
        self._changed.set()
        self._changed = asyncio.Event()

    async def wait(self, wait_s: float) -> None:
        """Wait for so many seconds, but not beyond the next call that ends."""
        with suppress(TimeoutError):
            async with asyncio.timeout(None if wait_s == math.inf else wait_s):
                await self._changed.wait()
