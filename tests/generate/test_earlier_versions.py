"""A project that an earlier version wrote works unchanged: nothing is called, and no answer is read differently."""

import json
import re
from pathlib import Path

import pytest

from tests.builders.cases import cases
from tests.generate.earlier_projects import EARLIER_VERSIONS, EarlierProject, EarlierVersion

OF_EACH_VERSION = pytest.mark.parametrize("version", EARLIER_VERSIONS, ids=str)


@OF_EACH_VERSION
@cases("ledger", {"from the ledger": True, "adopted from the responses": False})
def test_nothing_is_called_and_no_response_changes(
    tmp_path: Path, version: EarlierVersion, ledger: bool
) -> None:
    project = EarlierProject(tmp_path, version, ledger=ledger)
    project.set_answered()
    before = project.answered_responses()
    forecast = project.run("--dry-run", "--cells").stdout
    assert len(re.findall(r" [12] +stored", forecast)) == version.cells
    assert "all answered already" in forecast
    done = project.run()
    assert done.returncode == 0, done.stderr
    assert version.outcome in done.stderr
    assert len(before) == version.cells
    assert project.answered_responses() == before


@OF_EACH_VERSION
def test_equal_inputs_have_the_run_id_and_the_hashes_that_they_had(
    tmp_path: Path, version: EarlierVersion
) -> None:
    project = EarlierProject(tmp_path, version)
    project.set(runtime={"max_attempts": 1})
    before = json.loads(project.outputs()["run.json"])
    done = project.run()
    assert "cells have no answer" in done.stderr
    after = json.loads(project.outputs()["run.json"])
    assert len(after["responses_sha256"]) == 64
    # The cells without an answer fail otherwise here, where no server is; version 0.1 had no hash of responses, neither named answers.
    not_of_inputs = {
        "git_sha": None,
        "tool_version": None,
        "responses_sha256": None,
        "answers": None,
    }
    assert after | not_of_inputs == before | not_of_inputs


@OF_EACH_VERSION
def test_a_simulated_model_draws_its_answers_again(tmp_path: Path, version: EarlierVersion) -> None:
    project = EarlierProject(tmp_path, version)
    config = tmp_path / "models" / "sim.json"  # it names a model that is gone
    config.write_text(config.read_text().replace("sim-sloppy", "sim-careful"))
    project.set(models=["sim"])
    dry = project.run("--dry-run")
    assert "simulation" in dry.stdout
    assert "all answered already" not in dry.stdout
    assert project.run().returncode == 0
    assert "all answered already" in project.run("--dry-run").stdout
