"""Stopping in the middle: by Ctrl-C, by SIGTERM, by the death of what started the stage, by a full disk, by another run."""

import signal
import sqlite3
import subprocess
import sys
import threading
import time
from contextlib import contextmanager, suppress
from functools import partial

import pytest

from graph_evaluator.generate.ledger.store import Ledger
from tests import REPOSITORY
from tests.builders.cases import cases
from tests.builders.provider import always, answer_body
from tests.generate.forked import PATIENCE_S, ended, fork, until
from tests.generate.workspace import Workspace, model

SLOW = {"max_concurrency": 2, "warm_prompt_cache": False}
STUCK = """
import asyncio, threading
from graph_evaluator.shell.command import stoppable
async def work():
    asyncio.get_running_loop().run_in_executor(None, threading.Event().wait)
    print("stuck", flush=True)
    await asyncio.Event().wait()
async def store():
    return "stopped; all is kept"
asyncio.run(stoppable(work(), store, lambda: "stopped; something is lost"))
"""


IMPATIENT = """
import sys
from graph_evaluator.generate.__main__ import main
from graph_evaluator.generate.ledger import rows
from graph_evaluator.shell.command import run
rows._TIMEOUT_S = 0.2
sys.argv = ["generate"]
run(main)
"""


class Held:
    """Answers the first `free` calls at once, and holds the others until `go`; `full` is set when two calls are held."""

    def __init__(self, free):
        self.go = threading.Event()
        self.full = threading.Event()
        self._left = free + SLOW["max_concurrency"]
        self._lock = threading.Lock()

    def answering(self, brief, nth):
        """An answer, now or later."""
        with self._lock:
            self._left -= 1
            is_held = self._left < SLOW["max_concurrency"]
            if self._left == 0:
                self.full.set()
        if is_held:
            self.go.wait(PATIENCE_S)
        return 200, answer_body("no JSON")


def slow(folder, server, briefs):
    """A project whose calls are made two at once."""
    return Workspace(folder, model(url=server.url), briefs=briefs, runtime=SLOW)


def has_said(project, words):
    return words in (project.folder / "log").read_text()


@cases("which", {"Ctrl-C": signal.SIGINT, "SIGTERM": signal.SIGTERM})
def test_a_stopped_run_ends_at_once_with_130_and_keeps_what_had_arrived(server, tmp_path, which):
    held = Held(free=3)
    server.answering = held.answering
    workspace = slow(tmp_path, server, briefs=8)
    process = workspace.spawn()
    assert held.full.wait(PATIENCE_S)
    process.send_signal(which)
    started = time.monotonic()
    _, stderr = process.communicate(timeout=PATIENCE_S)
    took_s = time.monotonic() - started
    assert process.returncode == 130, stderr
    assert took_s < 10  # two seconds on a machine that has nothing else to do
    assert "all answers that arrived are kept" in stderr
    assert "Traceback" not in stderr
    assert not list(tmp_path.glob("results/*"))
    held.go.set()
    assert workspace.run().returncode == 0
    assert sorted(server.calls.values()) == [1] * 6 + [2] * 2


@contextmanager
def stopped_while_the_ledger_is_locked(workspace, server):
    """A run that was stopped when its answer had arrived, and the program that has locked the ledger meanwhile."""
    with Ledger(workspace.folder / ".ledger") as ledger:
        file = ledger.file
    other = sqlite3.connect(file, isolation_level=None, check_same_thread=False)

    def answering(_brief, _nth):
        other.execute("BEGIN IMMEDIATE")
        return 200, answer_body()

    server.answering = answering
    process = subprocess.Popen(
        [sys.executable, "-c", IMPATIENT],
        cwd=workspace.folder,
        env=workspace.environment(),
        stderr=subprocess.PIPE,
        text=True,
    )
    said = process.stderr
    assert said is not None
    until(lambda: "another program has locked the ledger" in said.readline())
    process.send_signal(signal.SIGINT)
    until(lambda: "still being stored" in said.readline())
    yield process, other
    other.close()
    server.answering = always


def test_ctrl_c_waits_for_a_locked_ledger_and_keeps_every_answer_that_had_arrived(server, tmp_path):
    workspace = Workspace(tmp_path, model(url=server.url), briefs=1)
    with stopped_while_the_ledger_is_locked(workspace, server) as (process, other):
        other.execute("ROLLBACK")
        _, reported = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 130
    assert "all answers that arrived are kept" in reported
    assert workspace.run().returncode == 0
    assert server.calls.total() == 1


def test_a_second_ctrl_c_ends_at_once_and_names_what_is_lost(server, tmp_path):
    workspace = Workspace(tmp_path, model(url=server.url), briefs=1)
    with stopped_while_the_ledger_is_locked(workspace, server) as (process, _):
        process.send_signal(signal.SIGINT)
        _, reported = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 130
    assert "1 answer is lost after arriving: m/b1/response.json" in reported
    assert workspace.run().returncode == 0
    assert server.calls.total() == 2


@cases("files, calls", {"few files": (64, 40), "too few": (20, 0)})
def test_no_answer_is_lost_for_lack_of_files(server, tmp_path, files, calls):
    runtime = {"max_concurrency": 300, "warm_prompt_cache": False}
    workspace = Workspace(tmp_path, model(url=server.url), briefs=40, runtime=runtime)
    done = subprocess.run(
        ["bash", "-c", f"ulimit -n {files}; exec {sys.executable} -m graph_evaluator generate"],
        cwd=tmp_path,
        env=workspace.environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == (0 if calls else 2), done.stderr
    assert f"the system allows {files} open files (ulimit -n)" in done.stderr
    assert server.calls.total() == calls
    assert workspace.run().returncode == 0
    assert server.calls.total() == 40


def test_a_thread_that_cannot_be_ended_does_not_hold_up_the_end():
    process = subprocess.Popen(
        [sys.executable, "-c", STUCK],
        cwd=REPOSITORY,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "stuck\n"
    process.send_signal(signal.SIGINT)
    _, reported = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 130
    assert reported == "error: stopped; all is kept\n"


def test_a_stage_whose_pipeline_was_killed_stops_spending(server, tmp_path):
    held = Held(free=1)
    server.answering = held.answering
    workspace = slow(tmp_path, server, briefs=8)
    stage = f"{sys.executable} -m graph_evaluator.generate 2>log; echo $? >code"
    shell = "import subprocess, sys; subprocess.run(sys.argv[1:])"
    pipeline = subprocess.Popen(
        [sys.executable, "-c", shell, "sh", "-c", stage],
        cwd=tmp_path,
        env=workspace.environment(DVC_ROOT=str(tmp_path)),
    )
    assert held.full.wait(PATIENCE_S)
    pipeline.kill()
    pipeline.wait()
    code = tmp_path / "code"
    assert until(lambda: code.exists() and code.read_text()) == "130\n"
    assert server.calls.total() == 3
    held.go.set()


def test_two_runs_at_once_pay_for_each_answer_and_each_redraw_once(server, tmp_path):
    held = Held(free=1)  # held are a first draw and the second one of another cell
    server.answering = held.answering
    project = slow(tmp_path, server, briefs=6)
    project.set(generate={"unparsed_draws": 2})
    first = fork(project)
    assert held.full.wait(PATIENCE_S)
    second = fork(project)
    until(partial(has_said, project, "waiting for 6 answers from another run\n"))
    held.go.set()
    assert ended(first) == 0
    assert ended(second) == 0
    assert list(server.calls.values()) == [2] * 6


def test_a_run_takes_over_from_one_that_was_killed(server, tmp_path):
    held = Held(free=1)
    server.answering = held.answering
    workspace = slow(tmp_path, server, briefs=4)
    first = fork(workspace)
    assert held.full.wait(PATIENCE_S)
    second = fork(workspace)
    until(partial(has_said, workspace, "waiting"))
    first.kill()
    ended(first)
    held.go.set()
    assert ended(second) == 0
    assert sorted(server.calls.values()) == [1, 1, 2, 2]


@pytest.fixture
def small_disk(tmp_path):
    """The ledger folder of a project, on a disk of 20 MB."""
    folder = tmp_path / "project/.ledger"
    folder.mkdir(parents=True)
    mount = ["mount", "-t", "tmpfs", "-o", "size=20m", "tmpfs", str(folder)]
    if subprocess.run(mount, check=False, capture_output=True).returncode:
        pytest.skip("only root may mount a disk")
    yield folder
    subprocess.run(["umount", str(folder)], check=True)


def fill(disk):
    with (disk / "hog").open("wb", buffering=0) as hog, suppress(OSError):
        while hog.write(bytes(4096)):
            pass


def test_a_disk_that_fills_up_loses_no_answer_and_ends_the_run_with_one_message(server, small_disk):
    answer, filled = answer_body("x" * 30_000), threading.Event()

    def answering(_brief, _nth):
        if server.calls.total() >= 16 and not filled.is_set():
            filled.set()
            fill(small_disk)
        return 200, answer

    server.answering = answering
    runtime = {"max_concurrency": 32, "warm_prompt_cache": False}
    workspace = Workspace(small_disk.parent, model(url=server.url), briefs=200, runtime=runtime)
    done = workspace.run()
    assert done.returncode == 2, done.stderr
    assert "Traceback" not in done.stderr
    assert "is full: free some space and run again" in done.stderr
    assert server.calls.total() < 200
    (small_disk / "hog").unlink()
    assert workspace.run().returncode == 0
    assert server.calls.total() == 200
