"""What git has committed, by its command line, and what `dvc.lock` records."""

import subprocess
import sys
from pathlib import Path

import pytest

from graph_evaluator.records.errors import GraphEvaluatorError
from graph_evaluator.shell.repository import (
    ask_git,
    branch_and_experiment_tips,
    changing_commits,
    commits_of,
    file_versions,
    git_output,
    head_commit,
    out_hashes,
)

FILE = Path("run.json")


@pytest.fixture
def project(tmp_path, monkeypatch):
    """A folder inside a git repository, as the working directory; nothing is committed."""
    project = tmp_path / "below"
    project.mkdir()
    git_output("init", "--quiet", folder=tmp_path)
    monkeypatch.chdir(project)
    return project


def commit(content):
    FILE.write_text(content, encoding="utf-8")
    git_output("add", ".")
    git_output("commit", "--quiet", "--message", content)
    return git_output("rev-parse", "HEAD").strip()


def test_committed_versions_of_a_file_are_read_newest_first(project):
    first, second = commit("first\n"), commit("two\nlines")
    FILE.write_text("after", encoding="utf-8")
    assert head_commit() == second
    versions = [(second, b"two\nlines"), (first, b"first\n")]
    assert [*file_versions(changing_commits([FILE]), FILE).items()] == versions


def test_a_commit_without_the_file_and_no_commit_have_no_version(project):
    commit("text")
    names = ["HEAD", "missing"]
    assert file_versions(names, Path("other.json")) == {"HEAD": None, "missing": None}
    assert file_versions(names, Path()) == {"HEAD": None, "missing": None}
    assert file_versions(names, FILE) == {"HEAD": b"text", "missing": None}


def test_a_merge_has_two_parents_and_names_that_git_does_not_know_are_left_out(project):
    parents = ["HEAD^1", "HEAD^2"]
    assert commits_of(["HEAD"]) == []
    start = commit("start")
    assert commits_of(parents) == []
    git_output("branch", "other")
    here = commit("here")
    git_output("update-ref", "refs/exps/12/34/newer", here)
    assert branch_and_experiment_tips() in ([here, start, here], [here, here, start])
    git_output("checkout", "--quiet", "other")
    git_output("merge", "--quiet", "--no-ff", "-m", "merged", here)
    assert (
        commits_of(parents) == commits_of([start, "nothing", "@{upstream}", here]) == [start, here]
    )


def test_without_git_the_message_says_so(project, monkeypatch):
    monkeypatch.setenv("PATH", str(project))
    assert head_commit() is None
    assert file_versions(["HEAD"], FILE) == {"HEAD": None}
    with pytest.raises(GraphEvaluatorError, match="git is not installed"):
        ask_git("status")


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
