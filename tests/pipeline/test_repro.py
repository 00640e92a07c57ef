"""What costs calls and what does not, with `dvc repro` and `dvc exp run` as users run them."""

import hashlib
import json

import pytest

from tests.builders.provider import CountingServer
from tests.pipeline.project import ANSWERED, V20, Project

pytestmark = pytest.mark.pipeline


def test_a_forced_run_makes_no_call_and_writes_the_same_bytes(
    project: Project, server: CountingServer
) -> None:
    before = project.results()
    written = {name.split("/")[1] for name in before}
    assert {
        "responses",
        "run.json",
        "scorecards.jsonl",
        "scores.csv",
        "summary.md",
        "metrics.json",
        "site",
    } <= written
    project.dvc("repro", "--force", "score")
    assert server.calls.total() == 0
    assert project.results() == before


def test_a_new_prompt_costs_its_own_calls_in_a_copy_of_the_repository_and_going_back_costs_none(
    clone: Project, server: CountingServer
) -> None:
    new = "prompts/draft_graph_new.txt"
    (clone.folder / new).write_text("Draft the graph as JSON.\n", encoding="utf-8")
    in_copy = ("exp", "run", "--temp", "-S", f"prompt={new}", "generate")
    code, printed = clone.attempt_dvc(*in_copy)  # a copy holds what git knows
    assert code != 0
    assert "No such file or directory" in printed
    assert new in printed
    assert server.calls.total() == 0

    clone.run("git", "add", new)
    clone.dvc(*in_copy)
    assert server.calls.total() == ANSWERED
    clone.dvc("exp", "run", "-S", f"prompt={new}", "generate")
    clone.dvc("exp", "run", "-S", f"prompt={V20}", "generate")
    assert server.calls.total() == ANSWERED


def test_other_rules_settings_and_pages_for_reviewers_never_make_generate_run(
    project: Project,
) -> None:
    project.set({"runtime.max_concurrency": 4, "runtime.timeout_s": 30, "runtime.max_cost_usd": 0})
    (project.folder / "reviews" / "0123456789.html").write_text("a page", encoding="utf-8")
    assert "Data and pipelines are up to date" in project.dvc("status")
    project.set(
        {"score.weights.overall": {"param_quality": 0.2, "option_diff": 0.4, "completeness": 0.4}}
    )
    status = project.dvc("status")
    assert "score:" in status
    assert "generate:" not in status


def test_graphs_are_compared_with_the_changed_prompt_file_and_taking_the_change_back_calls_nothing(
    project: Project, server: CountingServer
) -> None:
    prompt, scorecards = project.folder / V20, project.folder / "results/scorecards.jsonl"
    text, before = prompt.read_text(encoding="utf-8"), scorecards.read_bytes()
    prompt.write_text(f"{text}\nBe brief.\n", encoding="utf-8")
    project.dvc("repro", "score")
    compared_with = {
        json.loads(card)["prompt_sha256"] for card in scorecards.read_bytes().splitlines()
    }
    assert compared_with == {hashlib.sha256(prompt.read_bytes()).hexdigest()}
    assert server.calls.total() == ANSWERED
    prompt.write_text(text, encoding="utf-8")
    project.dvc("repro", "score")
    assert scorecards.read_bytes() == before
    assert server.calls.total() == ANSWERED
