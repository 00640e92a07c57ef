"""Notices when the pipeline that started this process is gone, so that an orphan stops spending."""

import os
import signal
import threading
from collections.abc import Callable

POLL_S = 0.1


def ancestors() -> tuple[int, ...]:
    """The parent and, where the system reports it, its parent."""
    parent = os.getppid()
    try:
        with open(f"/proc/{parent}/stat", encoding="utf-8", errors="replace") as file:
            return parent, int(file.read().rpartition(")")[2].split()[1])
    except (OSError, ValueError, IndexError):
        return (parent,)


AT_START = ancestors()
"""Those of the moment at which the package was loaded: `stages/__init__.py` imports this module first."""


def terminate_self() -> None:
    """Ask this process to end, as SIGTERM does."""
    os.kill(os.getpid(), signal.SIGTERM)


def watch_parent(
    stop: threading.Event,
    on_orphaned: Callable[[], None] = terminate_self,
    *,
    before: tuple[int, ...] = AT_START,
) -> None:
    """Start a thread that calls `on_orphaned` once when a process above this one has died; it ends with `stop`.

    DVC starts a stage through a shell, which outlives DVC: so the shell's own parent is watched too. What died while this
    process was still loading is noticed at once.
    """

    def watch() -> None:
        while ancestors() == before:
            if stop.wait(POLL_S):
                return
        on_orphaned()

    threading.Thread(target=watch, name="orphan watch", daemon=True).start()
