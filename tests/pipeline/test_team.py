"""What a team pays for once: clones, pulls, deleted results and merges, with real remotes and a server that counts calls."""

import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.generate.workspace import CountingServer, model
from tests.pipeline.project import Project, create

pytestmark = pytest.mark.pipeline

ANSWERED = 2
"""Calls of the first run: one model, two briefs."""
V21 = "prompts/draft_graph_v21.txt"


@pytest.fixture(scope="module")
def server() -> Iterator[CountingServer]:
    """A server that answers every call and counts them."""
    with CountingServer() as server:
        yield server


@pytest.fixture(scope="module")
def pushed(server: CountingServer, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a project that ran with a model that costs money, pushed to a git and a DVC remote; only for copying."""
    beside = tmp_path_factory.mktemp("pushed")
    project = create(beside / "ann", beside / "home")
    add_model(project, "paid", server.url)
    project.set({"models": ["paid"]})
    project.dvc("repro")
    assert sum(server.calls.values()) == ANSWERED
    project.dvc("remote", "add", "-q", "-d", "store", "../store")
    project.commit()
    project.dvc("push", "-q")
    project.run("git", "init", "-q", "--bare", "-b", "main", "../origin.git")
    project.run("git", "remote", "add", "origin", "../origin.git")
    project.run("git", "push", "-q", "origin", "main")
    return beside


@pytest.fixture
def ann(pushed: Path, server: CountingServer, tmp_path: Path) -> Project:
    """The project that made the calls, with its remotes; no call is counted yet."""
    shutil.copytree(pushed, tmp_path / "team", symlinks=True)
    server.calls.clear()
    return Project(tmp_path / "team" / "ann", tmp_path / "team" / "home")


@pytest.fixture
def clone(ann: Project) -> Project:
    """A colleague's fresh clone: nothing was pulled from the DVC remote."""
    beside = ann.folder.parent
    ann.run("git", "clone", "-q", str(beside / "origin.git"), str(beside / "bob"))
    return Project(beside / "bob", beside / "home")


def add_model(project: Project, name: str, url: str) -> None:
    config = model(name, url=url)
    (project.folder / "models" / f"{name}.json").write_text(json.dumps(config), encoding="utf-8")


def calls(server: CountingServer) -> int:
    return sum(server.calls.values())


def test_the_first_run_of_a_fresh_clone_calls_nothing_and_leaves_git_clean(
    ann: Project, clone: Project, server: CountingServer
) -> None:
    clone.dvc("repro")
    assert calls(server) == 0
    assert clone.results() == ann.results()
    assert clone.run("git", "status", "--porcelain") == ""


def test_a_queued_experiment_of_a_fresh_clone_keeps_the_answers_that_others_paid_for(
    clone: Project, server: CountingServer
) -> None:
    clone.dvc("exp", "run", "--queue", "-S", "generate.samples=2")
    clone.dvc("queue", "start")
    while re.search("Queued|Running", status := clone.dvc("queue", "status")):
        pass
    assert "Success" in status
    assert calls(server) == ANSWERED


def test_going_back_from_the_first_prompt_of_a_fresh_clone_calls_nothing(
    clone: Project, server: CountingServer
) -> None:
    clone.dvc("exp", "run", "-S", f"prompt={V21}", "generate")
    assert calls(server) == ANSWERED
    clone.dvc("exp", "run", "-S", "prompt=prompts/draft_graph_v20.txt", "generate")
    assert calls(server) == ANSWERED


def test_deleted_results_and_a_lost_ledger_are_restored_from_the_cache(ann: Project, server: CountingServer) -> None:
    before = ann.results()
    shutil.rmtree(ann.folder / "results")
    shutil.rmtree(ann.folder / ".ledger")
    shutil.rmtree(ann.folder.parent / "store")
    ann.run("git", "checkout", "-q", "results")
    ann.dvc("repro")
    assert calls(server) == 0
    assert ann.results() == before


def test_answers_that_cannot_be_read_stop_the_run_before_a_call(clone: Project, server: CountingServer) -> None:
    (clone.folder.parent / "store").rename(clone.folder.parent / "unreachable")
    code, printed = clone.attempt("dvc", "repro")
    assert code != 0
    assert "would cost money" in printed
    assert "Run `dvc pull`" in printed
    assert "Traceback" not in printed
    assert calls(server) == 0
    assert clone.run("git", "status", "--porcelain") == ""
    assert not (clone.folder / "results" / "responses").exists()
    clone.run("env", "GRAPH_EVALUATOR_PAY_AGAIN=1", "python", "-m", "dvc", "repro")
    assert calls(server) == ANSWERED


def test_a_run_of_simulated_models_needs_no_remote(clone: Project, server: CountingServer) -> None:
    (clone.folder.parent / "store").rename(clone.folder.parent / "unreachable")
    clone.set({"models": ["sim-careful"]})
    clone.dvc("repro")
    assert calls(server) == 0


@pytest.fixture(scope="module")
def conflicting(pushed: Path, server: CountingServer, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a merge that stopped with conflicts: each branch ran with a model of its own, and then the ledger was lost."""
    beside = tmp_path_factory.mktemp("conflicting") / "team"
    shutil.copytree(pushed, beside, symlinks=True)
    ann = Project(beside / "ann", beside / "home")
    for branch, added in (("there", "second"), ("here", "third")):
        ann.run("git", "checkout", "-q", "-b", branch, "main")
        ann.dvc("checkout", "-q")
        add_model(ann, added, server.url)
        ann.set({"models": ["paid", added]})
        ann.dvc("repro")
        ann.commit()
    shutil.rmtree(ann.folder / ".ledger")
    code, _ = ann.attempt("git", "merge", "-q", "there")
    assert code != 0
    return beside


@pytest.fixture
def conflict(conflicting: Path, server: CountingServer, tmp_path: Path) -> Project:
    """The stopped merge; no call is counted yet."""
    shutil.copytree(conflicting, tmp_path / "team", symlinks=True)
    server.calls.clear()
    return Project(tmp_path / "team" / "ann", tmp_path / "team" / "home")


def resolve(project: Project, changes: dict[str, object]) -> None:
    """Resolve the conflict in `params.yaml` by hand."""
    project.run("git", "checkout", "--ours", "params.yaml")
    project.set(changes)
    project.run("git", "add", "params.yaml")


def test_a_merge_of_two_branches_that_both_ran_calls_nothing(conflict: Project, server: CountingServer) -> None:
    before = conflict.run("git", "status", "--porcelain")
    code, printed = conflict.attempt("python", "-m", "stages.merge")
    assert code == 2
    assert "params.yaml: is in conflict: resolve it by hand" in printed
    assert "dvc.lock" not in printed
    assert conflict.run("git", "status", "--porcelain") == before

    resolve(conflict, {"models": ["paid", "second", "third"]})
    printed = conflict.run("python", "-m", "stages.merge")
    assert "staged: `git commit`" in printed
    assert calls(server) == 0
    assert conflict.run("git", "diff", "--name-only") == ""
    conflict.run("git", "commit", "-q", "-m", "merged")
    assert "Data and pipelines are up to date" in conflict.dvc("status")
    models = {name.split("/")[2] for name in conflict.results() if name.startswith("results/responses/")}
    assert models == {"paid", "second", "third"}


def test_a_merge_names_the_cells_that_neither_side_has(conflict: Project, server: CountingServer) -> None:
    resolve(conflict, {"models": ["paid", "second", "third"], "generate.samples": 2})
    code, printed = conflict.attempt("python", "-m", "stages.merge")
    assert code == 2
    assert "neither side has an answer for 6 cells" in printed
    assert "third/06-near-identical-carriers/response-2.json" in printed
    assert calls(server) == 0
    assert "UU dvc.lock" in conflict.run("git", "status", "--porcelain")
    conflict.run("python", "-m", "stages.merge", "--call")
    assert calls(server) == 6


def test_markers_that_were_added_with_an_input_stop_the_merge(conflict: Project) -> None:
    conflict.run("git", "add", "params.yaml")
    code, printed = conflict.attempt("python", "-m", "stages.merge")
    assert code == 2
    assert "has a conflict marker" in printed


def test_without_a_merge_there_is_nothing_to_resolve(ann: Project) -> None:
    code, printed = ann.attempt("python", "-m", "stages.merge")
    assert code == 2
    assert "no merge is under way" in printed
