"""Notices when the pipeline that started this process is gone, so that an orphan stops spending."""

import os
import signal
import threading
from collections.abc import Callable

from stages.shell.ancestry import AT_START, ancestors

POLL_S = 0.1


def watch_parent(stop: threading.Event, on_orphaned: Callable[[], None], *, before: tuple[int, ...] = AT_START) -> None:
    """Start a thread that calls `on_orphaned` once when a process above this one has died; it ends with `stop`.

    DVC starts a stage through a shell, which outlives DVC: so the shell's own parent is watched too. What died while this
    process was still loading is noticed at once.

    Args:
        stop: ends the watch.
        on_orphaned: called from the thread.
        before: the processes above this one, as they have to be.
    """

    def watch() -> None:
        while ancestors() == before:
            if stop.wait(POLL_S):
                return
        on_orphaned()

    threading.Thread(target=watch, name="orphan watch", daemon=True).start()


def terminate_self() -> None:
    """Ask this process to end, as SIGTERM does."""
    os.kill(os.getpid(), signal.SIGTERM)
