"""The command: what it calls, what it proves, what it writes, and how it goes on."""

import json
from collections import Counter
from pathlib import Path

import pytest

from tests.improve.improving import (
    BASE,
    BETTER,
    CANARY,
    OPTIONS,
    ImproveWorkspace,
    better_prompts_get_better_graphs,
    equal_graphs,
    many_proposals,
    proposed,
    proposing,
    usable_with_better,
)


def test_a_better_prompt_is_proven_and_written_beside_the_old_one(tmp_path: Path) -> None:
    with proposing(proposed(BETTER), better_prompts_get_better_graphs) as server:
        workspace = ImproveWorkspace(tmp_path, server.url)
        done = workspace.improve()
        calls, outputs = server.calls.total(), workspace.outputs()
        assert workspace.improve().returncode == 0
        assert (server.calls.total(), workspace.outputs()) == (calls, outputs)
    assert done.returncode == 0, done.stderr
    assert len(list((tmp_path / "prompts").iterdir())) == 2
    found, outcome = workspace.improvement(), workspace.outcome()
    assert (outcome["ended"], outcome["use"]) == ("proven", 1)
    assert outcome["proof"]["plan"]["confidence"] == pytest.approx(0.975)
    assert (tmp_path / "prompts/draft-improved-1.txt").read_text() == BETTER
    assert (tmp_path / "prompts/draft.txt").read_text() == BASE
    assert found["calls"] == server.calls.total()


def test_a_prompt_that_changes_nothing_is_not_accepted(tmp_path: Path) -> None:
    with proposing(proposed(BETTER), equal_graphs) as server:
        workspace = ImproveWorkspace(tmp_path, server.url)
        done = workspace.improve()
    outcome = workspace.outcome()
    assert done.returncode == 3, done.stderr
    assert outcome["ended"] == "no candidate"
    assert "no improvement shown: no candidate scores higher than the baseline" in done.stdout


def test_no_text_of_a_brief_that_chooses_or_proves_is_in_a_reflection_request(
    tmp_path: Path,
) -> None:
    with proposing(many_proposals, usable_with_better) as server:
        workspace = ImproveWorkspace(tmp_path, server.url)
        workspace.improve()
    requests = [json.dumps(body) for body in server.bodies if "<prompt>" in body["input"]]
    seen = Counter(
        number
        for number in range(1, 25)
        for request in requests
        if CANARY.format(number=number) in request
    )
    learn = workspace.improvement()["parts"]["learn"]
    assert len(requests) == 3
    assert {f"b{number}" for number in seen} == set(learn)


def test_a_dry_run_prints_the_plan_calls_nothing_and_writes_nothing(tmp_path: Path) -> None:
    workspace = ImproveWorkspace(tmp_path, "https://example.invalid/v1")
    before = sorted(tmp_path.rglob("*"))
    done = workspace.improve(*OPTIONS[:4], "--dry-run")
    assert done.returncode == 0, done.stderr
    assert sorted(tmp_path.rglob("*")) == before
    assert "Briefs: 6 learn, 6 choose, 12 holdout;" in done.stdout
    assert "Use 1 of the holdout finds a gain of 0.0" in done.stdout


def test_too_few_briefs_are_refused(tmp_path: Path) -> None:
    done = ImproveWorkspace(tmp_path, None, briefs=9).improve()
    assert done.returncode == 2
    assert "1 learn, 0 choose, 8 holdout; 1, 1 and 8 are needed" in done.stderr


@pytest.mark.parametrize(
    ("option", "value", "problem"),
    [
        ("--by", "nobody", 'nothing in models/ matches "nobody"'),
        ("--models", "nobody", 'nothing in models/ matches "nobody"'),
        ("--prompt", "../draft.txt", 'there is no file "../draft.txt" in the repository'),
        ("--max-usd", "0", "--max-usd: must be above 0, found 0"),
    ],
)
def test_a_problem_is_named_by_its_option(
    tmp_path: Path, option: str, value: str, problem: str
) -> None:
    done = ImproveWorkspace(tmp_path, None).improve(*OPTIONS, option, value)
    assert (done.returncode, "1 problem found" in done.stderr) == (2, True)
    assert f"command line: {problem}" in done.stderr


@pytest.mark.parametrize("content", ["{", "[]", '{"parts": {"b1": "other"}}'])
def test_parts_that_cannot_be_read_are_never_drawn_again(tmp_path: Path, content: str) -> None:
    workspace = ImproveWorkspace(tmp_path, None)
    (tmp_path / "results/improve").mkdir(parents=True)
    workspace.write("results/improve/parts.json", content)
    done = workspace.improve()
    assert done.returncode == 2
    assert "restore it from git" in done.stderr
    assert (tmp_path / "results/improve/parts.json").read_text() == content


def test_a_key_is_asked_for_before_the_search_although_all_base_answers_are_stored(
    tmp_path: Path,
) -> None:
    with proposing(proposed(BETTER), equal_graphs) as server:
        workspace = ImproveWorkspace(tmp_path, server.url)
        workspace.set(generate={"samples": 8})
        workspace.run()
        config = json.loads((tmp_path / "models/m.json").read_text())
        workspace.write("models/m.json", json.dumps(config | {"pricing": None}))
        calls = server.calls.total()
        done = workspace.improve()
    assert (done.returncode, server.calls.total()) == (2, calls)
    assert "models/m.json: pricing: is missing" in done.stderr
