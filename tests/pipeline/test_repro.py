"""What costs calls and what does not, with `dvc repro` and `dvc exp run` as users run them."""

import pytest

from tests.pipeline.project import ANSWERED, V20

pytestmark = pytest.mark.pipeline


def test_a_new_prompt_costs_its_own_calls_in_a_copy_of_the_repository_and_going_back_costs_none(
    clone, server
):
    new = "prompts/draft_graph_new.txt"
    (clone / new).write_text("Draft the graph as JSON.\n")
    in_copy = f"dvc exp run --temp -S prompt={new} generate"
    clone.run(f"git add {new}")  # a copy holds what git knows
    clone.run(in_copy)
    assert server.calls.total() == ANSWERED
    clone.run(f"dvc exp run -S prompt={new} generate")
    clone.run(f"dvc exp run -S prompt={V20} generate")
    assert server.calls.total() == ANSWERED


def test_other_rules_settings_and_pages_for_reviewers_never_make_generate_run(project):
    project.set({"runtime.max_concurrency": 4, "runtime.timeout_s": 30, "runtime.max_cost_usd": 0})
    (project / "reviews/0123456789.html").write_text("a page")
    assert "Data and pipelines are up to date" in project.run("dvc status")
    project.set({"score.generic_labels": ["risk"]})
    status = project.run("dvc status")
    assert "score:" in status
    assert "generate:" not in status


def test_graphs_are_compared_with_the_changed_prompt_file_and_taking_the_change_back_calls_nothing(
    project, server
):
    prompt, scorecards = project / V20, project / "results/scorecards.jsonl"
    text, before = prompt.read_text(), scorecards.read_bytes()
    prompt.write_text(f"{text}\nBe brief.\n")
    assert "scored in results/scorecards.jsonl" in project.run("dvc repro score")
    assert server.calls.total() == ANSWERED
    prompt.write_text(text)
    project.run("dvc repro score")
    assert scorecards.read_bytes() == before
    assert server.calls.total() == ANSWERED
