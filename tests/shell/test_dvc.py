"""What `dvc.lock` records."""

import subprocess
import sys

import pytest

from graph_evaluator.shell.repository import out_hashes

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


def test_the_lock_names_the_hash_of_each_out_and_of_no_dependency():
    md5 = "0123456789abcdef0123456789abcdef.dir"
    dvc_2 = LOCK.replace("      hash: md5\n", "")
    for lock in (LOCK, dvc_2):
        assert out_hashes(lock.encode()) == {"results/responses": md5}


@pytest.mark.parametrize("text", ["", "[]", "stages: {generate: {}}", "\xff"])
def test_a_lock_without_outs_names_none(text):
    assert out_hashes(text.encode("latin-1")) == {}


def test_the_module_loads_without_dvc():
    program = "import graph_evaluator.shell.repository, sys; sys.exit('dvc.repo' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0
