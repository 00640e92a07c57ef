"""The files for other programs: `results/scores.csv`, `results/metrics.json` and the tables below `results/plots/`."""

import math
from collections.abc import Callable, Mapping
from decimal import ROUND_HALF_UP, Decimal

import pandas as pd

from stages.contracts.json_text import JsonValue
from stages.contracts.scorecard import DIMENSIONS
from stages.report.data.cells import Row, rows_of, sub_scores
from stages.report.data.findings import Findings
from stages.shell.text import csv_cell

_FIGURE_PLACES = 6
"""Decimals of the metrics: far below any difference that matters, and stable across platforms."""
_SCORE_PLACES = Decimal("0.0001")


def scores_csv(run_id: str, cells: pd.DataFrame) -> bytes:
    """A line per cell, by model, brief and sample: the original tool's columns in its order, then ours.

    Scores have four decimals; what was not measured is an empty field. `default_share` is the share (0..1) of causal edges at
    the default parameters.
    """
    columns = {
        "run_id": pd.Series(run_id, cells.index),
        "model_id": cells["model_id"],
        "brief_id": cells["brief_id"],
        "target_mode": cells["target_mode"],
        "structural_valid": cells["structural_valid"],
        "param_quality": cells["param_quality"].map(four_decimals),
        "option_diff": cells["option_diff"].map(four_decimals),
        "completeness": cells["completeness"].map(four_decimals),
        "overall_score": cells["overall_score"].map(four_decimals),
        "latency_ms": cells["latency_ms"].map(_plain(1)),
        "input_tokens": cells["input_tokens"].map(_plain(0)),
        "output_tokens": cells["output_tokens"].map(_plain(0)),
        "reasoning_tokens": cells["reasoning_tokens"].map(_plain(0)),
        "est_cost_usd": cells["est_cost_usd"].map(_plain(10)),
        "pricing_source": cells["pricing_source"],
        "node_count": cells["node_count"].map(_plain(0)),
        "edge_count": cells["edge_count"].map(_plain(0)),
        "violation_codes": cells["violation_codes"].map(";".join),
        "failure_code": cells["failure_code"],
        "sample": cells["sample"],
        "status": cells["status"],
        "expected_score": cells["expected_score"].map(four_decimals),
        "complexity": cells["complexity"],
        "default_share": cells["default_share"].map(four_decimals),
        "cached_tokens": cells["cached_tokens"].map(_plain(0)),
        "cache_write_tokens": cells["cache_write_tokens"].map(_plain(0)),
        "attempts": cells["attempts"],
        "draws": cells["draws"],
        "extraction_method": cells["extraction_method"],
        "warnings": cells["warning_codes"].map(len),
        "warning_codes": cells["warning_codes"].map(";".join),
        "simulated": cells["simulated"],
        "scoring_version": cells["scoring_version"],
        "fingerprint": cells["fingerprint"],
    }
    return csv_bytes(pd.DataFrame(columns))


def metrics(findings: Findings) -> dict[str, JsonValue]:
    """The figures that `dvc metrics` compares: over all cells, and under `models` per model.

    Scores are means over scored cells, but `expected_score`, which counts failures of the model as 0. `valid_rate` and
    `answered_rate` are shares of all cells. What was not measured is null. Dots of ids are underscores: DVC splits at dots.
    """
    models: dict[str, JsonValue] = {}
    for model in rows_of(findings.models.sort_values("model_id")):
        key = model.model_id.replace(".", "_")
        while key in models:
            key += "_"
        models[key] = {
            **_figures(model),
            "latency_ms_p50": _figure(model.latency_p50_ms),
            "cost_per_valid_usd": _figure(model.cost_per_usable_usd),
        }
    return {**_figures(findings.total), "models": models}


def plots(findings: Findings) -> dict[str, bytes]:
    """The tables that `dvc plots` draws and compares, by file name. Scores have four decimals."""
    cells, models, failures = findings.cells, findings.models, findings.failures
    of_cells = {
        "model": cells["model_id"],
        "brief": cells["brief_id"],
        "sample": cells["sample"],
        "target_mode": cells["target_mode"],
        "complexity": cells["complexity"],
        "status": cells["status"],
        "overall_score": cells["overall_score"].map(four_decimals),
        "expected_score": cells["expected_score"].map(four_decimals),
        "cost_usd": cells["est_cost_usd"].map(_plain(10)),
        "latency_s": (cells["latency_ms"] / 1000).map(_plain(3)),
    }
    of_models = {
        "model": models["model_id"],
        "target_mode": models["target_mode"],
        "cells": models["cells"],
        "scored": models["usable"],
        "valid_share": models["usable_share"].map(four_decimals),
        "expected_score": models["expected_score"].map(four_decimals),
        "expected_low": models["expected_low"].map(four_decimals),
        "expected_high": models["expected_high"].map(four_decimals),
        "overall_score": models["overall_score"].map(four_decimals),
        "cost_usd": models["cost_usd"].map(_plain(10)),
        "cost_per_valid_usd": models["cost_per_usable_usd"].map(_plain(10)),
        "latency_s_p50": (models["latency_p50_ms"] / 1000).map(_plain(3)),
        "latency_s_p95": (models["latency_p95_ms"] / 1000).map(_plain(3)),
    }
    subs = [
        (model["model_id"], *name.split(".", 1), four_decimals(model[name]), model["usable"])
        for model in models.to_dict("records")
        for name in sub_scores(cells)
        if not math.isnan(model[name])
    ]
    codes = failures.sort_values(["code", "model_id"])
    return {
        "cells.csv": csv_bytes(pd.DataFrame(of_cells)),
        "models.csv": csv_bytes(pd.DataFrame(of_models)),
        "sub_scores.csv": csv_bytes(pd.DataFrame(subs, columns=["model", "dimension", "sub_score", "mean", "scored"])),
        "violations.csv": csv_bytes(codes.rename(columns={"model_id": "model"})[["model", "code", "cells"]]),
    }


def csv_bytes(frame: pd.DataFrame) -> bytes:
    """A frame of texts, whole numbers and booleans as CSV that pandas, DuckDB and spreadsheets read without options.

    UTF-8, a header line, LF line ends; None and NaN are empty fields, booleans `true` and `false`; no text is a formula.
    """
    return frame.map(_field).to_csv(index=False, lineterminator="\n").encode("utf-8")


def four_decimals(score: float | None) -> str:
    """A score with four decimals, ties away from zero on the exact value (as the original wrote it), empty when missing.

    >>> four_decimals(0.78125), four_decimals(1.0), four_decimals(None)
    ('0.7813', '1.0000', '')
    """
    return "" if score is None or math.isnan(score) else str(Decimal(score).quantize(_SCORE_PLACES, ROUND_HALF_UP))


def plain_number(value: float, places: int) -> str:
    """A number without exponent and without trailing zeros, empty when NaN.

    >>> plain_number(0.00001250, 10), plain_number(812.0, 1), plain_number(0.0, 3), plain_number(1200.0, 0)
    ('0.0000125', '812', '0', '1200')
    """
    if math.isnan(value):
        return ""
    text = f"{value:.{places}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def _plain(places: int) -> Callable[[float], str]:
    return lambda value: plain_number(value, places)


def _field(value: str | float | None) -> str:
    if value is None or value != value:  # NaN
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    return csv_cell(value) if isinstance(value, str) else str(value)


def _figures(row: Row) -> Mapping[str, JsonValue]:
    return {
        "overall_score": _figure(row.overall_score),
        "expected_score": _figure(row.expected_score),
        **{name: _figure(getattr(row, name)) for name in DIMENSIONS},
        "valid_rate": _figure(row.usable_share),
        "answered_rate": _figure(row.answered_share),
        "scored": int(row.usable),
        "cells": int(row.cells),
        "cost_usd": _figure(row.cost_usd),
    }


def _figure(value: float) -> float | None:
    return None if math.isnan(value) else round(float(value), _FIGURE_PLACES)
