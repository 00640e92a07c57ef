"""A kill between a draw and its repair, or at any other moment, has nothing paid for twice."""

import json
import os
import random
import signal
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.builders.provider import CountingServer
from tests.generate.batch_server import BatchServer
from tests.generate.repair.repairing import INVALID, answering, name_of, workspace
from tests.generate.test_kills import AT_ONCE, Killer, Runs
from tests.generate.workspace import Workspace

KILLS = 12
BRIEFS = 6


def stored(folder: Path) -> set[str]:
    """The calls whose answers are in the ledger, by the names that the server counts them under."""
    file = folder / ".ledger/answers.sqlite3"
    if not file.exists():
        return set()
    connection = sqlite3.connect(file)
    try:
        requests = [json.loads(row[0]) for row in connection.execute("SELECT request FROM answers")]
    except sqlite3.OperationalError:  # killed before the tables were made
        return set()
    finally:
        connection.close()
    kinds = ["repair" if "repair" in request else "draft" for request in requests]
    pairs = zip(kinds, requests, strict=True)
    return {f"{kind} of {request['input']}" for kind, request in pairs}


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_kills_at_random_moments_pay_nothing_twice(tmp_path: Path) -> None:
    moments = random.Random(20260101)
    killer = Killer()  # every answer is a graph without nodes
    kills = 0
    with CountingServer(killer.answering, latency_s=0.01, name=name_of) as server:
        limits = {"max_concurrency": AT_ONCE, "warm_prompt_cache": False}
        project = workspace(tmp_path, server.url, briefs=BRIEFS, runtime=limits)
        runs = Runs(project)
        while kills < KILLS:
            for file in (tmp_path / ".ledger").glob("answers*"):
                file.unlink()
            remove_responses(project)
            server.calls.clear()
            code = -signal.SIGKILL
            while code != 0:
                before, called_before = stored(tmp_path), server.calls.copy()
                code = runs.run(killer, moments.randint(0, 5), moments.uniform(0.0, 0.03))
                again = {name for name in before if server.calls[name] != called_before[name]}
                assert not again, f"paid for twice: {again}"
                assert before <= stored(tmp_path), "an answer was lost"
                kills += code != 0
            assert len(stored(tmp_path)) == 2 * BRIEFS
            assert "repair" in project.response("m/b1")
        runs.close()


def remove_responses(project: Workspace) -> None:
    """Remove the responses, so that no answer of an earlier round is adopted."""
    for file in (project.folder / "results").rglob("*.json"):
        file.unlink()


@pytest.fixture
def batch_server(tmp_path: Path) -> Iterator[BatchServer]:
    with BatchServer(tmp_path / "server") as server:
        yield server


def submitted(folder: Path) -> list[str]:
    """The request of every line of every batch that was created."""
    lines: list[str] = []
    for file in (folder / "server/batches").glob("*.json"):
        input_file = json.loads(file.read_text())["input_file_id"]
        content = (folder / "server/files" / input_file).read_bytes().splitlines()
        lines += [name_of(json.loads(line)["body"]) for line in content]
    return sorted(lines)


EVERY_CALL = ["draft of brief 1", "draft of brief 2", "repair of brief 1", "repair of brief 2"]


def test_repairs_go_in_batches_too(tmp_path: Path, batch_server: BatchServer) -> None:
    runtime = {"mode": "batch", "batch_poll_s": 0.02}
    project = workspace(tmp_path / "project", batch_server.url, briefs=2, runtime=runtime)
    done = project.run()
    assert done.returncode == 0, done.stderr
    assert submitted(tmp_path) == EVERY_CALL
    response = project.response("m/b1")
    assert response["service_tier"] == "batch"
    assert response["repair"]["first_latency_ms"] is None
    assert response["est_cost_usd"] == pytest.approx(2 * response["repair"]["repair_cost_usd"])


def test_a_batch_of_repairs_whose_state_was_unknown_is_collected_by_the_next_run(
    tmp_path: Path, batch_server: BatchServer
) -> None:
    behaviour = tmp_path / "server/behaviour.json"
    runtime = {"mode": "batch", "batch_poll_s": 0.02}
    project = workspace(
        tmp_path / "project",
        batch_server.url,
        briefs=2,
        generate={"repair": 0},
        runtime=runtime,
    )
    project.run()
    behaviour.write_text(json.dumps({"faults": {"GET /batches": [500] * 50}}))
    project.set(generate={"repair": 1}, runtime=runtime | {"cell_timeout_s": 0.05})
    project.run()
    assert "repair" not in project.response("m/b1")
    assert submitted(tmp_path) == EVERY_CALL
    behaviour.write_text("{}")
    project.set(runtime=runtime)
    assert project.run().returncode == 0
    assert submitted(tmp_path) == EVERY_CALL
    assert "repair" in project.response("m/b1")


def test_two_runs_at_once_send_an_answer_back_once(tmp_path: Path) -> None:
    with answering(dict.fromkeys(("brief 1", "brief 2", "brief 3"), INVALID)) as server:
        project = workspace(tmp_path, server.url)
        runs: list[Any] = [project.spawn(), project.spawn()]
        for run in runs:
            _, errors = run.communicate(timeout=120)
            assert run.returncode == 0, errors
    assert len(server.calls) == 6
    assert set(server.calls.values()) == {1}
