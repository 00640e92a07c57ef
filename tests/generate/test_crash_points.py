"""Whatever change of a file is the last one before a process dies, no answer is lost; the next run calls only what is missing, and writes whole results."""

import os
import shutil
import sqlite3
import sys
from contextlib import chdir
from pathlib import Path
from unittest import mock

import pytest

from graph_evaluator.generate.batch import collect
from graph_evaluator.shell.results import check_responses
from tests.builders.batch_provider import BatchProvider
from tests.generate.workspace import Workspace, model
from tests.settle.settling import PROMPTS, SettleWorkspace, always_equal, counting, ended

ONE_BY_ONE = {"max_concurrency": 1, "warm_prompt_cache": False}
BATCHES = {"mode": "batch", "batch_poll_s": 0.01}
CHANGES = {"os.rename", "os.remove", "os.mkdir", "os.rmdir", "os.chmod", "os.truncate"}


class Recorder:
    """Takes down what is in a folder before every change of a file, where it differs: what a
    process leaves that is killed then. SQLite's statements count as changes.
    """

    def __init__(self):
        self.points: list[tuple[int, dict[Path, bytes | None]]] = []
        self._folder: Path | None = None
        self._connect = sqlite3.connect
        sys.addaudithook(self._look)

    def record(self, folder, run, count_calls):
        """The number of calls and the content before each change while a command runs."""
        self.points, self._count_calls, self._folder = [], count_calls, folder
        with mock.patch("sqlite3.connect", self._traced):
            assert run().returncode == 0
        self._folder = None
        return self.points

    def _take(self, _statement=""):
        folder, self._folder = self._folder, None
        if folder is None:
            return
        paths = sorted(path for path in folder.rglob("*") if not path.name.endswith("-shm"))
        content = {path: path.read_bytes() if path.is_file() else None for path in paths}
        point = (self._count_calls(), content)
        if point not in self.points[-1:]:
            self.points.append(point)
        self._folder = folder

    def _look(self, event, details):
        if self._folder is None:
            return
        is_written = event == "open" and bool((details[2] or 0) & (os.O_WRONLY | os.O_RDWR))
        if is_written or event in CHANGES:
            self._take()

    def _traced(self, *arguments, **options):
        connection = self._connect(*arguments, **options)
        connection.set_trace_callback(self._take)
        return connection


@pytest.fixture(scope="module")
def recorder():
    return Recorder()


def restore(folder, content):
    shutil.rmtree(folder)
    folder.mkdir()
    for path, raw in content.items():
        if raw is None:
            path.mkdir()
        else:
            path.write_bytes(raw)


def check_points(points, folder, run, server):
    """From every point the command completes, and calls again only what was not stored yet."""
    assert len(points) > 10
    repeated = []
    for calls, content in points:
        restore(folder, content)
        server.calls.clear()
        assert run().returncode == 0
        repeated.append(calls + server.calls.total() - 1)
        assert server.calls.total() <= 1
    first = points.index(next(point for point in points if point[0]))
    assert repeated[:first] == [0] * first
    assert repeated[first:] == sorted(repeated[first:], reverse=True)
    assert sum(repeated) <= 3
    assert repeated[-1] == 0


def test_a_run_that_creates_a_ledger_adopts_calls_and_publishes(recorder, server, tmp_path):
    project = Workspace(tmp_path / "project", model(url=server.url), briefs=1, runtime=ONE_BY_ONE)
    project.run()
    shutil.rmtree(project.folder / ".ledger")
    (project.folder / "briefs/b1.md").rename(project.folder / "briefs/b2.md")
    project.write("briefs/b3.md", "---\ncomplexity: simple\n---\n\nbrief 3\n")
    server.calls.clear()
    points = recorder.record(project.folder, project.run, server.calls.total)
    check_points(points, project.folder, project.run, server)
    with chdir(project.folder):
        assert check_responses() is not None


def test_settle(recorder, tmp_path):
    with counting(always_equal) as server:
        project = SettleWorkspace(tmp_path / "project", server.url, runtime=ONE_BY_ONE)
        project.run()
        project.set(prompt="prompts/new.txt", briefs=[f"b{number}" for number in range(2, 9)])
        project.run()
        project.set(briefs=["*"])
        server.calls.clear()

        def settle():
            return project.settle(*PROMPTS, "--max-usd", "9")

        points = recorder.record(project.folder, settle, server.calls.total)
        check_points(points, project.folder, settle, server)
        assert ended(settle()).calls == 1


def test_a_batch(recorder, tmp_path, monkeypatch):
    monkeypatch.setattr(collect, "LISTED_AFTER_S", 0.0)
    with BatchProvider() as service:
        config = model(url=service.url)
        project = Workspace(tmp_path / "project", config, briefs=2, runtime=BATCHES)
        points = recorder.record(project.folder, project.run, lambda: len(service.batches))
        created = service.batches
        assert len(points) > 20
        for batches, content in points:
            restore(project.folder, content)
            service.batches = created if batches else {}
            assert project.run().returncode == 0
            assert len(service.submitted()) == 2
            assert project.response("m/b2")["status"] == "success"
