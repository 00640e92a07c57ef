"""While a command is still loading: Ctrl-C ends it quietly with 130, and no time goes into looking for garbage or plugins.

The first import of every `__main__`; `stages.shell.command` ends it.
"""

import gc
import os
import signal
import sys


def _leave(_number: int, _frame: object) -> None:
    os.write(2, b"stopped\n")
    os._exit(130)


_MAIN = getattr(sys.modules["__main__"], "__spec__", None)
if _MAIN is not None and _MAIN.name.startswith("stages."):
    signal.signal(signal.SIGINT, _leave)
    gc.disable()
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")  # else it reads what every installed package offers
