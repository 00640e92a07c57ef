"""Work in an event loop: long texts are read outside it, and Ctrl-C stops it in order."""

import asyncio
import os
import signal
import threading
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

from graph_evaluator.records.errors import Interrupted

Result = TypeVar("Result")
LONG_TEXT = 32_000
"""Characters of a text that is read in a thread, so that the event loop goes on meanwhile."""
CLOSING_S = 1.0
"""What storing and closing take after Ctrl-C, seconds, before a message or an end."""
STORING = (
    "stopping; answers that have arrived are still being stored: Ctrl-C again ends at once and "
    "loses them"
)


async def off_loop(length: int, function: Callable[[], Result]) -> Result:
    """What a function makes of a text of this length: of a long one in a thread, and to its end
    even when the task is cancelled meanwhile, which it then is.
    """
    if length <= LONG_TEXT:
        return function()
    work = asyncio.ensure_future(asyncio.to_thread(function))
    was_cancelled = False
    while not work.done():
        try:
            await asyncio.wait([work])
        except asyncio.CancelledError:
            was_cancelled = True
    task = asyncio.current_task()
    if was_cancelled and task is not None:
        task.cancel()
    return work.result()


async def stoppable(
    work: Coroutine[Any, Any, None],
    store: Callable[[], Coroutine[Any, Any, str]],
    lost: Callable[[], str],
) -> None:
    """Do the work. When SIGINT or SIGTERM cancelled it, it is waited for, and what `store` stores,
    however long that takes; a second signal ends the process at once.

    `store` returns the outcome in a sentence, `lost` that of a second signal.

    Raises:
        Interrupted: it was stopped.
    """
    loop = asyncio.get_running_loop()
    task = asyncio.ensure_future(work)
    signals: list[signal.Signals] = []

    def stop(which: signal.Signals) -> None:
        if signals:
            _end(lost())
        signals.append(which)
        task.cancel()

    for which in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(which, stop, which)
    try:
        await task
    except asyncio.CancelledError:
        if not signals:
            raise
        storing = asyncio.ensure_future(store())
        await asyncio.wait([storing], timeout=CLOSING_S)
        if not storing.done():
            os.write(2, f"{STORING}\n".encode())
        outcome = await storing
        # A thread may wait for ever, for instance for a DNS server.
        timer = threading.Timer(CLOSING_S, _end, [outcome])
        timer.daemon = True
        timer.start()
        raise Interrupted(outcome) from None


def _end(outcome: str) -> None:
    """End the process at once."""
    os.write(2, f"error: {outcome}\n".encode())
    os._exit(Interrupted.exit_code)
