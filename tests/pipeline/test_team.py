"""What a team pays for once: clones, pulls, deleted results and merges, with real remotes and a server that counts calls."""

import shutil
from pathlib import Path

import pytest

from tests.generate.workspace import CountingServer
from tests.pipeline.conftest import add_model, copied
from tests.pipeline.project import ANSWERED, Project

pytestmark = pytest.mark.pipeline


def test_the_first_run_of_a_fresh_clone_calls_nothing_and_leaves_git_clean(
    project: Project, clone: Project, server: CountingServer
) -> None:
    clone.dvc("repro")
    assert server.calls.total() == 0
    assert clone.results() == project.results()
    assert clone.run("git", "status", "--porcelain") == ""


def test_deleted_results_and_a_lost_ledger_are_restored_from_the_cache(
    project: Project, server: CountingServer
) -> None:
    before = project.results()
    for lost in ("results/responses", "results/scorecards.jsonl", ".ledger", "../store"):
        path = project.folder / lost
        path.unlink() if path.is_file() else shutil.rmtree(path)
    project.dvc("repro", "score")
    assert server.calls.total() == 0
    assert project.results() == before


def test_answers_that_cannot_be_read_stop_the_run_before_a_call(clone: Project, server: CountingServer) -> None:
    (clone.folder.parent / "store").rename(clone.folder.parent / "unreachable")
    code, printed = clone.attempt_dvc("repro")
    assert code != 0
    assert "would cost money" in printed
    assert "Run `dvc pull`" in printed
    assert "Traceback" not in printed
    assert server.calls.total() == 0
    assert clone.run("git", "status", "--porcelain") == ""
    assert not (clone.folder / "results" / "responses").exists()

    clone.set({"models": ["sim-careful"]})
    clone.dvc("repro", "generate")  # simulated models need no remote
    assert server.calls.total() == 0

    clone.run("git", "checkout", "-q", "params.yaml", "dvc.lock", "results")
    code, printed = clone.attempt_dvc("repro", "generate", GRAPH_EVALUATOR_PAY_AGAIN="1")
    assert code == 0, printed
    assert server.calls.total() == ANSWERED


@pytest.fixture(scope="session")
def conflicting(stored: Path, server: CountingServer, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a merge that stopped with conflicts: each branch ran with a model of its own, and then the ledger was lost."""
    project = copied(stored, server, tmp_path_factory.mktemp("conflicting"))
    for branch, added in (("there", "second"), ("here", "third")):
        project.run("git", "checkout", "-q", "-b", branch, "main")
        project.dvc("checkout", "-q")
        add_model(project, added, server)
        project.set({"models": ["paid", added]})
        project.dvc("repro", "score")
        project.commit()
    assert server.calls.total() == 2 * ANSWERED  # a new model pays for its own cells alone
    shutil.rmtree(project.folder / ".ledger")
    code, _ = project.attempt("git", "merge", "-q", "there")
    assert code != 0
    return project.folder.parent


@pytest.fixture
def conflict(conflicting: Path, server: CountingServer, tmp_path: Path) -> Project:
    """The stopped merge; no call is counted yet."""
    return copied(conflicting, server, tmp_path)


def resolve(project: Project, changes: dict[str, object]) -> None:
    """Resolve the conflict in `params.yaml` by hand."""
    project.run("git", "checkout", "-q", "HEAD", "params.yaml")
    project.set(changes)
    project.run("git", "add", "params.yaml")


def test_a_merge_of_two_branches_that_both_ran_calls_only_what_neither_side_has(
    conflict: Project, server: CountingServer
) -> None:
    def merge(*options: str) -> tuple[int, str]:
        return conflict.attempt("python", "-m", "stages.merge", *options)

    before = conflict.run("git", "status", "--porcelain")
    code, printed = merge()
    assert code == 2
    assert "params.yaml: is in conflict: resolve it by hand" in printed
    assert "dvc.lock" not in printed
    assert conflict.run("git", "status", "--porcelain") == before

    conflict.run("git", "add", "params.yaml")
    code, printed = merge()
    assert code == 2
    assert "has a conflict marker" in printed

    models = ["paid", "second", "third"]
    resolve(conflict, {"models": models, "generate.samples": 2, "score.weights.overall": {"completeness": -1}})
    code, printed = merge()
    assert code == 2
    assert "score.weights.overall" in printed

    resolve(conflict, {"models": models, "generate.samples": 2})
    code, printed = merge()
    assert code == 2
    assert "neither side has an answer for 6 cells" in printed
    assert "third/06-near-identical-carriers/response-2.json" in printed
    assert server.calls.total() == 0
    assert "UU dvc.lock" in conflict.run("git", "status", "--porcelain")

    code, printed = merge("--call")
    assert code == 0, printed
    assert "staged: `git commit`" in printed
    assert server.calls.total() == 6
    assert conflict.run("git", "diff", "--name-only") == ""
    conflict.run("git", "commit", "-q", "-m", "merged")
    assert "Data and pipelines are up to date" in conflict.dvc("status")
    written = [name for name in conflict.results() if name.startswith("results/responses/")]
    assert len(written) == 2 * ANSWERED * len(models)


def test_without_a_merge_there_is_nothing_to_resolve(project: Project) -> None:
    code, printed = project.attempt("python", "-m", "stages.merge")
    assert code == 2
    assert "no merge is under way" in printed
