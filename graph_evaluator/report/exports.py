"""The files for other programs: `results/scores.csv`, `metrics.json` and the tables of `plots/`."""

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from operator import attrgetter

from graph_evaluator.analysis.summary import Summary, means_by_name
from graph_evaluator.records.json_text import JsonValue
from graph_evaluator.records.response import CellCost, Measured, Usage
from graph_evaluator.records.scorecard import EFFECT_OUTCOMES, ScoredCell
from graph_evaluator.report.findings import Findings
from graph_evaluator.shell import numbers
from graph_evaluator.shell.text import csv_cell

COLUMNS = [
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
    "effects_right",
    "effects_wrong",
    "effects_missing",
    "invented_effects",
    "right_choice",
    "recommended",
    "margin",
    "certainty",
]
"""The columns of the original tool in its order, then ours."""
_FIELDS = {
    name: attrgetter(f"{prefix}{name}")
    for prefix, record in (
        ("cost.", CellCost),
        ("measured.usage.", Usage),
        ("measured.", Measured),
        ("", ScoredCell),
    )
    for name in COLUMNS
    if name in record.model_fields or hasattr(record, name)
}
"""How the columns that a cell or a record of it has are read."""
_PLACES = {"usd": 10, "ms": 1, "s": 3, "p50": 3, "p95": 3}
"""Decimals at most, by the last word of a column's name; one without a unit is a score."""
_WORST_FIRST = ("fail", "warn", "pass", "not_applicable")
"""The outcomes of checks; the worst one of a cell is its `fidelity`."""


def scores_csv(findings: Findings) -> bytes:
    """A line per cell: the columns of the original tool in its order, then ours. What was not
    measured is an empty field.

    `content` is what the means count, so 0 for an answer without a usable graph; `warnings` is the
    number of warning codes.
    """
    modes = {model.id: model.mode for model in findings.candidates}
    lines = []
    for cell in findings.cells:
        line = {name: read(cell) for name, read in _FIELDS.items()}
        line |= {"run_id": findings.run.run_id, "target_mode": modes[cell.model_id]}
        worst = min(cell.checks.values(), key=_WORST_FIRST.index, default=None)
        fidelity = "unchecked" if cell.unchecked and worst != "warn" else worst
        line |= {"warnings": len(cell.warning_codes), "fidelity": fidelity}
        line |= {"fidelity_codes": cell.noticed_checks, "content": cell.counted_content}
        line |= {f"effects_{name}": cell.effect_counts.get(name) for name in EFFECT_OUTCOMES}
        given = cell.recommendation
        if given:
            line["recommended"] = tuple(option.label for option in given.recommended)
            line |= {"margin": given.margin, "certainty": given.certainty}
        lines.append(line | cell.own_checks)
    own = {name for cell in findings.cells for name in cell.own_checks}
    return _table([*COLUMNS, *sorted(own)], lines)


def metrics(findings: Findings) -> dict[str, JsonValue]:
    """The figures that `dvc metrics` compares: those of the specification and the headlines over
    all cells, and under `models` the headlines of each model.

    The specification's scores are means over scored cells, but `expected_score`, which counts
    failures of the model as 0. `usable_rate` and `answered_rate` are shares of all cells. What was
    not measured is null. Dots of ids are underscores: DVC splits at dots.
    """
    total = findings.total
    models: dict[str, JsonValue] = {}
    for candidate in sorted(findings.candidates, key=lambda candidate: candidate.id):
        key = candidate.id.replace(".", "_")
        while key in models:
            key += "_"
        models[key] = _headlines(candidate.summary)
    figures: dict[str, float | None] = {
        "overall_score": total.cell_overall.value,
        "expected_score": total.cell_expected.value,
        **{name: mean.value for name, mean in total.dimensions.items()},
        "answered_rate": total.answered / total.cells if total.cells else None,
        "scored": total.cell_overall.n,
        "cells": total.cells,
        "cost_usd": total.cost.usd,
    }
    # True counts as 1, False as 0, over the graphs that a check applies to
    checks = means_by_name(cell.own_checks for cell in findings.cells)
    own = _rounded({name: mean.value for name, mean in checks.items()})
    return {**_headlines(total), **_rounded(figures), "checks": own, "models": models}


def _headlines(summary: Summary) -> dict[str, JsonValue]:
    """The figures that a change of a prompt or model is judged by."""
    figures = {
        "form": summary.form.value,
        "content": summary.content.value,
        "same_choice": summary.same_choice.value,
        "right_choice": summary.right_choice.value,
        "invented_share": summary.invented_share.value,
        "usable_rate": summary.usable_share,
        "cost_per_usable_usd": summary.cost.per_usable,
        "latency_s_p50": summary.latency.p50_s,
    }
    return _rounded(figures)


def models_csv(findings: Findings) -> bytes:
    """The table that `dvc plots` draws and compares. Scores have four decimals."""
    models = [
        {
            "model": candidate.id,
            "usable_share": candidate.summary.usable_share,
            "expected_score": candidate.summary.form.value,
            "expected_score_low": candidate.summary.form.low,
            "expected_score_high": candidate.summary.form.high,
            "cost_per_usable_usd": candidate.summary.cost.per_usable,
            "latency_s_p50": candidate.summary.latency.p50_s,
            "latency_s_p95": candidate.summary.latency.p95_s,
        }
        for candidate in findings.candidates
    ]
    return _table(list(models[0]), models)


def _table(columns: Sequence[str], lines: Iterable[Mapping[str, object]]) -> bytes:
    """Lines as CSV that pandas, DuckDB and spreadsheets read without options.

    UTF-8, a header line, LF line ends; None is an empty field, booleans are `true` and `false`; no
    text is a formula.
    """
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    for line in lines:
        writer.writerow([_field(name, line.get(name)) for name in columns])
    return text.getvalue().encode()


def _field(name: str, value: object) -> str:
    """A field as it is written: codes are joined, numbers have the decimals of their column."""
    if value is None:
        return ""
    if isinstance(value, tuple):
        return csv_cell(";".join(value))
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float):
        unit = name.rpartition("_")[2]
        if unit in _PLACES:
            return plain_number(value, _PLACES[unit])
        return numbers.four_decimals(value)
    return csv_cell(str(value))


def plain_number(value: float, places: int) -> str:
    """A number without exponent and without trailing zeros.

    >>> plain_number(0.00001250, 10), plain_number(812.0, 1), plain_number(1200.0, 0)
    ('0.0000125', '812', '1200')
    """
    text = f"{value:.{places}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def _rounded(figures: Mapping[str, float | None]) -> dict[str, JsonValue]:
    """Six decimals: far below any difference that matters, and the same on all platforms."""
    return {name: None if value is None else round(value, 6) for name, value in figures.items()}
