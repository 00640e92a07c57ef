"""What `dvc.lock` records."""

import subprocess
import sys

import pytest

from graph_evaluator.shell.dvc import read_lock, responses_hash
from tests.builders.cases import cases

LOCK = """
schema: '2.0'
stages:
  generate:
    cmd: graph-evaluator generate
    outs:
    - path: results/responses
      hash: md5
      md5: 0123456789abcdef0123456789abcdef.dir
  score:
    deps:
    - path: briefs
      md5: 4567.dir
    params:
      params.yaml:
        score: {default_std: 0.125}
"""


@cases(
    "lock, md5",
    {
        "an out of generate": (LOCK, "0123456789abcdef0123456789abcdef.dir"),
        "of DVC 2": (LOCK.replace("      hash: md5\n", ""), "0123456789abcdef0123456789abcdef.dir"),
        "of another stage": (LOCK.replace("generate", "score"), None),
        "empty": ("", None),
        "without outs": ("stages: {generate: {}}", None),
    },
)
def test_the_lock_names_the_folder_of_responses(lock: str, md5: str | None) -> None:
    assert responses_hash(lock.encode()) == md5


@pytest.mark.parametrize("text", ["", "[]", "stages: 3"])
def test_a_lock_without_stages_records_none(text: str) -> None:
    assert read_lock(text.encode()).stages == {}


def test_the_module_loads_without_dvc() -> None:
    program = "import graph_evaluator.shell.dvc, sys; sys.exit('dvc.repo' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0
