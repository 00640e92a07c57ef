"""Stopping in the middle: by Ctrl-C, by SIGTERM, by the death of what started the stage, by a full disk, by another run."""

import resource
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

from tests.builders.cases import cases
from tests.builders.provider import CountingServer, answer_body
from tests.generate.workspace import Workspace, model

SLOW = {"max_concurrency": 2, "warm_prompt_cache": False}


class Held:
    """Answers the first `free` calls at once, and holds the others until `go`; `full` is set when two calls are held."""

    def __init__(self, free: int) -> None:
        self.go = threading.Event()
        self.full = threading.Event()
        self._free = free
        self._held = 0
        self._lock = threading.Lock()

    def answering(self, brief: str, nth: int) -> tuple[int, bytes]:
        """An answer, now or later."""
        with self._lock:
            self._free -= 1
            held = self._free < 0
            if held:
                self._held += 1
                if self._held == SLOW["max_concurrency"]:
                    self.full.set()
        if held:
            self.go.wait(60)
        return 200, answer_body()


@cases(
    "which",
    {
        "Ctrl-C": signal.SIGINT,
        "SIGTERM": signal.SIGTERM,
    },
)
def test_a_stopped_run_ends_at_once_with_130_and_keeps_what_had_arrived(
    tmp_path: Path, which: signal.Signals
) -> None:
    held = Held(free=3)
    with CountingServer(held.answering) as server:
        workspace = Workspace(tmp_path, model(url=server.url), briefs=8, runtime=SLOW)
        process = workspace.spawn()
        assert held.full.wait(60)
        process.send_signal(which)
        started = time.monotonic()
        _, stderr = process.communicate(timeout=60)
        took_s = time.monotonic() - started
        assert process.returncode == 130, stderr
        assert took_s < 10  # two seconds on a machine that has nothing else to do
        assert "every answer that had arrived is kept" in stderr
        assert "Traceback" not in stderr
        assert not list(tmp_path.glob("results/*"))
        held.go.set()
        assert workspace.run().returncode == 0
    assert sum(server.calls.values()) == 8 + 2
    assert sorted(server.calls.values()) == [1] * 6 + [2] * 2


def test_a_stage_whose_pipeline_was_killed_stops_spending(tmp_path: Path) -> None:
    held = Held(free=1)
    shell = "import subprocess, sys; subprocess.run(sys.argv[1:])"
    with CountingServer(held.answering) as server:
        workspace = Workspace(tmp_path, model(url=server.url), briefs=8, runtime=SLOW)
        pipeline = subprocess.Popen(
            [
                sys.executable,
                "-c",
                shell,
                "sh",
                "-c",
                f"{sys.executable} -m stages.generate 2>log; echo $? >code",
            ],
            cwd=tmp_path,
            env=workspace.environment(DVC_ROOT=str(tmp_path)),
        )
        assert held.full.wait(60)
        pipeline.kill()
        pipeline.wait()
        for _ in range(600):
            if (tmp_path / "code").exists() and (tmp_path / "code").read_text():
                break
            threading.Event().wait(0.1)
        assert (tmp_path / "code").read_text() == "130\n"
        assert sum(server.calls.values()) == 3
        held.go.set()


def test_two_runs_at_once_pay_for_each_answer_once(tmp_path: Path) -> None:
    held = Held(free=0)
    with CountingServer(held.answering) as server:
        workspace = Workspace(tmp_path, model(url=server.url), briefs=6, runtime=SLOW)
        first = workspace.spawn()
        assert held.full.wait(60)
        second = workspace.spawn()
        assert second.stderr is not None
        line = next(line for line in second.stderr if "waiting" in line)
        held.go.set()
        codes = (first.wait(60), second.wait(60))
        first.communicate()
        second.communicate()
    assert line == "waiting for 6 answers that another run is fetching\n"
    assert codes == (0, 0)
    assert set(server.calls.values()) == {1}


def test_a_run_takes_over_from_one_that_was_killed(tmp_path: Path) -> None:
    held = Held(free=1)
    with CountingServer(held.answering) as server:
        workspace = Workspace(tmp_path, model(url=server.url), briefs=4, runtime=SLOW)
        first = workspace.spawn()
        assert held.full.wait(60)
        second = workspace.spawn()
        assert second.stderr is not None
        assert next(line for line in second.stderr if "waiting" in line)
        first.kill()
        first.communicate()
        held.go.set()
        _, stderr = second.communicate(timeout=60)
    assert second.returncode == 0, stderr
    assert sorted(server.calls.values()) == [1, 1, 2, 2]


def test_a_disk_that_fills_up_ends_the_run_with_one_message_and_what_fitted_is_kept(
    tmp_path: Path,
) -> None:
    def answering(brief: str, nth: int) -> tuple[int, bytes]:
        return 200, answer_body('{"x": "' + "x" * 1_000_000 + '"}')

    with CountingServer(answering) as server:
        workspace = Workspace(tmp_path, model(url=server.url), briefs=40, runtime=SLOW)
        done = subprocess.run(
            [sys.executable, "-m", "stages.generate"],
            cwd=tmp_path,
            env=workspace.environment(),
            capture_output=True,
            text=True,
            check=False,
            preexec_fn=lambda: _limit_file_size(9_000_000),
        )
        assert done.returncode == 2, done.stderr
        assert "Traceback" not in done.stderr
        assert ".ledger/answers.sqlite3" in done.stderr
        first = server.calls.copy()
        assert workspace.run().returncode == 0
    again = sum(count > 1 for count in server.calls.values())
    assert again <= 2 * SLOW["max_concurrency"]
    assert len(first) < 40


def _limit_file_size(size: int) -> None:
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
