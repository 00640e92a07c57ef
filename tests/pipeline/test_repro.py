"""What costs calls and what does not, with `dvc repro` and `dvc exp run` as users run them."""

import json

import pytest

from tests.pipeline.project import CELLS, Project

pytestmark = pytest.mark.pipeline
V20, V21 = "prompt=prompts/draft_graph_v20.txt", "prompt=prompts/draft_graph_v21.txt"


def test_the_first_run_asks_every_model_about_every_brief_once(finished: Project) -> None:
    assert finished.answers() == CELLS
    written = {name.split("/")[1] for name in finished.results()}
    assert {"responses", "run.json", "scorecards.jsonl", "scores.csv", "summary.md", "metrics.json", "site"} <= written


def test_a_forced_second_run_makes_no_call_and_writes_the_same_bytes(project: Project) -> None:
    before = project.results()
    project.dvc("repro", "--force")
    assert project.answers() == CELLS
    assert project.results() == before


def test_switching_the_prompt_away_and_back_costs_only_the_way_there(project: Project) -> None:
    before = project.results()
    project.dvc("exp", "run", "-S", V21, "generate")
    there = project.answers()
    project.dvc("exp", "run", "-S", V20)
    assert (there, project.answers()) == (2 * CELLS, 2 * CELLS)
    assert project.results() == before


def test_another_model_config_costs_only_its_own_cells(project: Project) -> None:
    models = project.folder / "models"
    config = json.loads((models / "sim-careful.json").read_text(encoding="utf-8")) | {"id": "sim-extra"}
    config["params"]["temperature"] = 0.5
    (models / "sim-extra.json").write_text(json.dumps(config), encoding="utf-8")
    project.set({"models": ["sim-careful", "sim-chatty", "sim-extra"]})
    project.dvc("repro", "generate")
    assert project.answers() == CELLS + CELLS // 2


def test_an_experiment_in_another_folder_shares_the_ledger(project: Project) -> None:
    project.dvc("exp", "run", "--temp", "-S", "generate.round=2", "generate")
    there = project.answers()
    project.dvc("exp", "run", "-S", "generate.round=2", "generate")
    assert (there, project.answers()) == (2 * CELLS, 2 * CELLS)


def test_other_score_weights_never_call_a_model(project: Project) -> None:
    project.set({"score.weights.overall": {"param_quality": 0.2, "option_diff": 0.4, "completeness": 0.4}})
    reported = project.dvc("repro", "score")
    assert "Stage 'generate' didn't change, skipping" in reported
    assert "Running stage 'score'" in reported
    assert project.answers() == CELLS


def test_other_runtime_settings_rerun_nothing(project: Project) -> None:
    project.set({"runtime.max_concurrency": 4, "runtime.timeout_s": 30, "runtime.max_cost_usd": 0})
    assert "Data and pipelines are up to date" in project.dvc("status")
