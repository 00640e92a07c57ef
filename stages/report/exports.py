"""The files for other programs: `results/scores.csv`, `metrics.json` and the tables of `plots/`."""

import math
from collections.abc import Sequence
from typing import Any

import pandas as pd

from stages.report.cells import sub_scores
from stages.report.findings import Findings
from stages.report.rows import Total, model_rows
from stages.shared.records.json_text import JsonValue
from stages.shared.records.scorecard import DIMENSIONS
from stages.shared.shell import numbers
from stages.shared.shell.text import csv_cell

_PLACES = {"tokens": 0, "count": 0, "usd": 10, "ms": 1, "s": 3, "p50": 3, "p95": 3}
"""Decimals at most, by the last word of a column's name."""
SCORES_COLUMNS = (
    "run_id",
    "model_id",
    "brief_id",
    "target_mode",
    "structural_valid",
    "param_quality",
    "option_diff",
    "completeness",
    "overall_score",
    "latency_ms",
    "input_tokens",
    "output_tokens",
    "reasoning_tokens",
    "est_cost_usd",
    "pricing_source",
    "node_count",
    "edge_count",
    "violation_codes",
    "failure_code",
    "sample",
    "status",
    "expected_score",
    "complexity",
    "default_share",
    "cached_tokens",
    "cache_write_tokens",
    "attempts",
    "draws",
    "extraction_method",
    "warnings",
    "warning_codes",
    "simulated",
    "scoring_version",
    "fingerprint",
    "usable",
    "fidelity",
    "fidelity_codes",
    "unchecked",
    "content",
)
CELLS_COLUMNS = (
    "model",
    "brief",
    "sample",
    "target_mode",
    "complexity",
    "status",
    "overall_score",
    "expected_score",
    "cost_usd",
    "latency_s",
)
MODELS_COLUMNS = (
    "model",
    "target_mode",
    "cells",
    "scored",
    "usable_share",
    "expected_score",
    "expected_score_low",
    "expected_score_high",
    "overall_score",
    "cost_usd",
    "cost_per_usable_usd",
    "latency_s_p50",
    "latency_s_p95",
)


def scores_csv(run_id: str, cells: pd.DataFrame) -> bytes:
    """A line per cell: the original tool's columns in its order, then ours. What was not
    measured is an empty field.
    """
    return _table(
        cells.assign(run_id=run_id, warnings=cells["warning_codes"].map(len)), SCORES_COLUMNS
    )


def metrics(findings: Findings) -> dict[str, JsonValue]:
    """The figures that `dvc metrics` compares: ten over all cells, and under `models` the expected
    score of each model.

    Scores are means over scored cells, but `expected_score`, which counts failures of the model as
    0. `usable_rate` and `answered_rate` are shares of all cells. What was not measured is null.
    Dots of ids are underscores: DVC splits at dots.
    """
    models: dict[str, JsonValue] = {}
    for model in model_rows(findings.candidates.sort_values("model_id")):
        key = model.model_id.replace(".", "_")
        while key in models:
            key += "_"
        models[key] = _figure(model.expected_score)
    return {**_figures(findings.total), "models": models}


def plots(findings: Findings) -> dict[str, bytes]:
    """The tables that `dvc plots` draws and compares, by file name. Scores have four decimals."""
    columns = {"model_id": "model", "brief_id": "brief", "est_cost_usd": "cost_usd"}
    cells = findings.cells.rename(columns=columns)
    cells["latency_s"] = cells["latency_ms"] / 1000
    ends = {"expected_low": "expected_score_low", "expected_high": "expected_score_high"}
    models = findings.candidates.rename(columns=columns | ends)
    counts = ["cells", "scored"]
    models[counts] = models[counts].round().astype("int64")  # those of policies are expected ones
    models["latency_s_p50"] = models["latency_p50_ms"] / 1000
    models["latency_s_p95"] = models["latency_p95_ms"] / 1000
    failures = findings.failures.rename(columns=columns)
    failures["total"] = failures.groupby("code")["cells"].transform("sum")
    failures = failures.sort_values(["total", "code", "model"], ascending=[False, True, True])
    sub_means = _sub_means(models)
    return {
        "cells.csv": _table(cells, CELLS_COLUMNS),
        "models.csv": _table(models, MODELS_COLUMNS),
        "sub_scores.csv": _table(sub_means, ("model", "dimension", "sub_score", "mean", "scored")),
        "violations.csv": _table(failures, ("model", "code", "cells")),
    }


def _sub_means(models: pd.DataFrame) -> pd.DataFrame:
    """A row for every model and sub-score with its mean, in the order of the models."""
    columns = sub_scores(models)
    means = models.melt(["model", "scored"], columns, "key", "mean", ignore_index=False).dropna()
    means = means.sort_index(kind="stable")
    names = [str(key).split(".", 1) for key in means["key"]]
    return means.assign(
        dimension=[dimension for dimension, _ in names], sub_score=[name for _, name in names]
    )


def csv_bytes(frame: pd.DataFrame) -> bytes:
    """A frame of texts, whole numbers and booleans as CSV that pandas, DuckDB and spreadsheets read
    without options.

    UTF-8, a header line, LF line ends; None and NaN are empty fields, booleans `true` and `false`;
    no text is a formula.
    """
    return frame.map(_field).to_csv(index=False, lineterminator="\n").encode("utf-8")


def plain_number(value: float, places: int) -> str:
    """A number without exponent and without trailing zeros, empty when NaN.

    >>> plain_number(0.00001250, 10), plain_number(812.0, 1), plain_number(1200.0, 0)
    ('0.0000125', '812', '1200')
    """
    if math.isnan(value):
        return ""
    text = f"{value:.{places}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def _table(frame: pd.DataFrame, columns: Sequence[str]) -> bytes:
    return csv_bytes(frame[list(columns)].apply(_written))


def _written(column: "pd.Series[Any]") -> "pd.Series[Any]":
    """A column as it is written: numbers by the unit at the end of the name, those without a
    unit are scores; codes are joined.
    """
    unit = str(column.name).rpartition("_")[2]
    if unit == "codes":
        return column.map(";".join)
    if column.dtype != "float64":
        return column
    if unit not in _PLACES:
        return column.map(numbers.four_decimals)
    places = _PLACES[unit]
    return column.map(lambda value: plain_number(value, places))


def _field(value: str | float | None) -> str:
    if value is None or value != value:  # NaN
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    return csv_cell(value) if isinstance(value, str) else str(value)


def _figures(row: Total) -> dict[str, JsonValue]:
    scores = ("overall_score", "expected_score", *DIMENSIONS)
    return {
        **{name: _figure(getattr(row, name)) for name in scores},
        "usable_rate": _figure(row.usable_share),
        "answered_rate": _figure(row.answered_share),
        "scored": round(row.scored),
        "cells": int(row.cells),
        "cost_usd": _figure(row.cost_usd),
    }


def _figure(value: float) -> float | None:
    """Six decimals: far below any difference that matters, and the same on all platforms."""
    return None if math.isnan(value) else round(float(value), 6)
