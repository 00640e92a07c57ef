"""Notices when the pipeline that started this process is gone, so that an orphan stops spending."""

import os
import signal
import threading
from collections.abc import Callable
from pathlib import Path

POLL_S = 0.25


def watch_parent(stop: threading.Event, on_orphaned: Callable[[], None]) -> None:
    """Start a thread that calls `on_orphaned` once when a process above this one has died; it ends with `stop`.

    DVC starts a stage through a shell, which outlives DVC: so the shell's own parent is watched too.
    """
    before = _ancestors()

    def watch() -> None:
        while not stop.wait(POLL_S):
            if _ancestors() != before:
                on_orphaned()
                return

    threading.Thread(target=watch, name="orphan watch", daemon=True).start()


def terminate_self() -> None:
    """Ask this process to end, as SIGTERM does."""
    os.kill(os.getpid(), signal.SIGTERM)


def _ancestors() -> tuple[int, ...]:
    """The parent and, where the system tells, its parent."""
    parent = os.getppid()
    try:
        stat = Path(f"/proc/{parent}/stat").read_text(encoding="utf-8", errors="replace")
        return parent, int(stat.rpartition(")")[2].split()[1])
    except (OSError, ValueError, IndexError):
        return (parent,)
