"""Experiments as a team makes them: queued, run two at a time, looked at, taken, shared, and paid for once."""

import json
import re
import shutil
from pathlib import Path

import pytest
import yaml

from tests.pipeline.git_server import TOKEN, served
from tests.pipeline.project import CELLS, REPOSITORY, Project

pytestmark = pytest.mark.pipeline

V20, V21 = "prompts/draft_graph_v20.txt", "prompts/draft_graph_v21.txt"
READABLE = r"Created|State|Executor|models\.|prompts/|results/"


@pytest.fixture(scope="module")
def stored(finished: Project, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that holds the project with a git remote and a DVC remote beside it, both filled; only for copying."""
    beside = tmp_path_factory.mktemp("stored")
    shutil.copytree(finished.folder, beside / "project", symlinks=True)
    (beside / "home").mkdir()
    project = Project(beside / "project", beside / "home")
    project.run("git", "init", "-q", "--bare", "-b", "main", "../origin.git")
    project.run("git", "remote", "add", "origin", "../origin.git")
    project.dvc("remote", "add", "-q", "-d", "store", "../store")
    project.commit()
    project.run("git", "push", "-q", "origin", "main")
    project.dvc("push", "-q")
    return beside


@pytest.fixture
def shared(stored: Path, tmp_path: Path) -> Project:
    """The project with a git remote and a DVC remote beside it, both filled."""
    shutil.copytree(stored, tmp_path / "shared", symlinks=True)
    return Project(tmp_path / "shared" / "project", tmp_path / "shared" / "home")


def test_two_prompts_are_queued_run_compared_shared_and_paid_for_once(shared: Project) -> None:
    queued = shared.dvc("exp", "run", "--queue", "-S", f"prompt={V20},{V21}")
    _, newer = re.findall("Queued experiment '(.+)'", queued)
    shared.dvc("queue", "start", "-j", "2")
    while re.search("Queued|Running", status := shared.dvc("queue", "status")):
        pass
    assert status.count("Success") == 2
    assert shared.answers() == 2 * CELLS  # those of v20 were there

    table = shared.dvc("exp", "show", "--only-changed", "--md", "--drop", READABLE)
    assert "expected_score" in table
    assert V21 in table

    judged_each = shared.run("python", "-m", "stages.compare", "--experiments")
    assert re.search(rf"`{newer}` .* `{re.escape(V21)}` .* could not measure", judged_each)  # two briefs

    shared.dvc("exp", "push", "-q", "origin", newer)
    colleague = Project(shared.folder.parent / "colleague", shared.folder.parent / "home")
    shared.run("git", "clone", "-q", str(shared.folder.parent / "origin.git"), str(colleague.folder))
    colleague.dvc("exp", "pull", "-q", "origin", newer)
    colleague.dvc("exp", "apply", "-q", newer)
    pulled = colleague.results()
    assert "nothing was called" in colleague.dvc("repro", "--force", "--single-item", "generate")
    assert colleague.results() == pulled

    compared = json.loads(compare(colleague, "main", newer))
    assert compared["head"]["prompt"] == V21
    assert compared["verdict"] == "could not measure"


def compare(project: Project, base: str, head: str) -> str:
    project.run("python", "-m", "stages.compare", base, head, "--fail-on", "better", "--json", "found.json")
    return (project.folder / "found.json").read_text(encoding="utf-8")


def test_a_pull_request_is_judged_by_the_script_of_the_workflow(shared: Project) -> None:
    shutil.copytree(REPOSITORY / ".github" / "scripts", shared.folder / ".github" / "scripts")
    shared.run("git", "checkout", "-q", "-b", "change")
    shared.set({"score.thresholds.readable_max_nodes": 8, "score.thresholds.crowded_max_nodes": 9})
    shared.commit()
    shutil.rmtree(shared.folder / ".dvc" / "cache")
    shutil.rmtree(shared.folder / "results" / "responses")
    paid = shared.answers()
    shared.run(".github/scripts/evaluate.sh", "main")
    report = judged(shared)
    assert report.startswith("### ⚠️ Could not measure: `workspace` against `")
    assert "2 briefs with a score on both sides, and a verdict requires 6" in report
    assert "were scored by other rules; they have been scored again by today's" in report
    assert report.index("dvc metrics diff") < report.index("What was compared")
    assert (shared.folder / ".evaluation" / "comparison.html").is_file()
    assert shared.answers() == paid


def test_a_pull_request_is_judged_by_the_scores_that_git_keeps_where_dvc_has_nothing(shared: Project) -> None:
    shutil.copytree(REPOSITORY / ".github" / "scripts", shared.folder / ".github" / "scripts")
    shared.dvc("remote", "remove", "store")
    shared.run("git", "checkout", "-q", "-b", "change")
    shared.commit()
    shutil.rmtree(shared.folder / ".dvc" / "cache")
    for name in ("responses", "site", "plots"):
        shutil.rmtree(shared.folder / "results" / name)
    (shared.folder / "results" / "scorecards.jsonl").unlink()
    shared.run(".github/scripts/evaluate.sh", "main")
    report = judged(shared)
    assert "No DVC remote is configured" in report
    assert "The scorecards of workspace cannot be read: its scores are those of results/scores.csv" in report
    assert "2 briefs with a score on both sides, and a verdict requires 6" in report


def test_a_pull_request_whose_change_was_not_run_fails_and_one_with_other_answers_is_not_scored(
    shared: Project,
) -> None:
    shutil.copytree(REPOSITORY / ".github" / "scripts", shared.folder / ".github" / "scripts")
    shared.run("git", "checkout", "-q", "-b", "change")
    shared.set({"prompt": V21})
    shared.commit()
    assert "code 4" in shared.run("bash", "-c", ".github/scripts/evaluate.sh main || echo code $?")
    assert f"the results are not of the present inputs (the prompt {V21})" in judged(shared)

    shared.set({"prompt": V20})
    shared.dvc("remote", "remove", "store")
    (answer, *_) = sorted((shared.folder / "results" / "responses").rglob("response.json"))
    answer.unlink()
    lock = (shared.folder / "dvc.lock").read_bytes()
    shared.run(".github/scripts/evaluate.sh", "main")
    assert "results/responses is not what dvc.lock names: run `dvc checkout`" in judged(shared)
    assert (shared.folder / "dvc.lock").read_bytes() == lock


def judged(project: Project) -> str:
    return (project.folder / ".evaluation" / "report.md").read_text(encoding="utf-8").replace("\\", "")


def test_the_workflow_that_runs_the_models_pushes_an_experiment_with_the_token_of_the_job(shared: Project) -> None:
    shutil.copytree(REPOSITORY / ".github" / "scripts", shared.folder / ".github" / "scripts")
    workflow = yaml.safe_load((REPOSITORY / ".github" / "workflows" / "run-models.yml").read_text(encoding="utf-8"))
    (step,) = [step for step in workflow["jobs"]["run"]["steps"] if step.get("name") == "Run and push"]
    given = dict.fromkeys(step["env"], "") | {
        "BRIEFS": "01-*",
        "MODELS": "sim-careful",
        "GITHUB_TOKEN": TOKEN,
        "GITHUB_RUN_ID": "7",
        "GITHUB_RUN_ATTEMPT": "1",
    }
    origin = shared.folder.parent / "origin.git"
    shared.run("git", "-C", str(origin), "config", "http.receivepack", "true")
    with served(origin.parent) as address:
        shared.run("git", "remote", "set-url", "origin", f"{address}/origin.git")
        shared.run("env", *(f"{name}={value}" for name, value in given.items()), "bash", "-e", "-c", step["run"])
    assert "/run-7-1\n" in shared.run("git", "ls-remote", str(origin))
