"""The files for other programs: metrics, the tables of `dvc plots`, and `scores.csv`."""

import csv
import io

import duckdb
import pytest
import yaml

from graph_evaluator.report.exports import metrics, plots, scores_csv
from tests import REPOSITORY
from tests.approval import check_approved
from tests.builders.scorecards import (
    card,
    config,
    distinct,
    findings,
    invalid,
    sub_score,
    unanswered,
)
from tests.report.hostile import HOSTILE
from tests.report.rich_run import rich_run

NO_EXACT_NAMES = {"right_choice": None, "invented_share": None}


def test_the_run_and_each_model_have_their_headlines_under_keys_without_dots():
    cards = (
        card("a.b", score=0.8, content=0.25),
        invalid("a.b", "b2", "X", latency_ms=3000.0),
        card("a_b", score=0.9, content=0.75),
        unanswered(model="b-c", brief="b3"),
    )
    run = metrics(findings(*cards))
    assert run["models"] == {
        "a_b": {
            "form": 0.4, "content": 0.125, "same_choice": None, **NO_EXACT_NAMES, "usable_rate": 0.5, "cost_per_usable_usd": 0.02, "latency_s_p50": 2.0,
        },
        "a_b_": {
            "form": 0.9, "content": 0.75, "same_choice": None, **NO_EXACT_NAMES, "usable_rate": 1.0, "cost_per_usable_usd": 0.01, "latency_s_p50": 1.0,
        },
        "b-c": {
            "form": None, "content": None, "same_choice": None, **NO_EXACT_NAMES, "usable_rate": 0.0, "cost_per_usable_usd": None, "latency_s_p50": None,
        },
    }  # fmt: skip
    del run["models"]
    assert run == {
        "form": 0.425, "content": 0.25, "same_choice": None, **NO_EXACT_NAMES, "usable_rate": 0.5, "cost_per_usable_usd": 0.015, "latency_s_p50": 1.0,
        "overall_score": 0.85, "expected_score": 0.566667, "param_quality": 0.85, "option_diff": 0.85, "completeness": 0.85,
        "answered_rate": 0.75, "scored": 2, "cells": 4, "cost_usd": 0.03, "checks": {},
    }  # fmt: skip


def _rows(content):
    return list(csv.DictReader(io.StringIO(content.decode("utf-8"))))


def test_every_table_that_dvc_draws_is_as_approved():
    for name, content in plots(rich_run()[0]).items():
        check_approved(name, content.decode())


def test_what_dvc_draws_is_in_the_tables_and_has_a_template():
    root = REPOSITORY
    subs = {"completeness": (sub_score("goal_threshold", 0.5),)}
    found = findings(card(sub_scores=subs), invalid("b", "b1", "X"))
    tables = {"scores.csv": scores_csv(found)} | {f"plots/{name}": table for name, table in plots(found).items()}  # fmt: skip
    columns = {f"results/{name}": table.decode().splitlines()[0].split(",") for name, table in tables.items()}  # fmt: skip
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
def _file(tmp_path):
    cards = (
        card("gpt-4.1", "01", 0.78125),
        invalid("gpt-4.1", "02", "FORBIDDEN_EDGE", "FORBIDDEN_EDGE", "ORPHAN_NODE"),
        unanswered("rate_limited", "gpt-4.1", "03", failure_code="429", node_count=None),
    )
    file = tmp_path / "scores.csv"
    file.write_bytes(scores_csv(findings(*cards, configs=[config("gpt-4.1")])))
    return file


def test_a_row_of_a_cell_has_every_figure_in_its_column_the_originals_first():
    content = scores_csv(findings(distinct(3), configs=[config("m", "deep")]))
    assert content.decode().startswith(ORIGINAL + ",")
    assert _rows(content) == [{
        "run_id": "draft-0123456789ab", "model_id": "m", "brief_id": "b7", "target_mode": "deep", "structural_valid": "true",
        "param_quality": "0.6100", "option_diff": "0.6200", "completeness": "0.6300", "overall_score": "0.6400",
        "latency_ms": "1250", "input_tokens": "2100", "output_tokens": "900", "reasoning_tokens": "40",
        "est_cost_usd": "0.0125", "pricing_source": "list", "node_count": "11", "edge_count": "12",
        "violation_codes": "NO_GOAL;NO_GOAL", "failure_code": "f2", "sample": "3", "status": "success",
        "expected_score": "0.6500", "complexity": "moderate", "cached_tokens": "525",
        "cache_write_tokens": "70", "attempts": "5", "draws": "2", "extraction_method": "bracketed", "warnings": "3",
        "warning_codes": "ORPHAN;UNUSED;UNUSED", "simulated": "false", "scoring_version": "77", "fingerprint": "f1",
        "usable": "true", "fidelity": "fail", "fidelity_codes": "direction;effects", "unchecked": "false", "content": "0.6800",
        "effects_right": "6", "effects_wrong": "7", "effects_missing": "8", "invented_effects": "5", "right_choice": "true",
        "recommended": "Rent", "margin": "0.2500", "certainty": "0.6900",
    }]  # fmt: skip


def test_what_was_not_measured_is_an_empty_field(file):
    first, second, third = csv.DictReader(io.StringIO(file.read_text("utf-8")))
    assert (first["overall_score"], first["cache_write_tokens"]) == ("0.7813", "")
    assert (second["overall_score"], second["expected_score"], second["content"]) == (
        "",
        "0.0000",
        "0.0000",
    )
    measured = (
        "expected_score",
        "content",
        "est_cost_usd",
        "latency_ms",
        "recommended",
        "certainty",
    )
    assert [third[name] for name in measured] == [""] * 6


def test_duckdb_loads_it_without_options(file):
    query = f"select structural_valid, overall_score from read_csv('{file}')"
    found = duckdb.connect().execute(query).fetchall()
    assert found == [(True, 0.7813), (False, None), (False, None)]


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE.keys())
def test_no_field_can_be_taken_for_a_formula_or_break_a_line(text):
    content = scores_csv(findings(card(text or "x", failure_code=text), configs=()))
    (row,) = _rows(content)
    assert len(content.splitlines()) == 2
    for column in ("model_id", "failure_code"):
        assert not row[column].startswith(("=", "+", "-", "@", "\t", "\r"))
