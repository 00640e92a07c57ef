"""Runs of the stage as processes of their own, forked from one that has imported everything."""

import multiprocessing
import os
import sys
import time
from multiprocessing.context import ForkServerProcess

from graph_evaluator.generate.__main__ import main
from graph_evaluator.shell.command import run

PATIENCE_S = 60.0
FORKED = multiprocessing.get_context("forkserver")
FORKED.set_forkserver_preload(
    [
        "tests.generate.forked",
        "graph_evaluator.generate.calls.callers",
        "httpcore2",
        "genai_prices.data",
    ]
)


def fork(workspace, **variables) -> ForkServerProcess:
    """Start the stage; what it prints is in the file `log` of its folder."""
    process = FORKED.Process(
        target=run_stage, args=(str(workspace.folder), workspace.environment(**variables))
    )
    process.start()
    return process


def run_stage(folder, environment):
    """What the process does."""
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    sys.argv = ["generate"]
    log = os.open("log", os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    os.dup2(log, 2)
    run(main)


def ended(process):
    """How the process ended, once it has: its exit code, negative for a signal."""
    process.join(PATIENCE_S)
    return process.exitcode


def until(look):
    """What `look` finds, as soon as it finds something."""
    end = time.monotonic() + PATIENCE_S
    while not (found := look()):
        assert time.monotonic() < end, "it did not come"
        time.sleep(0.01)
    return found
