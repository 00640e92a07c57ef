"""Kills, caps and proposers that fail: nothing is paid twice, and the same command goes on."""

import signal
import sqlite3
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from tests.improve.improving import (
    BASE,
    BETTER,
    OPTIONS,
    ImproveWorkspace,
    equal_graphs,
    many_proposals,
    proposed,
    proposing,
    usable_with_better,
)

CLOSED = "http://127.0.0.1:9/v1"
"""Nothing listens there."""
PRICE = 0.006
"""Of a call, US dollars."""
REFUSED_TEXTS = {
    "garbage": "I would rather not.",
    "nothing": "",
    "no end": "<changes>" * 9_000 + "<prompt>" * 9_000,
    "200 KB": proposed(BETTER + "word " * 40_000),
    "the same": proposed(BASE),
}


@pytest.mark.parametrize("text", REFUSED_TEXTS.values(), ids=REFUSED_TEXTS)
def test_a_proposal_that_cannot_be_used_is_refused_and_counted(tmp_path: Path, text: str) -> None:
    with proposing(text, equal_graphs) as server:
        workspace = ImproveWorkspace(tmp_path, server.url)
        done = workspace.improve()
    found = workspace.improvement()
    assert done.returncode == 3, done.stderr
    assert [refusal["round"] for refusal in found["refusals"]] == [1, 2, 3]
    assert len({refusal["reason"] for refusal in found["refusals"]}) == 1
    assert len(found["candidates"]) == 1
    assert "refused 3 x: " in done.stdout


@pytest.mark.parametrize(("failing", "proposals"), [("proposal", 1), ("better", 1), ("Take", 0)])
def test_a_call_without_an_answer_ends_the_search(
    tmp_path: Path, failing: str, proposals: int
) -> None:
    with proposing(many_proposals, usable_with_better, failing=failing) as server:
        workspace = ImproveWorkspace(tmp_path, server.url)
        done = workspace.improve()
        assert (done.returncode, server.calls["proposal"]) == (4, proposals)
        assert "could not measure: invalid_request" in done.stdout
        server.failing = ""
        assert workspace.improve().returncode == 0
    assert workspace.outcome()["ended"] == "proven"


@pytest.mark.parametrize("calls", [3, 8, 13, 20, 33])
def test_the_cap_holds_and_a_larger_one_goes_on(tmp_path: Path, calls: int) -> None:
    with proposing(many_proposals, usable_with_better) as server:
        workspace = ImproveWorkspace(tmp_path, server.url)
        cap = f"{calls * PRICE + 0.0042:.4f}"
        done = workspace.improve(*OPTIONS[:5], cap, *OPTIONS[6:])
        assert done.returncode == 4, done.stderr
        assert server.calls.total() * PRICE <= float(cap)
        assert workspace.outcome()["ended"] == "budget"
        assert workspace.improve().returncode == 0
        assert set(server.calls.values()) == {1, 3}
        assert workspace.improvement()["calls"] == server.calls.total()


def test_a_lost_record_of_uses_is_reported_before_any_call(tmp_path: Path) -> None:
    with proposing(many_proposals, usable_with_better) as server:
        workspace = ImproveWorkspace(tmp_path, server.url)
        workspace.improve()
        (tmp_path / "results/improve/parts.json").unlink()
        calls = server.calls.total()
        workspace.write("prompts/draft.txt", f"{BASE}Be brief.\n")
        done = workspace.improve()
    assert (done.returncode, server.calls.total()) == (2, calls)
    assert "results/improve/parts.json: is missing, so that earlier uses" in done.stderr
    assert not (tmp_path / "results/improve/parts.json").exists()


def _run_until(server_calls: Callable[[], int], stop_at: int, workspace: ImproveWorkspace) -> int:
    process = workspace.start()
    while server_calls() < stop_at and process.poll() is None:
        time.sleep(0.01)
    process.kill()
    process.communicate()
    return server_calls()


def test_kills_at_every_step_pay_nothing_twice_and_change_no_result(tmp_path: Path) -> None:
    with proposing(proposed(BETTER), usable_with_better, latency_s=0.02) as server:
        undisturbed = ImproveWorkspace(tmp_path / "a", server.url)
        assert undisturbed.improve().returncode == 0
        answers = server.calls.total()
        killed = ImproveWorkspace(tmp_path / "b", server.url)
        lost = 0
        for stop_at in (2, 7, 9, 14, 21, 34):
            _run_until(lambda: server.calls.total() - answers, stop_at, killed)
            lost = server.calls.total() - answers - _stored(killed)
        assert killed.improve().returncode == 0
    assert server.calls.total() == 2 * answers + lost
    for name in ("improve.json", "improve/parts.json"):
        ours, theirs = (workspace.folder / "results" / name for workspace in (killed, undisturbed))
        assert ours.read_bytes() == theirs.read_bytes()


def _stored(workspace: ImproveWorkspace) -> int:
    """How many answers the ledger has."""
    file = workspace.folder / ".ledger/answers.sqlite3"
    if not file.exists():
        return 0
    with closing(sqlite3.connect(file)) as connection:
        return int(connection.execute("SELECT count(*) FROM answers").fetchone()[0])


def test_ctrl_c_ends_the_search_within_two_seconds(tmp_path: Path) -> None:
    with proposing(many_proposals, usable_with_better, latency_s=30) as server:
        process = ImproveWorkspace(tmp_path, server.url).start()
        while not server.bodies:
            time.sleep(0.01)
        started = time.monotonic()
        process.send_signal(signal.SIGINT)
        process.communicate()
        assert time.monotonic() - started < 2
    assert process.returncode == 130


def test_each_use_of_the_briefs_that_prove_has_a_smaller_error_rate(tmp_path: Path) -> None:
    with proposing(many_proposals, usable_with_better) as server:
        workspace = ImproveWorkspace(tmp_path, server.url)
        uses = []
        for extra in ("", "Be brief.\n", "Be exact.\n"):
            workspace.write("prompts/draft.txt", BASE + extra)
            workspace.improve()
            outcome = workspace.outcome()
            uses.append((outcome["use"], round(outcome["proof"]["plan"]["confidence"], 4)))
        workspace.write("prompts/draft.txt", BASE)
        workspace.improve()
    assert uses == [(1, 0.975), (2, 0.9917), (3, 0.9958)]
    assert workspace.outcome()["use"] == 1
