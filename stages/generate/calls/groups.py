"""The calls of a run by what they share: an endpoint and key (a lane), and within it a model config and prompt (a group)."""

import asyncio
import math
from collections import defaultdict, deque
from collections.abc import Iterable
from contextlib import suppress

from stages.contracts.params import RuntimeParams
from stages.generate.calls.faults import Fault
from stages.generate.calls.limiter import Limiter
from stages.generate.plan.cells import Call

WARM_FROM_TOKENS = 1_024
"""Providers cache prompts of this length and more."""


def now_s() -> float:
    """The monotonic clock of the running loop."""
    return asyncio.get_running_loop().time()


class Lane:
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


class Group:
    """The calls of one model config with one prompt; `warm` once the first of them has ended and the prompt may be cached."""

    def __init__(self, lane: Lane, *, warm: bool) -> None:
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
        until = now_s() + wait_s
        while self.stopped is None and (left_s := until - now_s()) > 0:
            await self.lane.wait(left_s)


def groups_of(calls: Iterable[Call], settings: RuntimeParams) -> list[Group]:
    """The calls by model config and prompt; those of one endpoint and key share a lane."""
    lanes: defaultdict[object, Lane] = defaultdict(lambda: Lane(settings))
    groups: dict[object, Group] = {}
    for one in calls:
        to = one.endpoint
        key = (to.provider, to.url, to.key_env, to.headers_env, to.service)
        name = (key, one.cell.model_id, one.planned.prompt.sha256)
        if name not in groups:
            groups[name] = Group(lanes[key], warm=not (settings.warm_prompt_cache and _cached_from_then_on(one)))
        groups[name].calls.append(one)
    return list(groups.values())


def _cached_from_then_on(call: Call) -> bool:
    """True when the prompt is long enough to be cached by the provider."""
    whole = max(len(call.instructions) + len(call.input), 1)
    return call.planned.input_tokens * len(call.instructions) / whole > WARM_FROM_TOKENS
