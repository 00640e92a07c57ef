"""The files for other programs: metrics, the tables of `dvc plots`, and `scores.csv`."""

import csv
import io
from pathlib import Path

import duckdb
import pytest
import yaml

from graph_evaluator.report.exports import metrics, plots, scores_csv
from tests.builders.scorecards import card, config, findings, invalid, sub_score, unanswered
from tests.report.hostile import HOSTILE


def test_the_run_and_each_model_have_their_headlines_under_keys_without_dots() -> None:
    cards = (
        card("a.b", score=0.8, content=0.25),
        invalid("a.b", "b2", "X", latency_ms=3000.0),
        card("a_b", score=0.9, content=0.75),
        unanswered(model="b-c", brief="b3"),
    )
    run = metrics(findings(*cards))
    assert run["models"] == {
        "a_b": {
            "form": 0.4, "content": 0.125, "same_choice": None, "usable_rate": 0.5, "cost_per_usable_usd": 0.02, "latency_s_p50": 2.0,
        },
        "a_b_": {
            "form": 0.9, "content": 0.75, "same_choice": None, "usable_rate": 1.0, "cost_per_usable_usd": 0.01, "latency_s_p50": 1.0,
        },
        "b-c": {
            "form": None, "content": None, "same_choice": None, "usable_rate": 0.0, "cost_per_usable_usd": None, "latency_s_p50": None,
        },
    }  # fmt: skip
    del run["models"]
    assert run == {
        "form": 0.425, "content": 0.25, "same_choice": None, "usable_rate": 0.5, "cost_per_usable_usd": 0.015, "latency_s_p50": 1.0,
        "overall_score": 0.85, "expected_score": 0.566667, "param_quality": 0.85, "option_diff": 0.85, "completeness": 0.85,
        "answered_rate": 0.75, "scored": 2, "cells": 4, "cost_usd": 0.03,
    }  # fmt: skip


def _rows(content: bytes) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(content.decode("utf-8"))))


def test_models_show_score_cost_and_time() -> None:
    thirds = card(score=1 / 3, est_cost_usd=1 / 3, latency_ms=1000 / 3)
    found = plots(findings(thirds, unanswered(brief="b2")))
    assert [row["overall_score"] for row in _rows(found["cells.csv"])] == ["0.3333", ""]
    (model,) = _rows(found["models.csv"])
    figures = {"expected_score": "0.3333", "cost_usd": "0.3333333333", "latency_s_p50": "0.333"}
    assert model == model | figures


def test_violations_count_cells_by_code_and_model() -> None:
    found = plots(findings(invalid("b", "b1", "X", "X"), invalid("a", "b1", "X")))
    assert found["violations.csv"].decode().split() == ["model,code,cells", "a,X,1", "b,X,1"]


def test_what_dvc_draws_is_in_the_tables_and_has_a_template() -> None:
    root = Path(__file__).parents[2]
    subs = {"completeness": (sub_score("goal_threshold", 0.5),)}
    tables = plots(findings(card(sub_scores=subs), invalid("b", "b1", "X")))
    columns = {f"results/plots/{name}": content.decode().splitlines()[0].split(",") for name, content in tables.items()}  # fmt: skip
    for view in yaml.safe_load((root / "dvc.yaml").read_text("utf-8"))["plots"]:
        ((title, asked),) = view.items()
        assert (root / asked["template"]).is_file(), title
        for file, column in (*asked["x"].items(), *asked["y"].items()):
            assert column in columns[file], title


ORIGINAL = (
    "run_id,model_id,brief_id,target_mode,structural_valid,param_quality,option_diff,completeness,overall_score,latency_ms,"
    "input_tokens,output_tokens,reasoning_tokens,est_cost_usd,pricing_source,node_count,edge_count,violation_codes,failure_code"
)


@pytest.fixture(name="file")
def _file(tmp_path: Path) -> Path:
    cards = (
        card("gpt-4.1", "01", 0.78125, default_share=0.125),
        invalid("gpt-4.1", "02", "FORBIDDEN_EDGE", "FORBIDDEN_EDGE", "ORPHAN_NODE"),
        unanswered("rate_limited", "gpt-4.1", "03", failure_code="429", node_count=None),
    )
    file = tmp_path / "scores.csv"
    file.write_bytes(scores_csv(findings(*cards, configs=[config("gpt-4.1")])))
    return file


def test_a_line_holds_the_figures_of_a_cell_the_originals_in_its_order(file: Path) -> None:
    content = file.read_text("utf-8")
    assert content.startswith(ORIGINAL + ",")
    first, second, third = csv.DictReader(io.StringIO(content))
    assert first == first | {
        "run_id": "draft-0123456789ab", "model_id": "gpt-4.1", "brief_id": "01", "target_mode": "normal",
        "structural_valid": "true", "overall_score": "0.7813", "latency_ms": "1000", "est_cost_usd": "0.01",
        "node_count": "8", "violation_codes": "", "sample": "1", "status": "success", "default_share": "0.1250",
        "cache_write_tokens": "", "warnings": "0", "simulated": "false", "usable": "true", "unchecked": "false", "content": "0.6000",
    }  # fmt: skip
    codes = "FORBIDDEN_EDGE;FORBIDDEN_EDGE;ORPHAN_NODE"
    assert second == second | {"violation_codes": codes, "overall_score": "", "expected_score": "0.0000"}  # fmt: skip
    assert third == third | {"status": "rate_limited", "failure_code": "429", "expected_score": "", "est_cost_usd": ""}  # fmt: skip


def test_duckdb_loads_it_without_options(file: Path) -> None:
    query = f"select structural_valid, overall_score from read_csv('{file}')"
    found = duckdb.connect().execute(query).fetchall()
    assert found == [(True, 0.7813), (False, None), (False, None)]


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE.keys())
def test_no_field_can_be_taken_for_a_formula_or_break_a_line(text: str) -> None:
    content = scores_csv(findings(card(text or "x", failure_code=text), configs=()))
    (row,) = _rows(content)
    assert len(content.splitlines()) == 2
    for column in ("model_id", "failure_code"):
        assert not row[column].startswith(("=", "+", "-", "@", "\t", "\r"))
