"""While a command is still loading: Ctrl-C ends it quietly with 130, and no time goes into looking for garbage or plugins.

The first import of `stages`, and so of every command; `stages.shell.command` ends it. Nothing happens in other programs.
"""

import gc
import os
import signal
import sys


def _leave(_number: int, _frame: object) -> None:
    os.write(2, b"stopped\n")
    os._exit(130)


def leave() -> None:
    """End a command at once with 130; returns in any other program.

    The interpreter would take half a second to clear up, and would end with the signal instead if that came while code was made
    from text, as some imports do.
    """
    if _COMMAND:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(130)


_STARTED = sys.orig_argv
_COMMAND = "-m" in _STARTED and "".join(_STARTED[_STARTED.index("-m") + 1 :][:1]).startswith("stages.")
if _COMMAND:
    signal.signal(signal.SIGINT, _leave)
    gc.disable()
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")  # else it reads what every installed package offers
