"""Runs asynchronous work that Ctrl-C and SIGTERM end cleanly."""

import asyncio
import contextlib
import os
import signal
import sys
import threading
from collections.abc import Coroutine
from typing import Any, TypeVar

from stages.contracts.errors import Interrupted

Result = TypeVar("Result")
CLOSING_S = 1.0
"""What closing may take after Ctrl-C, seconds."""
KEPT = "stopped; every answer that had arrived is kept, and the next run calls only what is missing"


def run_stoppable(work: Coroutine[Any, Any, Result]) -> Result:
    """The result of the work.

    Raises:
        Interrupted: SIGINT or SIGTERM was received; the work was cancelled and has ended.
    """
    return asyncio.run(_guarded(work))


async def _guarded(work: Coroutine[Any, Any, Result]) -> Result:
    loop = asyncio.get_running_loop()
    task = asyncio.ensure_future(work)
    signals: list[signal.Signals] = []

    def stop(which: signal.Signals) -> None:
        if not signals:
            task.cancel()
        signals.append(which)

    with contextlib.suppress(NotImplementedError):  # Windows: Ctrl-C raises KeyboardInterrupt there
        for which in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(which, stop, which)
    try:
        return await task
    except asyncio.CancelledError:
        if signals:
            timer = threading.Timer(CLOSING_S, _end)  # by now every answer is stored
            timer.daemon = True
            timer.start()
            raise Interrupted(KEPT) from None
        raise


def _end() -> None:
    """End the process even if a thread of it cannot be ended, such as one that waits for a DNS server."""
    print(f"error: {KEPT}", file=sys.stderr, flush=True)
    os._exit(Interrupted.exit_code)
