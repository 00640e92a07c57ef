"""Calls that fail, from the first request to the files."""

import json
import sqlite3
from collections import Counter
from pathlib import Path

import pytest

from tests.pipeline.project import Project, create

pytestmark = pytest.mark.pipeline
ENDINGS = {
    "sim-defaults": {"success"},  # a drill holds up no other model
    "drill-calls": {
        "rate_limited", "server_error", "timeout_failed", "connection_failed", "invalid_request",
    },
    "drill-key": {"auth_failed"},
    "drill-quota": {"quota_exceeded"},
}  # fmt: skip


def statuses(project: Project, model: str) -> Counter[str]:
    files = (project.folder / "results" / "responses" / model).rglob("response.json")
    return Counter(json.loads(file.read_text(encoding="utf-8"))["status"] for file in files)


def test_every_way_in_which_a_call_can_fail_has_a_status_and_leaves_no_answer(
    tmp_path: Path,
) -> None:
    project = create(tmp_path / "project", tmp_path / "home")
    project.set(
        {
            "models": [*ENDINGS],
            "briefs": ["*"],
            "runtime.max_attempts": 1,
            "runtime.cell_timeout_s": 1,
        }
    )
    project.run("python", "-m", "stages.generate")
    assert {model: set(statuses(project, model)) for model in ENDINGS} == ENDINGS
    file = project.folder / ".ledger" / "answers.sqlite3"
    with sqlite3.connect(f"file:{file}?mode=ro", uri=True) as ledger:
        (answers,) = ledger.execute("SELECT count(*) FROM answers").fetchone()
    assert answers == statuses(project, "sim-defaults").total()
    for written in (project.folder / "results").rglob("*.json"):
        assert "127.0.0.1" not in written.read_text(encoding="utf-8")
