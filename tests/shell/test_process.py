"""Ctrl-C ends a command quietly with 130, whatever it was doing; a process whose parents die notices it."""

import os
import subprocess
import sys
import threading

import pytest

from graph_evaluator.shell import process
from tests import REPOSITORY
from tests.builders.cases import cases

INTERRUPTED = """
import os, signal
from graph_evaluator.shell.command import run
def main():
    {}
run(main)
"""


def probe(text):
    """Run a program that is a command of ours."""
    program = f"from graph_evaluator.shell.process import begin_command\nbegin_command()\n{text}"
    return subprocess.run(
        [sys.executable, "-c", program],
        cwd=REPOSITORY,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
@cases(
    "text",
    {
        "while it loads": "import os, signal; os.kill(os.getpid(), signal.SIGINT)",
        "in its work": INTERRUPTED.format("os.kill(os.getpid(), signal.SIGINT)"),
        "while code is made from text": INTERRUPTED.format(
            "exec('os.kill(os.getpid(), signal.SIGINT); [0] * 9')"
        ),
    },
)
def test_an_interrupted_command_says_that_it_stopped_and_ends_with_130(text):
    ended = probe(text)
    assert (ended.returncode, ended.stderr) == (130, "stopped\n")


def test_other_programs_that_load_the_package_keep_their_settings():
    code = "import signal; own = signal.getsignal(signal.SIGINT); import graph_evaluator.shell.process; print(signal.getsignal(signal.SIGINT) is own)"
    reported = subprocess.run(
        [sys.executable, "-c", code], cwd=REPOSITORY, capture_output=True, text=True, check=True
    )
    assert reported.stdout == "True\n"


@pytest.mark.parametrize("died", [True, False])
def test_a_process_above_that_died_is_noticed_at_once(died, monkeypatch):
    stop, noticed = threading.Event(), threading.Event()
    monkeypatch.setattr(process, "AT_START", (1_999_999_999, 1) if died else process.ancestors())
    monkeypatch.setattr(os, "kill", lambda *_: noticed.set())
    process.watch_parent(stop)
    assert noticed.wait(10 if died else 0.3) is died
    stop.set()
