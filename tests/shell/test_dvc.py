"""What `dvc.lock` records."""

import subprocess
import sys
from pathlib import Path

import pytest

from stages.contracts.errors import InputError
from stages.shell.dvc import read_lock, responses_hash

LOCK = """
schema: '2.0'
stages:
  generate:
    cmd: python -m stages.generate
    outs:
    - path: results/responses
      hash: md5
      md5: 0123.dir
  score:
    deps:
    - path: briefs
      md5: 4567.dir
    params:
      params.yaml:
        score: {default_std: 0.125}
"""


def test_the_lock_names_the_folder_of_responses() -> None:
    assert responses_hash(LOCK) == "0123.dir"


def test_a_stage_has_hashes_and_parameters() -> None:
    stage = read_lock(LOCK).stages["score"]
    assert stage.hash_of(Path("briefs")) == "4567.dir"
    assert stage.hash_of(Path("models")) is None
    assert stage.params == {"params.yaml": {"score": {"default_std": 0.125}}}


@pytest.mark.parametrize("text", ["", "[]", "stages: 3", "stages: {score: {}}"])
def test_a_lock_without_responses_names_none(text: str) -> None:
    assert responses_hash(text) is None


def test_a_lock_in_conflict_says_how_it_is_written_again() -> None:
    with pytest.raises(InputError, match=r"dvc\.lock: line 3: is not YAML: .*stages\.merge"):
        responses_hash("schema: '2.0'\n<<<<<<< HEAD\nstages: {}\n")


def test_the_module_loads_without_dvc() -> None:
    program = "import stages.shell.dvc, sys; sys.exit('dvc.repo' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0
