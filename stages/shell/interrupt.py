"""Ctrl-C while a command is still loading ends it quietly with 130; the first import of every `__main__`."""

import os
import signal
import sys


def _leave(_number: int, _frame: object) -> None:
    os.write(2, b"stopped\n")
    os._exit(130)


_MAIN = getattr(sys.modules["__main__"], "__spec__", None)
if _MAIN is not None and _MAIN.name.startswith("stages."):
    signal.signal(signal.SIGINT, _leave)
