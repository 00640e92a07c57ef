"""The files for other programs: metrics, the tables of `dvc plots`, and `scores.csv`."""

import csv
import io

import duckdb
import pytest
import yaml

from graph_evaluator.records.json_text import pretty
from graph_evaluator.records.scorecard import RESERVED_NAMES
from graph_evaluator.report.exports import metrics, models_csv, scores_csv
from tests import REPOSITORY
from tests.approval import check_approved
from tests.builders.scorecards import (
    card,
    findings,
    invalid,
    unanswered,
)
from tests.report.hostile import HOSTILE
from tests.report.rich_run import rich_run


def _rows(content):
    return list(csv.DictReader(io.StringIO(content.decode("utf-8"))))


def test_every_file_is_as_approved():
    found = rich_run()[0]
    check_approved("models.csv", models_csv(found).decode())
    check_approved("metrics.json", pretty(metrics(found)).decode())
    check_approved("scores.csv", scores_csv(found).decode())


def test_the_keys_of_models_in_the_metrics_have_no_dots():
    models = metrics(findings(card("a.b"), card("a_b"), card("b-c")))["models"]
    assert isinstance(models, dict)
    assert list(models) == ["a_b", "a_b_", "b-c"]


def test_what_dvc_draws_is_in_the_tables_and_has_a_template():
    root = REPOSITORY
    found = rich_run()[0]
    tables = {"scores.csv": scores_csv(found), "plots/models.csv": models_csv(found)}
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
    cards = card(score=0.78125), invalid("a", "b2", "X", "X", "Y"), unanswered(brief="b3")
    file = tmp_path / "scores.csv"
    file.write_bytes(scores_csv(findings(*cards)))
    return file


def test_the_columns_of_the_original_come_first_and_no_own_check_has_the_name_of_one(file):
    header = file.read_text("utf-8").partition("\n")[0]
    assert header.startswith(f"{ORIGINAL},")
    assert {*header.split(",")} <= RESERVED_NAMES


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
