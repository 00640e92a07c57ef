"""Ctrl-C while a command is still loading ends it with exit code 130 and without a traceback.

The first import of `stages`, so that it holds from the start; `stages.shell.command` takes over. Other programs that import
the package keep their own handler.
"""

import os
import signal
import sys

_STARTED = sys.orig_argv
_COMMAND = "-m" in _STARTED and "".join(_STARTED[_STARTED.index("-m") + 1 :][:1]).startswith("stages.")


def _end_at_once(_number: int, _frame: object) -> None:
    os.write(2, b"stopped\n")
    os._exit(130)


def end_command() -> None:
    """End a command of ours at once with 130; returns in any other program.

    The interpreter's own shutdown would take half a second, and a second Ctrl-C would print a traceback.
    """
    if _COMMAND:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(130)


if _COMMAND:
    signal.signal(signal.SIGINT, _end_at_once)
