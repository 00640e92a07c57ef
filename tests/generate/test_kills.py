"""`kill -9` at any moment loses no answer that had arrived; the next run calls only what is missing."""

import os
import random
import signal
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.builders.provider import CountingServer, answer_body
from tests.generate.workspace import Workspace, model

KILLS = 50
BRIEFS = 16
AT_ONCE = 4


class Runs:
    """Runs of the stage in a workspace, forked from a process that has imported everything."""

    def __init__(self, workspace: Workspace) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "tests.generate.forking_stage"],
            cwd=workspace.folder,
            env=workspace.environment(),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def run(self, killer: "Killer", calls: int, wait_s: float) -> int:
        """The exit code of a run that is killed so long after so many calls, unless it has ended before."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write("\n")
        self.process.stdin.flush()
        pid = int(self.process.stdout.readline())
        killer.aim(pid, calls, wait_s)
        code = int(self.process.stdout.readline())
        killer.rest()
        return code

    def close(self) -> None:
        """End the process that runs are forked from."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        self.process.wait()


class Killer:
    """Answers calls, and kills a process so long after so many of them; a count of calls means the same on any machine."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._timer: threading.Timer | None = None
        self._left = 0
        self._start: Callable[[], None] = lambda: None

    def aim(self, pid: int, calls: int, wait_s: float) -> None:
        """Kill the process `wait_s` after the next `calls` calls."""
        with self._lock:
            self._timer = threading.Timer(wait_s, os.kill, (pid, signal.SIGKILL))
            self._left = calls
            if not calls:
                self._timer.start()

    def rest(self) -> None:
        """Kill no more."""
        with self._lock:
            if self._timer is not None:
                self._timer.cancel()
            self._timer = None

    def answering(self, brief: str, nth: int) -> tuple[int, bytes]:
        """An answer; called as a call comes in."""
        with self._lock:
            self._left -= 1
            if self._left == 0 and self._timer is not None:
                self._timer.start()
        return 200, answer_body()


def kept(folder: Path) -> set[str]:
    """The briefs whose answer is in the ledger."""
    if not (folder / ".ledger/answers.sqlite3").exists():
        return set()
    connection = sqlite3.connect(folder / ".ledger/answers.sqlite3")
    try:
        of_round = "SELECT json_extract(request, '$.input') FROM answers WHERE source <> 'adopted'"  # others: earlier rounds
        return {row[0] for row in connection.execute(of_round)}
    except sqlite3.OperationalError:  # killed before the tables were made
        return set()
    finally:
        connection.close()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_fifty_kills_at_random_moments_lose_nothing_and_pay_nothing_twice(tmp_path: Path) -> None:
    moments = random.Random(20260101)
    kills = rounds = 0
    killer = Killer()
    with CountingServer(killer.answering, latency_s=0.01) as server:
        workspace = Workspace(
            tmp_path,
            model(url=server.url),
            briefs=BRIEFS,
            runtime={"max_concurrency": AT_ONCE, "warm_prompt_cache": False},
        )
        runs = Runs(workspace)
        while kills < KILLS:
            rounds += 1
            workspace.set(generate={"round": rounds})
            server.calls.clear()
            for file in (tmp_path / ".ledger").glob("answers*"):
                file.unlink()
            killed_here = 0
            while True:
                before = kept(tmp_path)
                called_before = server.calls.copy()
                code = runs.run(killer, moments.randint(0, 6), moments.uniform(0.0, 0.03))
                again = {brief for brief in before if server.calls[brief] != called_before[brief]}
                assert not again, f"paid for twice: {again}"
                assert before <= kept(tmp_path), "an answer was lost"
                if code == 0:
                    break
                assert code == -signal.SIGKILL, (tmp_path / "log").read_text()
                killed_here += 1
            kills += killed_here
            assert len(kept(tmp_path)) == BRIEFS
            assert set(server.calls) == kept(tmp_path)
            assert sum(server.calls.values()) <= BRIEFS + killed_here * AT_ONCE
            assert len(list((tmp_path / "results").rglob("response.json"))) == BRIEFS
        runs.close()
