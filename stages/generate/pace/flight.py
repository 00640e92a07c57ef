"""The tasks of a run: calls that are out, answers that are being stored, and the bell that rings when one ends."""

import asyncio
import math
from collections.abc import Awaitable, Callable, Coroutine

Work = Coroutine[object, None, None]


class Flight:
    """Tasks exist only for calls that are out and answers that are being stored, so memory does not grow with the cells.

    Made within the task of the run.
    """

    def __init__(self, sleep: Callable[[float], Awaitable[None]]) -> None:
        self._sleep = sleep
        self._out: set[asyncio.Task[None]] = set()
        self._storing: set[asyncio.Task[None]] = set()
        self._bell = asyncio.Event()
        self._owner = asyncio.current_task()
        self.broken: BaseException | None = None

    @property
    def out(self) -> int:
        """Calls that are out."""
        return len(self._out)

    @property
    def storing(self) -> int:
        """Answers that have arrived and are not durable yet."""
        return len(self._storing)

    @property
    def ending(self) -> bool:
        """True when no more calls are to go out: the run is cut off, from the moment of that on, or something broke."""
        return self.broken is not None or (self._owner is not None and self._owner.cancelling() > 0)

    def call(self, work: Work) -> None:
        """Start a call; it is cut off when the run ends early."""
        self._start(work, self._out)

    def keep(self, work: Work) -> None:
        """Start storing an answer; it is never cut off."""
        self._start(work, self._storing)

    def ring(self) -> None:
        """Say that something has changed."""
        self._bell.set()

    def hush(self) -> None:
        """Forget what has rung until now."""
        self._bell.clear()

    async def rest(self, wait_s: float) -> None:
        """Until the bell rings, or for so many seconds."""
        if wait_s == math.inf:
            await self._bell.wait()
            return
        bell = asyncio.ensure_future(self._bell.wait())
        timer = asyncio.ensure_future(self._sleep(wait_s))
        try:
            await asyncio.wait({bell, timer}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            bell.cancel()
            timer.cancel()

    async def wind_up(self) -> None:
        """Cut off the calls that are out; let every answer that has arrived be stored."""
        out = list(self._out)
        for task in out:
            task.cancel()
        await asyncio.gather(*out, return_exceptions=True)
        while self._storing:
            await asyncio.wait(set(self._storing))

    def _start(self, work: Work, tasks: set[asyncio.Task[None]]) -> None:
        task = asyncio.create_task(work)
        tasks.add(task)

        def done(finished: asyncio.Task[None]) -> None:
            tasks.discard(finished)
            if not finished.cancelled() and (error := finished.exception()) is not None:
                self.broken = self.broken or error
            self._bell.set()

        task.add_done_callback(done)
