import csv
import io
from pathlib import Path

import duckdb
import pandas
import pytest

from stages.report.exports import csv_bytes, scores_csv
from tests.builders.scorecards import card, config, frame, invalid, sub_score, unanswered
from tests.report.hostile import HOSTILE

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
    file.write_bytes(scores_csv("draft-0123456789ab", frame(*CARDS, configs=[config("gpt-4.1")])))
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
        "unchecked": "false", "content": "", "implied_option": "",
    }  # fmt: skip
    failed = dict(zip(header, second, strict=True))
    assert (failed["violation_codes"], failed["overall_score"], failed["expected_score"]) == (
        "FORBIDDEN_EDGE;FORBIDDEN_EDGE;ORPHAN_NODE", "", "0.0000",
    )  # fmt: skip
    empty = dict(zip(header, third, strict=True))
    assert (empty["status"], empty["failure_code"], empty["expected_score"], empty["est_cost_usd"]) == (
        "rate_limited", "429", "", "",
    )  # fmt: skip


def test_pandas_loads_it_without_options(file: Path) -> None:
    frame = pandas.read_csv(file)
    assert frame.shape[0] == 3
    assert frame["structural_valid"].tolist() == [True, False, False]
    assert frame["overall_score"].dtype == "float64"
    assert frame["overall_score"].count() == 1


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
    content = csv_bytes(pandas.DataFrame({"a": [text], "b": ["end"]}))
    rows = list(csv.reader(io.StringIO(content.decode("utf-8"))))
    assert len(rows) == 2
    assert len(content.splitlines()) == 2
    assert rows[1][1] == "end"
    assert not rows[1][0].startswith(("=", "+", "-", "@", "\t", "\r"))


def test_lines_end_with_lf_alone(file: Path) -> None:
    assert b"\r" not in file.read_bytes()
