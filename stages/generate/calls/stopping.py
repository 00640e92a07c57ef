"""Ends a run cleanly: after Ctrl-C and SIGTERM, and when the pipeline that started it is gone, so that an orphan stops spending."""

import asyncio
import contextlib
import os
import signal
import sys
import threading
from collections.abc import Callable, Coroutine, Iterator
from typing import Any, TypeVar

from stages.contracts.errors import Interrupted
from stages.shell.ancestry import AT_START, ancestors

Result = TypeVar("Result")
CLOSING_S = 1.0
"""What closing may take after Ctrl-C, seconds."""
POLL_S = 0.1
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
            _end_soon()
            raise Interrupted(KEPT) from None
        raise


def _end_soon() -> None:
    """End the process after `CLOSING_S` even if a thread of it cannot be ended, such as one that waits for a DNS server.

    By now every answer is stored.
    """
    timer = threading.Timer(CLOSING_S, _end)
    timer.daemon = True
    timer.start()


def _end() -> None:
    print(f"error: {KEPT}", file=sys.stderr, flush=True)
    os._exit(Interrupted.exit_code)


def terminate_self() -> None:
    """Ask this process to end, as SIGTERM does."""
    os.kill(os.getpid(), signal.SIGTERM)


@contextlib.contextmanager
def parent_watched(
    on_orphaned: Callable[[], None] = terminate_self, *, before: tuple[int, ...] = AT_START
) -> Iterator[None]:
    """A block during which a thread calls `on_orphaned` once when a process above this one has died.

    DVC starts a stage through a shell, which outlives DVC: so the shell's own parent is watched too. What died while this
    process was still loading is noticed at once; `before` are the processes above it at its start.
    """
    over = threading.Event()

    def watch() -> None:
        while ancestors() == before:
            if over.wait(POLL_S):
                return
        on_orphaned()

    threading.Thread(target=watch, name="orphan watch", daemon=True).start()
    try:
        yield
    finally:
        over.set()
