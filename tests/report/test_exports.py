"""The files for other programs: metrics, the tables of `dvc plots`, and `scores.csv`."""

import csv
import io
from pathlib import Path

import duckdb
import pytest
import yaml

from stages.report.exports import metrics, plots, scores_csv
from tests.builders.scorecards import card, config, findings, invalid, sub_score, unanswered
from tests.report.hostile import HOSTILE

KEYS = {
    "overall_score", "expected_score", "param_quality", "option_diff", "completeness", "usable_rate", "answered_rate",
    "scored", "cells", "cost_usd",
}  # fmt: skip


def test_the_keys_are_those_that_others_rely_on() -> None:
    found = findings(card("gpt-4.1"))
    assert set(metrics(found)) == KEYS | {"models"}


def test_each_model_has_its_expected_score_under_a_key_without_dots() -> None:
    cards = [card("a.b", score=0.8), invalid("a.b", "b2", "X"), card("a_b", score=0.9)]
    found = metrics(findings(*cards, unanswered(model="b-c")))
    assert found["models"] == {"a_b": 0.4, "a_b_": 0.9, "b-c": None}


def test_scores_are_means_over_scored_cells_and_rates_over_all() -> None:
    found = metrics(
        findings(
            card(score=0.8),
            invalid("a", "b2", "X"),
            unanswered(brief="b3"),
            card(brief="b4", score=0.4),
        )
    )
    assert {key: found[key] for key in KEYS} == {
        "overall_score": 0.6, "param_quality": 0.6, "option_diff": 0.6, "completeness": 0.6, "expected_score": 0.4,
        "usable_rate": 0.5, "answered_rate": 0.75, "scored": 2, "cells": 4, "cost_usd": 0.03,
    }  # fmt: skip


def _rows(content: bytes) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(content.decode("utf-8"))))


def test_models_show_score_cost_and_time() -> None:
    thirds = card(score=1 / 3, est_cost_usd=1 / 3, latency_ms=1000 / 3)
    found = plots(findings(thirds, unanswered(brief="b2")))
    assert [row["overall_score"] for row in _rows(found["cells.csv"])] == ["0.3333", ""]
    (model,) = _rows(found["models.csv"])
    assert (model["expected_score"], model["cost_usd"], model["latency_s_p50"]) == (
        "0.3333", "0.3333333333", "0.333",
    )  # fmt: skip


def test_violations_count_cells_by_code_and_model() -> None:
    found = findings(invalid("b", "b1", "X", "X"), invalid("a", "b1", "X"))
    assert _rows(plots(found)["violations.csv"]) == [
        {"model": "a", "code": "X", "cells": "1"},
        {"model": "b", "code": "X", "cells": "1"},
    ]


def test_what_dvc_draws_is_in_the_tables_and_has_a_template() -> None:
    root = Path(__file__).parents[2]
    found = plots(
        findings(
            card(sub_scores={"completeness": (sub_score("goal_threshold", 0.5),)}),
            invalid("b", "b1", "X"),
        )
    )
    columns = {
        f"results/plots/{name}": content.decode().splitlines()[0].split(",")
        for name, content in found.items()
    }
    for view in yaml.safe_load((root / "dvc.yaml").read_text("utf-8"))["plots"]:
        ((title, asked),) = view.items()
        assert (root / asked["template"]).is_file(), title
        for axis in ("x", "y"):
            ((file, column),) = asked[axis].items()
            assert column in columns[file], (title, axis)


ORIGINAL = (
    "run_id,model_id,brief_id,target_mode,structural_valid,param_quality,option_diff,completeness,overall_score,latency_ms,"
    "input_tokens,output_tokens,reasoning_tokens,est_cost_usd,pricing_source,node_count,edge_count,violation_codes,failure_code"
)
CARDS = (
    card(
        "gpt-4.1",
        "01",
        0.78125,
        sub_scores={
            "param_quality": (sub_score("default_takeover", 1, defaults=1, causal_edges=8),)
        },
    ),
    invalid("gpt-4.1", "02", "FORBIDDEN_EDGE", "FORBIDDEN_EDGE", "ORPHAN_NODE"),
    unanswered("rate_limited", "gpt-4.1", "03", failure_code="429", node_count=None),
)


@pytest.fixture(name="file")
def _file(tmp_path: Path) -> Path:
    file = tmp_path / "scores.csv"
    file.write_bytes(scores_csv(findings(*CARDS, configs=[config("gpt-4.1")])))
    return file


def test_the_first_columns_are_the_originals_in_its_order(file: Path) -> None:
    assert file.read_text("utf-8").splitlines()[0].startswith(ORIGINAL + ",")


def test_a_line_holds_the_figures_of_a_cell(file: Path) -> None:
    header, first, second, third = csv.reader(io.StringIO(file.read_text("utf-8")))
    assert dict(zip(header, first, strict=True)) == {
        "run_id": "draft-0123456789ab", "model_id": "gpt-4.1", "brief_id": "01", "target_mode": "normal",
        "structural_valid": "true", "param_quality": "0.7813", "option_diff": "0.7813", "completeness": "0.7813",
        "overall_score": "0.7813", "latency_ms": "1000", "input_tokens": "2000", "output_tokens": "900",
        "reasoning_tokens": "0", "est_cost_usd": "0.01", "pricing_source": "published", "node_count": "8", "edge_count": "9",
        "violation_codes": "", "failure_code": "", "sample": "1", "status": "success", "expected_score": "0.7813",
        "complexity": "simple", "default_share": "0.1250", "cached_tokens": "500", "cache_write_tokens": "", "attempts": "1",
        "draws": "1", "extraction_method": "direct", "warnings": "0", "warning_codes": "", "simulated": "false",
        "scoring_version": "1", "fingerprint": "", "usable": "true", "fidelity": "", "fidelity_codes": "",
        "unchecked": "false", "content": "",
    }  # fmt: skip
    failed = dict(zip(header, second, strict=True))
    assert (failed["violation_codes"], failed["overall_score"], failed["expected_score"]) == (
        "FORBIDDEN_EDGE;FORBIDDEN_EDGE;ORPHAN_NODE", "", "0.0000",
    )  # fmt: skip
    empty = dict(zip(header, third, strict=True))
    assert (empty["status"], empty["failure_code"], empty["expected_score"], empty["est_cost_usd"]) == (
        "rate_limited", "429", "", "",
    )  # fmt: skip


def test_duckdb_loads_it_without_options(file: Path) -> None:
    found = duckdb.connect().execute(
        f"select model_id, structural_valid, overall_score from read_csv('{file}')"
    )
    assert found.fetchall() == [
        ("gpt-4.1", True, 0.7813),
        ("gpt-4.1", False, None),
        ("gpt-4.1", False, None),
    ]


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE.keys())
def test_no_field_can_be_taken_for_a_formula_or_break_a_line(text: str) -> None:
    content = scores_csv(findings(card(text or "x", failure_code=text), configs=()))
    rows = list(csv.DictReader(io.StringIO(content.decode("utf-8"))))
    assert len(rows) == 1
    assert len(content.splitlines()) == 2
    assert rows[0]["content"] == ""
    for column in ("model_id", "failure_code"):
        assert not rows[0][column].startswith(("=", "+", "-", "@", "\t", "\r"))
