"""The files for other programs: `results/scores.csv`, `metrics.json`, `metrics-models.json` and the tables of `plots/`."""

import math
from collections.abc import Callable, Mapping, Sequence
from decimal import ROUND_HALF_UP, Decimal
from types import MappingProxyType

import pandas as pd

from stages.contracts.json_text import JsonValue
from stages.contracts.scorecard import DIMENSIONS
from stages.report.cells import Row, rows_of, sub_scores
from stages.report.findings import Findings
from stages.shell.text import csv_cell

_FIGURE_PLACES = 6
"""Decimals of the metrics: far below any difference that matters, and stable across platforms."""
_SCORE_PLACES = Decimal("0.0001")
SCORES_COLUMNS = (
    "run_id", "model_id", "brief_id", "target_mode", "structural_valid", "param_quality", "option_diff", "completeness",
    "overall_score", "latency_ms", "input_tokens", "output_tokens", "reasoning_tokens", "est_cost_usd", "pricing_source",
    "node_count", "edge_count", "violation_codes", "failure_code", "sample", "status", "expected_score", "complexity",
    "default_share", "cached_tokens", "cache_write_tokens", "attempts", "draws", "extraction_method", "warnings",
    "warning_codes", "simulated", "scoring_version", "fingerprint", "usable", "fidelity", "fidelity_codes",
)  # fmt: skip
CELLS_COLUMNS = (
    "model", "brief", "sample", "target_mode", "complexity", "status", "overall_score", "expected_score", "cost_usd",
    "latency_s",
)  # fmt: skip
MODELS_COLUMNS = (
    "model", "target_mode", "cells", "scored", "usable_share", "expected_score", "expected_low", "expected_high",
    "overall_score", "cost_usd", "cost_per_usable_usd", "latency_s_p50", "latency_s_p95",
)  # fmt: skip


def scores_csv(run_id: str, cells: pd.DataFrame) -> bytes:
    """A line per cell, by model, brief and sample: the original tool's columns in its order, then ours.

    Scores have four decimals; what was not measured is an empty field. `default_share` is the share (0..1) of causal edges at
    the default parameters.
    """
    return _table(cells.assign(run_id=run_id, warnings=cells["warning_codes"].map(len)), SCORES_COLUMNS)


def metrics(findings: Findings) -> dict[str, JsonValue]:
    """The figures that `dvc metrics` compares: ten over all cells, and under `models` the expected score of each model.

    Scores are means over scored cells, but `expected_score`, which counts failures of the model as 0. `usable_rate` and
    `answered_rate` are shares of all cells. What was not measured is null. Dots of ids are underscores: DVC splits at dots.
    """
    models: dict[str, JsonValue] = {}
    for model in rows_of(findings.models.sort_values("model_id")):
        key = model.model_id.replace(".", "_")
        while key in models:
            key += "_"
        models[key] = _figure(model.expected_score)
    return {**_figures(findings.total), "models": models}


def model_metrics(findings: Findings) -> dict[str, JsonValue]:
    """The figures of `metrics` for each model, by its id, with the median latency and the cost of a usable graph."""
    return {
        model.model_id: {
            **_figures(model),
            "latency_ms_p50": _figure(model.latency_p50_ms),
            "cost_per_usable_usd": _figure(model.cost_per_usable_usd),
        }
        for model in rows_of(findings.models)
    }


def plots(findings: Findings) -> dict[str, bytes]:
    """The tables that `dvc plots` draws and compares, by file name. Scores have four decimals."""
    cells = findings.cells.rename(columns={"model_id": "model", "brief_id": "brief", "est_cost_usd": "cost_usd"})
    cells["latency_s"] = cells["latency_ms"] / 1000
    models = findings.models.rename(columns={"model_id": "model"})
    models["latency_s_p50"] = models["latency_p50_ms"] / 1000
    models["latency_s_p95"] = models["latency_p95_ms"] / 1000
    sub_means = models.melt(["model", "scored"], sub_scores(cells), "sub_score", "mean", ignore_index=False).dropna()
    sub_means = sub_means.sort_index(kind="stable")
    sub_means["dimension"] = [name.partition(".")[0] for name in sub_means["sub_score"]]
    sub_means["sub_score"] = [name.partition(".")[2] for name in sub_means["sub_score"]]
    codes = findings.failures.rename(columns={"model_id": "model"}).sort_values(["code", "model"])
    return {
        "cells.csv": _table(cells, CELLS_COLUMNS),
        "models.csv": _table(models, MODELS_COLUMNS),
        "sub_scores.csv": _table(sub_means, ("model", "dimension", "sub_score", "mean", "scored")),
        "violations.csv": _table(codes, ("model", "code", "cells")),
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


_WRITERS: Mapping[str, Callable[..., str]] = MappingProxyType(
    {
        **dict.fromkeys(
            (*DIMENSIONS, "overall_score", "expected_score", "expected_low", "expected_high", "usable_share",
             "default_share", "mean"),
            four_decimals,
        ),
        **dict.fromkeys(
            ("input_tokens", "cached_tokens", "cache_write_tokens", "output_tokens", "reasoning_tokens", "node_count",
             "edge_count"),
            _plain(0),
        ),
        **dict.fromkeys(("est_cost_usd", "cost_usd", "cost_per_usable_usd"), _plain(10)),
        **dict.fromkeys(("latency_s", "latency_s_p50", "latency_s_p95"), _plain(3)),
        **dict.fromkeys(("violation_codes", "warning_codes", "fidelity_codes"), ";".join),
        "latency_ms": _plain(1),
    }
)  # fmt: skip
"""How columns are written that are not written as they are."""


def _table(frame: pd.DataFrame, columns: Sequence[str]) -> bytes:
    return csv_bytes(
        pd.DataFrame({name: frame[name].map(_WRITERS[name]) if name in _WRITERS else frame[name] for name in columns})
    )


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
        "usable_rate": _figure(row.usable_share),
        "answered_rate": _figure(row.answered_share),
        "scored": int(row.scored),
        "cells": int(row.cells),
        "cost_usd": _figure(row.cost_usd),
    }


def _figure(value: float) -> float | None:
    return None if math.isnan(value) else round(float(value), _FIGURE_PLACES)
