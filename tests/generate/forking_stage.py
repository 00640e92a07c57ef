"""Starts the stage again and again without importing it again and again: each line read starts a run, whose pid is printed.

A run is a process of its own, forked from this one; when it has ended, its exit code is printed, negative for a signal.
"""

import os
import sys

import stages.generate.pipeline
from stages.generate.__main__ import main
from stages.generate.prices import published_prices
from stages.shell.command import run


def start() -> None:
    """Fork a run and wait for its end."""
    pid = os.fork()
    if pid == 0:
        code = 1
        try:
            os.dup2(os.open("log", os.O_WRONLY | os.O_CREAT | os.O_APPEND), 2)
            os.dup2(2, 1)
            run(main)
        except SystemExit as end:
            code = int(end.code or 0)
        finally:
            os._exit(code)
    print(pid, flush=True)
    _, status = os.waitpid(pid, 0)
    print(os.waitstatus_to_exitcode(status), flush=True)


LOADED = stages.generate.pipeline
"""What a run would otherwise load by itself."""

if __name__ == "__main__":
    published_prices("openai", None, "gpt-4.1")
    sys.argv = ["generate"]
    for _ in sys.stdin:
        start()
