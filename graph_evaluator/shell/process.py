"""This process: its version, and how it ends early: by Ctrl-C while a command is still loading,
with the pipeline that started it, and after work that a cancelled task finishes first.
"""

import asyncio
import os
import signal
import sys
import threading
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

from graph_evaluator.records.errors import Interrupted

Result = TypeVar("Result")

CALLED_FROM = "GRAPH_EVALUATOR_CALLED_FROM"
"""The variable that names the folder where a command was typed, if not the project's."""
POLL_S = 0.1
LONG_TEXT = 32_000
"""Characters of a text that is read in a thread, so that the event loop goes on meanwhile."""
CLOSING_S = 1.0
"""What closing may take after Ctrl-C, seconds."""
_IS_COMMAND = threading.Event()
"""Set once this process is a command of ours; other programs that import the package keep their
signal handlers.
"""


def begin_command() -> None:
    """End this process quietly on Ctrl-C from here on, until `shell.command` takes over."""
    _IS_COMMAND.set()
    signal.signal(signal.SIGINT, _end_at_once)


def _end_at_once(_number: int, _frame: object) -> None:
    os.write(2, b"stopped\n")
    os._exit(130)


def end_command() -> None:
    """End a command of ours at once with 130; returns in any other program.

    The interpreter's own shutdown would take half a second, and a second Ctrl-C would print a
    traceback.
    """
    if _IS_COMMAND.is_set():
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(130)


def installed_version() -> str:
    """The version of the tool."""
    from importlib.metadata import version  # takes a while

    return version("graph-evaluator")


def end_output() -> int:
    """Send what is still to be printed nowhere, as nobody reads it any more; the exit code."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 141


def ancestors() -> tuple[int, ...]:
    """The process ids of the parent and, where the system reports it, of its parent."""
    parent = os.getppid()
    try:
        with open(f"/proc/{parent}/stat", encoding="utf-8", errors="replace") as file:
            return parent, int(file.read().rpartition(")")[2].split()[1])
    except (OSError, ValueError, IndexError):
        return (parent,)


AT_START = ancestors()


def watch_parent(stop: threading.Event) -> None:
    """Start a thread that ends this process, as SIGTERM does, when a process above it has died; it
    ends with `stop`.

    DVC starts a stage through a shell, which outlives DVC: so the shell's own parent is watched
    too. A process that died while this one was still loading is noticed at once.
    """

    def watch() -> None:
        while ancestors() == AT_START:
            if stop.wait(POLL_S):
                return
        os.kill(os.getpid(), signal.SIGTERM)

    threading.Thread(target=watch, name="orphan watch", daemon=True).start()


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


async def stoppable(work: Coroutine[Any, Any, None], outcome: str) -> None:
    """Do the work; `Interrupted`, with the outcome, when SIGINT or SIGTERM cancelled it and it has
    ended.
    """
    loop = asyncio.get_running_loop()
    task = asyncio.ensure_future(work)
    signals: list[signal.Signals] = []

    def stop(which: signal.Signals) -> None:
        if not signals:
            task.cancel()
        signals.append(which)

    for which in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(which, stop, which)
    try:
        await task
    except asyncio.CancelledError:
        if signals:
            timer = threading.Timer(CLOSING_S, _end, [outcome])
            timer.daemon = True
            timer.start()
            raise Interrupted(outcome) from None
        raise


def _end(outcome: str) -> None:
    """End the process even if a thread of it waits for ever, for instance for a DNS server."""
    os.write(2, f"error: {outcome}\n".encode())
    os._exit(Interrupted.exit_code)
