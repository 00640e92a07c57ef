"""`kill -9` at any moment loses no answer that had arrived; the next run calls only what is missing."""

import contextlib
import json
import os
import random
import shutil
import signal
import sqlite3
import threading
from collections import Counter

from tests.builders.provider import CountingServer, answer_body
from tests.generate.forked import ended, fork
from tests.generate.workspace import Workspace, model

KILLS = 50
BRIEFS = 8
AT_ONCE = 4
DRAWS = 2
EVERY_CALL = Counter({f"brief {brief}": DRAWS for brief in range(1, BRIEFS + 1)})


class Killer:
    """Answers calls, and kills a process so long after so many of them; a count of calls means the same on any machine."""

    def __init__(self):
        self._lock = threading.Lock()
        self._timer = threading.Timer(0, print)
        self._left = 0

    def aim(self, pid, calls, wait_s):
        """Kill the process `wait_s` after the next `calls` calls."""
        with self._lock:
            self._timer = threading.Timer(wait_s, os.kill, (pid, signal.SIGKILL))
            self._left = calls
            if not calls:
                self._timer.start()

    def rest(self):
        """Kill no more."""
        with self._lock:
            self._timer.cancel()
            self._left = 0

    def answering(self, call, nth):
        """An answer; called as a call comes in."""
        with self._lock:
            self._left -= 1
            if self._left == 0:
                self._timer.start()
        return 200, answer_body("no JSON")


def stored(folder):
    """How many answers to each brief are in the ledger."""
    file = folder / ".ledger/answers.sqlite3"
    if not file.exists():
        return Counter()
    with contextlib.closing(sqlite3.connect(file)) as connection:
        try:
            rows = connection.execute("SELECT request FROM answers").fetchall()
        except sqlite3.OperationalError:  # killed before the tables were made
            return Counter()
    return Counter(json.loads(request)["input"] for (request,) in rows)


def test_fifty_kills_at_random_moments_lose_nothing_and_pay_nothing_twice(tmp_path):
    moments = random.Random(20260101)
    kills = 0
    killer = Killer()
    with CountingServer(killer.answering, latency_s=0.01) as server:
        limits = {"max_concurrency": AT_ONCE, "warm_prompt_cache": False}
        project = Workspace(
            tmp_path,
            model(url=server.url),
            briefs=BRIEFS,
            generate={"unparsed_draws": DRAWS},
            runtime=limits,
        )
        while kills < KILLS:
            for results in (".ledger", "results"):
                shutil.rmtree(tmp_path / results, ignore_errors=True)
            server.calls.clear()
            kills_before, code = kills, None
            while code != 0:
                before, called_before = stored(tmp_path), server.calls.copy()
                process = fork(project)
                killer.aim(process.pid, moments.randint(0, 6), moments.uniform(0.0, 0.03))
                code = ended(process)
                killer.rest()
                assert code in (0, -signal.SIGKILL), (tmp_path / "log").read_text()
                complete = [brief for brief in before if before[brief] == DRAWS]
                again = [name for name in complete if server.calls[name] != called_before[name]]
                assert not again, f"paid for twice: {again}"
                assert before <= stored(tmp_path), "an answer was lost"
                kills += code != 0
            assert stored(tmp_path) == EVERY_CALL
            most_calls = EVERY_CALL.total() + (kills - kills_before) * AT_ONCE
            assert server.calls.total() <= most_calls
            drawn = [project.response(f"m/b{brief}")["draws"] for brief in range(1, BRIEFS + 1)]
            assert drawn == [DRAWS] * BRIEFS
