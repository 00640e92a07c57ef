"""A project that version 0.1 wrote works unchanged: nothing is called again, and no answer is read differently."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.generate.workspace import REPOSITORY, Done, Workspace

FIXTURE = REPOSITORY / "tests/fixtures/v0_1"
ANSWERED = ["b1", "b2", "b3", "b4", "b6"]
"""The briefs whose cells all have an answer; every call for b5 was refused."""


class Earlier(Workspace):
    """A copy of the project."""

    def __init__(self, folder: Path, *, ledger: bool) -> None:
        self.folder = folder
        for name in ("prompts", "briefs", "models", "results"):
            shutil.copytree(FIXTURE / name, folder / name)
        if ledger:
            shutil.copytree(FIXTURE / "ledger", folder / ".ledger")
        self.params = yaml.safe_load((FIXTURE / "params.yaml").read_text())
        self.set(briefs=ANSWERED)

    def responses(self) -> dict[str, dict[str, Any]]:
        """The responses of the answered briefs, without the one warning that version 0.1 did not have."""
        found = {
            name: json.loads(content)
            for name, content in self.outputs().items()
            if name.startswith("responses/") and name.split("/")[2] in ANSWERED
        }
        for response in found.values():
            response["warnings"] = [
                text for text in response["warnings"] if "does not follow the schema" not in text
            ]
        return found


@pytest.mark.parametrize(
    "ledger", [True, False], ids=["from the ledger", "adopted from the responses"]
)
def test_nothing_is_called_and_no_response_changes(tmp_path: Path, ledger: bool) -> None:
    workspace = Earlier(tmp_path, ledger=ledger)
    before = workspace.responses()
    done: Done = workspace.run()
    assert done.returncode == 0, done.stderr
    assert "40 cells: 32 success, 4 refused, 4 truncated; nothing was called" in done.stderr
    assert len(before) == 40
    assert workspace.responses() == before


def test_a_dry_run_knows_every_answer(tmp_path: Path) -> None:
    done = Earlier(tmp_path, ledger=True).run("--dry-run")
    assert done.stdout.count(" cached") == 40
    assert "all answered already" in done.stdout


def test_equal_inputs_have_the_run_id_and_the_hashes_that_they_had(tmp_path: Path) -> None:
    workspace = Earlier(tmp_path, ledger=True)
    workspace.set(briefs=["*"], runtime={"max_attempts": 1})
    before = json.loads(workspace.outputs()["run.json"])
    done = workspace.run()
    assert "4 cells have no answer" in done.stderr
    after = json.loads(workspace.outputs()["run.json"])
    assert len(after.pop("responses_sha256")) == 64  # new since version 0.1
    changed = {"git_sha": None, "tool_version": None}
    assert after | changed == before | changed
