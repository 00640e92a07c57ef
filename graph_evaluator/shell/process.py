"""This process: its version, how many files it may open, and how it ends early: by Ctrl-C while a
command is still loading, and with the pipeline that started it.
"""

import os
import resource
import signal
import sys
import threading
from contextlib import suppress

CALLED_FROM = "GRAPH_EVALUATOR_CALLED_FROM"
"""The variable that names the folder where a command was typed, if not the project's."""
POLL_S = 0.1
ENOUGH_FILES = 4_096
"""Open files that no run needs more of."""
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
    """Discard further output, as nobody reads it; return the exit code."""
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


def files_left() -> tuple[int, int]:
    """How many more files this process may open, and how many in all: the limit is raised as far as
    the system allows and a run may need.
    """
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft == resource.RLIM_INFINITY:
        return ENOUGH_FILES, ENOUGH_FILES
    allowed = ENOUGH_FILES if hard == resource.RLIM_INFINITY else min(hard, ENOUGH_FILES)
    if allowed > soft:
        with suppress(ValueError, OSError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (allowed, hard))
    limit, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return limit - len(os.listdir("/dev/fd")), limit
