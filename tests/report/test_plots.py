import csv
import io
from pathlib import Path

import pandas as pd
import yaml

from stages.report.exports import csv_bytes, plots
from tests.builders.scorecards import card, findings, invalid, sub_score, unanswered


def _rows(content: bytes) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(content.decode("utf-8"))))


def test_each_view_has_its_table() -> None:
    assert sorted(plots(findings(card()))) == [
        "cells.csv",
        "models.csv",
        "sub_scores.csv",
        "violations.csv",
    ]


def test_cells_show_score_cost_and_time() -> None:
    first, second = _rows(plots(findings(card(score=0.5), unanswered(brief="b2")))["cells.csv"])
    assert first == {
        "model": "a", "brief": "b1", "sample": "1", "target_mode": "normal", "complexity": "simple", "status": "success",
        "overall_score": "0.5000", "expected_score": "0.5000", "cost_usd": "0.01", "latency_s": "1",
    }  # fmt: skip
    assert (second["overall_score"], second["cost_usd"], second["latency_s"]) == ("", "", "")


def test_scores_have_four_decimals_costs_ten_and_seconds_three() -> None:
    (line,) = _rows(
        plots(findings(card(score=1 / 3, est_cost_usd=1 / 3, latency_ms=1000 / 3)))["cells.csv"]
    )
    assert (line["overall_score"], line["cost_usd"], line["latency_s"]) == (
        "0.3333",
        "0.3333333333",
        "0.333",
    )


def test_sub_scores_are_means_with_their_n() -> None:
    subs = {"completeness": (sub_score("goal_threshold", 0.5),)}
    assert _rows(plots(findings(card(sub_scores=subs)))["sub_scores.csv"]) == [
        {
            "model": "a",
            "dimension": "completeness",
            "sub_score": "goal_threshold",
            "mean": "0.5000",
            "scored": "1",
        }
    ]


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
        assert (root / f".dvc/plots/{asked['template']}.json").is_file(), title
        for axis in ("x", "y"):
            ((file, column),) = asked[axis].items()
            assert column in columns[file], (title, axis)


def test_what_is_missing_is_an_empty_field_and_latencies_are_in_seconds() -> None:
    frame = pd.DataFrame(
        {"a": pd.Series([None, "x"], dtype=object), "b": [1.5, float("nan")], "c": [True, False]}
    )
    assert csv_bytes(frame) == b"a,b,c\n,1.5,true\nx,,false\n"
    header, line = plots(findings(card(latency_ms=1500.0)))["models.csv"].decode().splitlines()
    model = dict(zip(header.split(","), line.split(","), strict=True))
    assert (model["latency_s_p50"], model["latency_s_p95"]) == ("1.5", "1.5")
