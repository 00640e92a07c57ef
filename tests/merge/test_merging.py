"""Which command goes on with a merge of two branches that changed `dvc.lock`."""

from pathlib import Path

import pytest

from graph_evaluator.merge.__main__ import check_merge
from graph_evaluator.records.errors import InputError
from graph_evaluator.shell.repository import ask_git, git_output


def commit(lock):
    Path("dvc.lock").write_text(lock)
    git_output("add", ".")
    git_output("commit", "--quiet", "--message", lock)


@pytest.fixture
def branches(tmp_path, monkeypatch):
    """A repository whose branches `here`, the current one, and `there` changed `dvc.lock`."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GIT_EDITOR", "true")
    git_output("init", "--quiet", "--initial-branch=here")
    commit("start")
    git_output("checkout", "--quiet", "-b", "there")
    commit("there")
    git_output("checkout", "--quiet", "here")
    commit("here")


@pytest.mark.parametrize(
    ("command", "following"),
    [
        ("merge", "git commit"),
        ("rebase", "git rebase --continue"),
        ("cherry-pick", "git cherry-pick --continue"),
    ],
)
def test_a_stopped_merge_names_the_command_that_goes_on(command, following, branches):
    assert ask_git(command, "there").returncode
    assert check_merge() == following
    Path("dvc.lock").write_text("both")
    git_output("add", ".")
    git_output(*following.split()[1:], *(["--no-edit"] if command == "merge" else []))
    with pytest.raises(InputError, match="no merge is under way"):
        check_merge()
