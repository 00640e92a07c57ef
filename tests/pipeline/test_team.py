"""What a team pays for once: clones, pulls, deleted results and merges, with real remotes and a server that counts calls."""

import json
import re
from pathlib import Path

import pytest

from tests import REPOSITORY
from tests.generate.workspace import model
from tests.pipeline.conftest import add_model, copied
from tests.pipeline.project import ANSWERED, V20, V21, Project, install
from tests.pipeline.s3 import ACCESS, BUCKET, served

pytestmark = pytest.mark.pipeline


PAGE = (REPOSITORY / "docs/team.md").read_text()
COMMAND = re.compile(r"(?:git|dvc|make|graph-evaluator|\.|GRAPH_EVALUATOR_\w+=\d)(?: .*)?")


def test_every_command_of_the_page_is_typed_here():
    """A text that a typed command begins with is a mention of it."""
    blocks = re.findall(r"```bash\n(.*?)```", PAGE, flags=re.DOTALL)
    lines = [line.partition("#")[0].strip() for line in "".join(blocks).splitlines()]
    spans = re.findall(r"(?<!`)`([^`\n]+)`(?!`)", PAGE)
    commands = {text for text in (*lines, *spans) if COMMAND.fullmatch(text)}
    typed_here = Path(__file__).read_text()
    assert {command for command in commands if f'"{command}' not in typed_here} == set()


def typed(project, command, given=None, code=0):
    """What a command of the page prints, typed as `given` where it has placeholders; it ends with this exit code."""
    assert command in PAGE
    ended, printed = project.attempt(given or command)
    assert ended == code, printed
    return printed


def test_a_clone_a_shared_experiment_and_a_review_with_a_remote_on_s3_pay_nothing_twice(
    project, server
):
    beside = project.folder.parent
    with served() as address:
        ann = Project(beside / "ann", beside / "home", **ACCESS)
        ann.run("dvc remote remove store")
        add = "dvc remote add -d store /mnt/shared/graph-evaluator"
        typed(ann, add, f"dvc remote add -d store s3://{BUCKET}/graph-evaluator")
        ann.run(f"dvc remote modify store endpointurl {address}")
        typed(ann, "git add .dvc/config")
        typed(ann, "git commit", "git commit -qm remote")
        typed(ann, "dvc push")
        typed(ann, "git push")

        typed(ann, "git clone ...", "git clone -q ../origin.git ../bob")
        bob = Project(beside / "bob", beside / "home", **ACCESS)
        install(bob)
        assert "dvc install" in typed(bob, "make")
        assert server.calls.total() == 0
        assert bob.results() == ann.results()
        assert bob.run("git status --porcelain") == ""
        typed(bob, ". .venv/bin/activate")
        typed(bob, "dvc install")
        bob.run("git checkout -q -b change")
        assert "nothing to call" in typed(bob, "graph-evaluator generate --dry-run")
        assert "unknown" in typed(bob, "graph-evaluator generate --spent")  # by others
        typed(bob, "dvc exp run -S ...", f"dvc exp run --name newer -S prompt={V21} score")
        assert server.calls.total() == ANSWERED
        typed(bob, "git commit", "git commit -qam newer")
        typed(bob, "git push", "git push -q -u origin change")  # its hook pushes the answers
        bob.run("dvc exp push -q origin newer")

        typed(ann, "git pull", "git pull -q")
        typed(ann, "git checkout BRANCH", "git checkout -q change")
        compare = "graph-evaluator compare main workspace"
        assert "dvc checkout" in typed(ann, compare, code=4)
        typed(ann, "dvc pull")
        compared = " ".join(typed(ann, compare, code=4).split())
        assert "Both sides have an answer to 2 of the 2 briefs that both asked" in compared
        assert "newer" in typed(ann, "dvc exp list origin --all-commits")
        typed(ann, "dvc exp pull origin NAME", "dvc exp pull origin newer")
        named = "graph-evaluator compare main NAME"
        assert V21 in typed(ann, named, "graph-evaluator compare main newer", 4)

        bob.run("rm -r .ledger")
        bob.run(f"dvc exp run -S prompt={V20} generate")  # an older commit recorded it
        assert server.calls.total() == ANSWERED


def test_deleted_results_and_a_lost_ledger_are_restored_from_the_cache(project, server):
    before = project.results()
    project.run("rm -r results/responses results/scorecards.jsonl .ledger ../store")
    project.run("dvc repro score")
    assert server.calls.total() == 0
    assert project.results() == before


def test_answers_that_cannot_be_read_stop_the_run_before_a_call(clone, server):
    clone.run("mv ../store ../unreachable")
    add = "dvc remote add --local -d mine ~/graph-evaluator-store"
    typed(clone, add, "dvc remote add --local -d mine ../forked")
    printed = typed(clone, "dvc repro", code=255)
    assert "would cost money" in printed
    assert "Run `dvc pull`" in printed
    assert "neither in DVC's cache nor in a remote that can be reached" in printed
    assert "Traceback" not in printed
    assert server.calls.total() == 0
    assert clone.run("git status --porcelain") == ""
    assert not (clone / "results/responses").exists()

    clone.set({"models": ["sim-careful"]})
    clone.run("dvc repro generate")  # simulated models need no remote
    assert server.calls.total() == 0

    clone.run("git checkout -q params.yaml dvc.lock results")
    pay = "GRAPH_EVALUATOR_PAY_AGAIN=1 dvc repro"
    typed(clone, pay, f"{pay} generate")
    assert server.calls.total() == ANSWERED


BY_VERSION = pytest.mark.parametrize("older", [False, True], ids=["", "by an older version"])


def forget_answers(project):
    """Make the manifest one of an older version, which did not name answers, and commit it."""
    file = project / "results/run.json"
    manifest = json.loads(file.read_bytes())
    assert manifest.pop("answers")
    file.write_text(json.dumps(manifest))
    project.commit()


@BY_VERSION
def test_answers_are_found_when_model_and_brief_have_other_names(clone, server, older):
    if older:
        forget_answers(clone)
    config = model("renamed", url=server.url, model="paid")
    (clone / "models/renamed.json").write_text(json.dumps(config))
    clone.run("rm models/paid.json && mv briefs/01-*.md briefs/renamed.md")
    clone.set({"models": ["renamed"], "briefs": ["renamed"]})
    clone.run("graph-evaluator generate")
    assert server.calls.total() == 0


@BY_VERSION
def test_answers_of_an_earlier_commit_that_cannot_be_read_stop_the_run_too(clone, server, older):
    if older:
        forget_answers(clone)
    clone.set({"models": ["sim-careful"]})
    clone.run("dvc repro generate")
    clone.commit()
    clone.run("rm -r .ledger")
    clone.run("mv ../store ../unreachable")
    clone.set({"models": ["paid"]})
    would_cost = f"{ANSWERED} calls would cost money"
    clone.refused("graph-evaluator generate", would_cost, "nor in a remote that can be reached")
    assert server.calls.total() == 0


def test_a_shallow_clone_says_that_its_history_is_cut_off_before_it_calls(clone, server):
    clone.run(f"git clone -q --depth=1 file://{clone.folder} ../shallow")
    shallow = Project(clone.folder.parent / "shallow", clone.folder.parent / "home")
    say = "this clone is shallow"
    for project, is_cut in ((clone, False), (shallow, True)):
        for number, calls in ((1, False), (2, True)):
            project.set({"generate.round": number})
            printed = project.run("graph-evaluator generate --dry-run")
            assert (say in printed) == (is_cut and calls)
    printed = shallow.run("graph-evaluator generate")
    assert printed.index(say) < printed.index(" stored;")
    assert server.calls.total() == ANSWERED


@pytest.fixture(scope="session")
def conflicting(stored, server, tmp_path_factory):
    """A folder with a merge that stopped with conflicts: each branch ran with a model of its own, and then the ledger was lost."""
    project = copied(stored, server, tmp_path_factory.mktemp("conflicting"))
    for branch, added in (("there", "second"), ("here", "third")):
        project.run(f"git checkout -q -b {branch} main")
        project.run("dvc checkout -q")
        add_model(project, added, server)
        project.set({"models": ["paid", added]})
        project.run("dvc repro score")
        project.commit()
    assert server.calls.total() == 2 * ANSWERED  # a new model pays for its own cells alone
    project.run("rm -r .ledger")
    code, _ = project.attempt("git merge -q there")
    assert code != 0
    return project.folder.parent


@pytest.fixture
def conflict(conflicting, server, tmp_path):
    """The stopped merge; no call is counted yet."""
    return copied(conflicting, server, tmp_path)


def resolve(project, changes):
    """Resolve the conflict in `params.yaml` by hand."""
    project.run("git checkout -q HEAD params.yaml")
    project.set(changes)
    project.run("git add params.yaml")


def test_a_merge_of_two_branches_that_both_ran_calls_only_what_neither_side_has(conflict, server):
    merge = "graph-evaluator merge"
    before = typed(conflict, "git status", "git status --porcelain")
    typed(conflict, "git merge --abort")
    typed(conflict, "dvc checkout")
    typed(conflict, "git merge BRANCH", "git merge -q there", 1)
    assert "UU dvc.lock" in before
    conflict.refused("graph-evaluator generate --dry-run", "params.yaml: line", "is not YAML")
    conflict.refused("make", "these files are in conflict: resolve inputs by hand")
    assert "dvc.lock" not in conflict.refused(merge, "params.yaml: is in conflict")
    assert conflict.run("git status --porcelain") == before

    conflict.run("git add params.yaml")
    conflict.refused(merge, "has a conflict marker")

    models = ["paid", "second", "third"]
    resolve(conflict, {"models": models, "generate.samples": 2})
    unanswered = "third/06-near-identical-carriers/response-2.json"
    conflict.refused(merge, "neither side has 6 answers", unanswered)
    assert "6 calls" in conflict.run("graph-evaluator generate --dry-run")
    conflict.refused("graph-evaluator generate", "`graph-evaluator merge` writes it")
    assert server.calls.total() == 0
    assert "UU dvc.lock" in conflict.run("git status --porcelain")

    assert "staged: `git commit`" in typed(conflict, "graph-evaluator merge --call")
    assert server.calls.total() == 6
    assert conflict.run("git diff --name-only") == ""
    typed(conflict, "git commit", "git commit -q -m merged")
    assert "Data and pipelines are up to date" in conflict.run("dvc status")
    written = [name for name in conflict.results() if name.startswith("results/responses/")]
    assert len(written) == 2 * ANSWERED * len(models)
    typed(conflict, "dvc push && git push", "dvc push && git push -q origin here")


def test_a_stopped_rebase_is_a_merge_too_and_after_going_back_the_results_are_refused(
    conflict, server
):
    conflict.run("git reset -q --hard")
    assert conflict.attempt("git rebase -q there")[0] != 0
    resolve(conflict, {"models": ["paid", "second", "third"]})
    assert "staged: `git rebase --continue`" in conflict.run("graph-evaluator merge")
    assert server.calls.total() == 0
    conflict.run("git rebase --abort")
    for command in ("score", "merge"):
        conflict.refused(f"graph-evaluator {command}", "run `dvc checkout`")
