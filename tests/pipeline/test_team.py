"""What a team pays for once: clones, pulls, deleted results and merges, with real remotes and a server that counts calls."""

import json
import shutil
from pathlib import Path

import pytest

from tests.builders.provider import CountingServer
from tests.generate.workspace import model
from tests.pipeline.conftest import add_model, copied
from tests.pipeline.project import ANSWERED, V20, V21, Project, install
from tests.pipeline.s3 import ACCESS, BUCKET, served
from tests.pipeline.team_page import TYPED, commands_on_the_page, walked

pytestmark = pytest.mark.pipeline


def test_every_command_of_the_page_is_typed_by_a_test() -> None:
    assert commands_on_the_page() == {command for walk in TYPED.values() for command in walk}


def test_a_clone_a_shared_experiment_and_a_review_with_a_remote_on_s3_pay_nothing_twice(
    project: Project, server: CountingServer
) -> None:
    beside = project.folder.parent
    with served() as address, walked("share") as walk:
        ann = Project(beside / "ann", beside / "home", **ACCESS)
        ann.dvc("remote", "remove", "store")
        add = "dvc remote add -d store /mnt/shared/graph-evaluator"
        walk.type(ann, add, f"dvc remote add -d store s3://{BUCKET}/graph-evaluator")
        ann.dvc("remote", "modify", "store", "endpointurl", address)
        walk.type(ann, "git add .dvc/config")
        walk.type(ann, "git commit", "git commit -qm remote")
        walk.type(ann, "dvc push")
        walk.type(ann, "git push")

        walk.type(ann, "git clone ...", "git clone -q ../origin.git ../bob")
        bob = Project(beside / "bob", beside / "home", **ACCESS)
        install(bob)
        assert "dvc install" in walk.type(bob, "make")
        assert server.calls.total() == 0
        assert bob.results() == ann.results()
        assert bob.run("git", "status", "--porcelain") == ""
        walk.type(bob, ". .venv/bin/activate")
        walk.type(bob, "dvc install")
        bob.run("git", "checkout", "-q", "-b", "change")
        assert "all answered already, nothing to call" in walk.type(
            bob, "graph-evaluator generate --dry-run"
        )
        assert "unknown" in walk.type(bob, "graph-evaluator generate --spent")  # by others
        walk.type(bob, "dvc exp run -S ...", f"dvc exp run --name newer -S prompt={V21} score")
        assert server.calls.total() == ANSWERED
        walk.type(bob, "git commit", "git commit -qam newer")
        walk.type(bob, "git push", "git push -q -u origin change")  # its hook pushes the answers
        bob.dvc("exp", "push", "-q", "origin", "newer")

        walk.type(ann, "git pull", "git pull -q")
        walk.type(ann, "git checkout BRANCH", "git checkout -q change")
        compare = "graph-evaluator compare main workspace"
        code, printed = walk.attempt(ann, compare)
        assert code == 4
        assert "dvc checkout" in printed
        walk.type(ann, "dvc pull")
        assert "2 briefs with a score on both sides" in " ".join(
            walk.attempt(ann, compare)[1].split()
        )
        assert "newer" in walk.type(ann, "dvc exp list origin --all-commits")
        walk.type(ann, "dvc exp pull origin NAME", "dvc exp pull origin newer")
        _, printed = walk.attempt(
            ann, "graph-evaluator compare main NAME", "graph-evaluator compare main newer"
        )
        assert V21 in printed

        shutil.rmtree(bob.folder / ".ledger")
        bob.dvc("exp", "run", "-S", f"prompt={V20}", "generate")  # an older commit recorded it
        assert server.calls.total() == ANSWERED


def test_a_run_of_simulated_models_in_a_fresh_clone_hides_no_answer_from_the_next(
    clone: Project, server: CountingServer
) -> None:
    clone.set({"models": ["sim-careful"]})
    clone.dvc("repro", "generate")
    clone.run("git", "checkout", "-q", "params.yaml")
    before = clone.run("git", "status", "--porcelain")
    forecast = clone.run("python", "-m", "stages", "generate", "--dry-run")
    assert "all answered already, nothing to call" in forecast
    assert clone.run("git", "status", "--porcelain") == before
    clone.dvc("repro", "generate")
    assert server.calls.total() == 0


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


def test_answers_that_cannot_be_read_stop_the_run_before_a_call(
    clone: Project, server: CountingServer
) -> None:
    (clone.folder.parent / "store").rename(clone.folder.parent / "unreachable")
    with walked("fork") as walk:
        add = "dvc remote add --local -d mine ~/graph-evaluator-store"
        walk.type(clone, add, "dvc remote add --local -d mine ../forked")
        code, printed = walk.attempt(clone, "dvc repro")
        assert code != 0
        assert "would cost money" in printed
        assert "Run `dvc pull`" in printed
        assert f'the remote "mine" ({clone.folder.parent}/forked) cannot be reached' in printed
        assert "Traceback" not in printed
        assert server.calls.total() == 0
        assert clone.run("git", "status", "--porcelain") == ""
        assert not (clone.folder / "results" / "responses").exists()

        clone.set({"models": ["sim-careful"]})
        clone.dvc("repro", "generate")  # simulated models need no remote
        assert server.calls.total() == 0

        clone.run("git", "checkout", "-q", "params.yaml", "dvc.lock", "results")
        pay = "GRAPH_EVALUATOR_PAY_AGAIN=1 dvc repro"
        walk.type(clone, pay, f"{pay} generate")
        assert server.calls.total() == ANSWERED


def forget_answers(project: Project) -> None:
    """Make the manifest one of an older version, which did not name answers, and commit it."""
    file = project.folder / "results/run.json"
    manifest = json.loads(file.read_bytes())
    assert manifest.pop("answers")
    file.write_text(json.dumps(manifest), encoding="utf-8")
    project.commit()


@pytest.mark.parametrize("older", [False, True], ids=["", "by an older version"])
def test_answers_are_found_when_model_and_brief_have_other_names(
    clone: Project, server: CountingServer, older: bool
) -> None:
    if older:
        forget_answers(clone)
    config = model("renamed", url=server.url, model="paid")
    (clone.folder / "models/paid.json").unlink()
    (clone.folder / "models/renamed.json").write_text(json.dumps(config), encoding="utf-8")
    (brief,) = (clone.folder / "briefs").glob("01-*.md")
    brief.rename(brief.with_name("renamed.md"))
    clone.set({"models": ["renamed"], "briefs": ["renamed"]})
    clone.run("python", "-m", "stages", "generate")
    assert server.calls.total() == 0


@pytest.mark.parametrize("older", [False, True], ids=["", "by an older version"])
def test_answers_of_an_earlier_commit_that_cannot_be_read_stop_the_run_too(
    clone: Project, server: CountingServer, older: bool
) -> None:
    if older:
        forget_answers(clone)
    clone.set({"models": ["sim-careful"]})
    clone.dvc("repro", "generate")
    clone.commit()
    shutil.rmtree(clone.folder / ".ledger")
    (clone.folder.parent / "store").rename(clone.folder.parent / "unreachable")
    clone.set({"models": ["paid"]})
    code, printed = clone.attempt("python", "-m", "stages", "generate")
    assert code == 2
    assert f"{ANSWERED} calls would cost money" in printed
    assert "cannot be reached" in printed
    assert server.calls.total() == 0


def test_a_shallow_clone_says_that_its_history_is_cut_off_before_it_calls(
    clone: Project, server: CountingServer
) -> None:
    clone.run("git", "clone", "-q", "--depth=1", f"file://{clone.folder}", "../shallow")
    shallow = Project(clone.folder.parent / "shallow", clone.folder.parent / "home")
    say = "the history of this clone is cut off"
    for project, is_cut in ((clone, False), (shallow, True)):
        for number, calls in ((1, False), (2, True)):
            project.set({"generate.round": number})
            printed = project.run("python", "-m", "stages", "generate", "--dry-run")
            assert (say in printed) == (is_cut and calls)
    code, printed = shallow.attempt("python", "-m", "stages", "generate")
    assert code == 0
    assert printed.index(say) < printed.index(" to call")
    assert server.calls.total() == ANSWERED


@pytest.fixture(scope="session")
def conflicting(
    stored: Path, server: CountingServer, tmp_path_factory: pytest.TempPathFactory
) -> Path:
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
    with walked("merge") as walk:
        before = walk.type(conflict, "git status", "git status --porcelain")
        walk.type(conflict, "git merge --abort")
        walk.type(conflict, "dvc checkout")
        assert walk.attempt(conflict, "git merge BRANCH", "git merge -q there")[0] == 1
        assert "UU dvc.lock" in before
        code, printed = conflict.attempt("python", "-m", "stages", "generate", "--dry-run")
        assert code == 2
        assert "is not YAML: it is in conflict: resolve it by hand and `git add` it" in printed
        code, printed = conflict.attempt("make")
        assert code != 0
        assert "these files are in conflict: resolve inputs by hand" in printed
        code, printed = walk.attempt(conflict, "graph-evaluator merge")
        assert code == 2
        assert "params.yaml: is in conflict: resolve it by hand" in printed
        assert "dvc.lock" not in printed
        assert conflict.run("git", "status", "--porcelain") == before

        conflict.run("git", "add", "params.yaml")
        code, printed = walk.attempt(conflict, "graph-evaluator merge")
        assert code == 2
        assert "has a conflict marker" in printed

        models = ["paid", "second", "third"]
        resolve(conflict, {"models": models, "generate.samples": 2})
        code, printed = walk.attempt(conflict, "graph-evaluator merge")
        assert code == 2
        assert "neither side has an answer for 6 cells" in printed
        assert "6 to call" in conflict.run("python", "-m", "stages", "generate", "--dry-run")
        code, printed_by_stage = conflict.attempt("python", "-m", "stages", "generate")
        assert code == 2
        assert "dvc.lock: is in conflict: `graph-evaluator merge` writes it" in printed_by_stage
        assert "third/06-near-identical-carriers/response-2.json" in printed
        assert server.calls.total() == 0
        assert "UU dvc.lock" in conflict.run("git", "status", "--porcelain")

        assert "staged: `git commit`" in walk.type(conflict, "graph-evaluator merge --call")
        assert server.calls.total() == 6
        assert conflict.run("git", "diff", "--name-only") == ""
        walk.type(conflict, "git commit", "git commit -q -m merged")
        assert "Data and pipelines are up to date" in conflict.dvc("status")
        written = [name for name in conflict.results() if name.startswith("results/responses/")]
        assert len(written) == 2 * ANSWERED * len(models)
        walk.type(conflict, "dvc push && git push", "dvc push && git push -q origin here")


def test_conflicts_resolved_with_one_side_and_a_narrower_run_pay_nothing_twice(
    conflict: Project, server: CountingServer
) -> None:
    conflict.run("git", "checkout", "-q", "--theirs", "dvc.lock", "results")
    resolve(conflict, {"models": ["paid", "second", "third"]})
    conflict.commit()
    conflict.dvc("exp", "run", "-S", "models=[paid]", "generate")
    conflict.run("git", "checkout", "-q", "params.yaml")
    conflict.dvc("repro", "generate")
    assert server.calls.total() == 0


def test_a_stopped_rebase_is_a_merge_too_and_after_going_back_the_results_are_refused(
    conflict: Project, server: CountingServer
) -> None:
    conflict.run("git", "reset", "-q", "--hard")
    assert conflict.attempt("git", "rebase", "-q", "there")[0] != 0
    resolve(conflict, {"models": ["paid", "second", "third"]})
    assert "staged: `git rebase --continue`" in conflict.run("python", "-m", "stages", "merge")
    assert server.calls.total() == 0
    conflict.run("git", "rebase", "--abort")
    for command in ("score", "merge"):
        code, printed = conflict.attempt("python", "-m", "stages", command)
        assert code == 2
        assert "run `dvc checkout`" in printed
