"""Pull requests: the scripts that the workflows run, with real remotes."""

import pytest
import yaml

from tests import REPOSITORY
from tests.builders.provider import FakeProvider
from tests.pipeline.git_server import TOKEN, git_replies
from tests.pipeline.project import V20, V21, Project
from tests.pipeline.s3 import BUCKET, NO_ACCESS

pytestmark = pytest.mark.pipeline

EVALUATE = ".github/scripts/evaluate.sh"
FETCH = ".github/scripts/fetch.sh"
WORKFLOW = yaml.safe_load((REPOSITORY / ".github/workflows/evaluate.yml").read_text())
(FAIL_ON,) = [
    step["env"]["FAIL_ON"]
    for step in WORKFLOW["jobs"]["evaluate"]["steps"]
    if step.get("id") == "judge"
]


@pytest.fixture
def change(project):
    """The project on a branch of its own."""
    project.run("git checkout -q -b change")
    return project


def judged(project):
    """The report of the script, which says that nothing could be measured."""
    assert project.attempt(f"{EVALUATE} main")[0] == 4
    report = project / ".evaluation/report.md"
    return report.read_text().replace("\\", "")


def test_a_change_is_judged_by_the_script_of_the_workflow(change, server):
    change.set({"score.generic_labels": ["Sunday opening hours"]})
    change.commit()
    change.run("rm -r .dvc/cache results/responses")
    change.run(f"{FETCH} main")
    assert change.run("git status --porcelain dvc.yaml dvc.lock params.yaml") == ""
    change.run("mv ../store ../out-of-reach")
    report = judged(change)
    assert report.startswith("### ⚠️ Could not measure: workspace compared with ")
    assert "Both sides have an answer to 2 of the 2 briefs that both asked" in report
    assert "were scored again, by today's rules" in report
    assert report.index("dvc metrics diff") > report.index("What was compared")
    assert (change / ".evaluation/comparison.html").is_file()
    assert server.calls.total() == 0


def test_a_fork_without_the_remote_could_not_be_measured_and_a_maintainer_must_run_it(change):
    change.run(f"dvc remote modify store url s3://{BUCKET}/team")
    change.commit()
    change.run("rm -r .dvc/cache results/{responses,site,plots,scorecards.jsonl}")
    environment = NO_ACCESS | {"FAIL_ON": FAIL_ON}
    fork = Project(change.folder, change.folder.parent / "home", **environment)
    report = judged(fork)
    assert report.startswith("### ⚠️ Could not measure: workspace compared with ")
    assert "Not everything could be pulled from a DVC remote" in report
    assert "workspace has no results/scorecards.jsonl: `dvc pull` fetches it" in report
    assert "as on a pull request from a fork: **a maintainer must run it**" in report


def test_a_change_that_was_not_run_fails_and_other_answers_are_not_scored(change):
    change.set({"prompt": V21})
    change.commit()
    assert f"the results do not belong to the present inputs (prompt {V20}, {V21})" in judged(
        change
    )

    change.set({"prompt": V20})
    change.run("dvc remote remove store")
    (answer, *_) = sorted((change / "results/responses").rglob("response.json"))
    answer.write_text("{}")
    lock = (change / "dvc.lock").read_bytes()
    assert "results/responses is not what dvc.lock names: run `dvc checkout`" in judged(change)
    assert (change / "dvc.lock").read_bytes() == lock


def test_the_workflow_that_runs_the_models_pushes_an_experiment_with_the_token_of_the_job(project):
    file = REPOSITORY / ".github/workflows/run-models.yml"
    steps = yaml.safe_load(file.read_text())["jobs"]["run"]["steps"]
    (step,) = [step for step in steps if step.get("name") == "Run and push"]
    given = dict.fromkeys(step["env"], "") | {
        "BRIEFS": "01-*",
        "MODELS": "sim-careful",
        "GITHUB_TOKEN": TOKEN,
        "GITHUB_RUN_ID": "7",
        "GITHUB_RUN_ATTEMPT": "1",
    }
    origin = project.folder.parent / "origin.git"
    project.run(f"git -C {origin} config http.receivepack true")
    with FakeProvider(git_replies(origin.parent)) as server:
        project.run(f"git remote set-url origin http://{server.host}/origin.git")
        (origin.parent / "step.sh").write_text(step["run"])
        Project(project.folder, origin.parent / "home", **given).run("bash -e ../step.sh")
    assert "/run-7-1\n" in project.run(f"git ls-remote {origin}")
