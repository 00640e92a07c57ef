"""Calls that fail, from the first request to the files."""

import json
import sqlite3
import sys
from collections import Counter
from pathlib import Path

import pytest

from tests.pipeline.project import Project, create

pytestmark = pytest.mark.pipeline


@pytest.fixture(scope="module")
def drilled(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """A project in which a model that answers ran beside the drills."""
    folder: Path = tmp_path_factory.mktemp("drilled")
    project = create(folder / "project", folder / "home")
    project.set(
        {
            "models": ["sim-defaults", "drill-calls", "drill-key", "drill-quota"],
            "briefs": ["*"],
            "runtime.max_attempts": 1,
            "runtime.cell_timeout_s": 1,
        }
    )
    project.run(sys.executable, "-m", "stages.generate")
    return project


def statuses(project: Project, model: str) -> Counter[str]:
    files = (project.folder / "results" / "responses" / model).rglob("response.json")
    return Counter(json.loads(file.read_text(encoding="utf-8"))["status"] for file in files)


def test_every_way_in_which_a_call_can_fail_has_a_status(drilled: Project) -> None:
    assert set(statuses(drilled, "drill-calls")) == {
        "rate_limited", "server_error", "timeout_failed", "connection_failed", "invalid_request",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("model", "status"), [("drill-key", "auth_failed"), ("drill-quota", "quota_exceeded")]
)
def test_a_key_that_fails_ends_all_calls_that_use_it(
    drilled: Project, model: str, status: str
) -> None:
    assert set(statuses(drilled, model)) == {status}


def test_a_drill_holds_up_no_other_model(drilled: Project) -> None:
    assert set(statuses(drilled, "sim-defaults")) == {"success"}


def test_a_failed_call_leaves_no_answer_in_the_ledger(drilled: Project) -> None:
    file = drilled.folder / ".ledger" / "answers.sqlite3"
    with sqlite3.connect(f"file:{file}?mode=ro", uri=True) as ledger:
        (answers,) = ledger.execute("SELECT count(*) FROM answers").fetchone()
    assert answers == sum(statuses(drilled, "sim-defaults").values())


def test_no_file_names_the_address_of_the_server(drilled: Project) -> None:
    naming = [
        file.name
        for file in (drilled.folder / "results").rglob("*.json")
        if "127.0.0.1" in file.read_text(encoding="utf-8")
    ]
    assert naming == []
