"""The columns of the reports' tables: their titles, and how a row of a frame is printed, on the site as in Markdown."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import pandas as pd

from stages.report.cells import Row, rows_of
from stages.report.ranking import RankBy, score_name
from stages.shell import numbers as show
from stages.shell.text import compact_table, markdown, markdown_code, markdown_table

LONGEST = 300
"""Characters of a text in a Markdown table at most."""


@dataclass(frozen=True, slots=True)
class Field:
    """A column of a table.

    `text` prints it for a row of the frame, as plain text. `value` names the frame's column that it sorts by, for numbers;
    "" for text. `hint` explains the title in a sentence. `code` marks codes, which Markdown shows as such.
    """

    title: str
    text: Callable[[Row], str]
    value: str = ""
    hint: str = ""
    code: bool = False


def figure(title: str, column: str, write: Callable[[float | None], str], hint: str = "") -> Field:
    """A field of one of the frame's numbers."""
    return Field(title, lambda row: write(getattr(row, column)), column, hint)


_USABLE = Field(
    "Usable",
    lambda row: show.share_of(row.usable, row.cells),
    "usable_share",
    "Cells with a usable graph",
)


def model_fields(rank_by: RankBy, confidence: float) -> dict[str, Field]:
    """Everything that a table of `ranking.rank_models` or `ranking.format_rows` may show, by a short name."""
    hint, other = (
        "a failure of the model counts 0",
        ("Overall", "overall_score", show.score, "Valid graphs only"),
    )
    if rank_by == "overall_score":
        hint, other = (
            "usable graphs only",
            ("Expected", "expected_score", show.score, "A failure counts 0"),
        )
    return {
        "rank": figure("#", "rank", show.count, "Rank"),
        "name": Field("Model", lambda row: row.name),
        "mode": Field("Mode", lambda row: row.target_mode or show.MISSING),
        "briefs": figure("Briefs", "score_n", show.count, "Briefs with a score"),
        "usable": _USABLE,
        "score": figure(
            score_name(rank_by).capitalize(), "score", show.score, f"Mean over briefs: {hint}"
        ),
        "interval": Field(
            "Interval",
            lambda row: show.interval(row.score_low, row.score_high),
            "score_low",
            f"{show.share(confidence)} interval of the score that ranks, over briefs",
        ),
        "other": figure(*other),
        "cost": Field("Cost", cost_text, "cost_usd"),
        "cost_per_usable": figure(
            "Per usable graph", "cost_per_usable_usd", show.money, "Cost of a usable graph"
        ),
        "p50": figure("p50", "latency_p50_ms", show.duration, "Median latency"),
        "p95": figure("p95", "latency_p95_ms", show.duration, "Latency, 95th percentile"),
        "cells": figure("Cells", "cells", show.count),
        "invalid": figure("Invalid", "invalid", show.count, "Graphs that break a structural rule"),
        "unfaithful": figure(
            "Failed a check", "unfaithful", show.count, "Valid graphs that failed a fidelity check"
        ),
        "parse_failed": figure("Parse failed", "parse_failed", show.count, "Answers without JSON"),
        "truncated": figure("Truncated", "truncated", show.count, "Answers that were cut off"),
        "refused": figure("Refused", "refused", show.count),
        "unanswered": figure(
            "No answer", "unanswered", show.count, "The next run calls these cells again"
        ),
        "graphs": figure("n", "scored", show.count, "Valid graphs"),
        "param_quality": figure("Parameter quality", "param_quality", show.score),
        "option_diff": figure("Option differentiation", "option_diff", show.score),
        "completeness": figure("Completeness", "completeness", show.score),
        "defaults": figure(
            "Default edges", "default_share", show.share, "Causal edges at the default parameters"
        ),
        "spread_samples": figure(
            "Spread of samples", "spread_samples", show.score, "Standard deviation"
        ),
        "spread_briefs": figure(
            "Spread of briefs", "spread_briefs", show.score, "Standard deviation"
        ),
        "calls": figure("Calls", "calls", show.count, "Failed attempts included"),
        "input": figure("Input", "input_tokens", show.count, "Tokens"),
        "cached": figure("From cache", "cached_share", show.share, "Of the input tokens"),
        "saved": figure("Saved by the cache", "cache_saved_usd", show.money),
        "output": figure("Output", "output_tokens", show.count, "Tokens"),
        "reasoning": figure("Reasoning", "reasoning_tokens", show.count, "Tokens"),
        "output_mean": figure("Output per answer", "output_tokens_mean", show.count, "Tokens"),
        "asked": Field("Asked for", lambda row: row.asked),
        "gain": figure("Gain", "gain", show.difference, "Paired by brief: stricter minus freest"),
        "gain_interval": Field(
            "Interval",
            lambda row: show.difference_interval(row.gain_low, row.gain_high),
            "gain_low",
        ),
    }


def brief_fields() -> dict[str, Field]:
    """Everything that a table of `ranking.rank_briefs` may show, by a short name."""
    return {
        "brief": Field("Brief", lambda row: row.brief_id),
        "complexity": Field("Complexity", lambda row: row.complexity),
        "usable": _USABLE,
        "expected": figure(
            "Expected", "expected_score", show.score, "Mean over all models; a failure counts 0"
        ),
        "overall": figure(
            "Overall", "overall_score", show.score, "Mean over all models, valid graphs only"
        ),
        "best": Field("Best", lambda row: _who(row.best_name, row.best_score)),
        "worst": Field("Worst", lambda row: _who(row.worst_name, row.worst_score)),
        "gap": figure("Gap", "gap", show.score, "Best minus worst"),
        "loses": Field("Where the worst loses", lambda row: row.loses),
    }


def cell_fields() -> dict[str, Field]:
    """Everything that a table of cells may show, by a short name."""
    return {
        "name": Field("Model", lambda row: row.name),
        "brief": Field("Brief", lambda row: row.brief_id),
        "sample": figure("Sample", "sample", show.count),
        "outcome": Field(
            "Outcome",
            lambda row: outcome(row.status, usable=row.usable, valid=row.structural_valid),
        ),
        "expected": figure(
            "Expected", "expected_score", show.score, "The overall score; a failure counts 0"
        ),
        "param_quality": figure(
            "Parameters", "param_quality", show.score, "Parameter quality, 0 to 1"
        ),
        "option_diff": figure(
            "Options", "option_diff", show.score, "Option differentiation, 0 to 1"
        ),
        "completeness": figure("Completeness", "completeness", show.score, "0 to 1"),
        "nodes": figure("Nodes", "node_count", show.count),
        "edges": figure("Edges", "edge_count", show.count),
        "violations": Field("Violations", lambda row: codes_text(row.violation_codes)),
        "output": figure("Output tokens", "output_tokens", show.count),
        "cost": figure("Cost", "est_cost_usd", show.money),
        "latency": figure("Latency", "latency_ms", show.duration),
    }


def failure_fields() -> dict[str, Field]:
    """Everything that a table of `failures_by_model`, `failures_by_code` or `warnings_by_code` may show, by a short name."""
    return {
        "name": Field("Model", lambda row: row.name),
        "code": Field("Code", lambda row: row.code, code=True),
        "cells": figure("Cells", "cells", show.count, "Cells that it occurs in"),
        "share": Field(
            "Share", lambda row: show.share_of(row.cells, row.of_cells), "cells", "Of the cells"
        ),
        "recorded": Field(
            "Recorded as", lambda row: show.first_of(row.failure_codes) or show.MISSING
        ),
        "models": Field(
            "Models",
            lambda row: show.first_of(
                [f"{name} {show.count(cells)}" for name, cells in row.models]
            ),
        ),
        "briefs": Field("Briefs", lambda row: show.first_of(row.briefs)),
        "meaning": Field("What it means", lambda row: row.meaning),
        "fix": Field("What to do", lambda row: row.fix),
    }


def outcome(status: str, *, usable: bool, valid: bool) -> str:
    """The outcome of a cell: usable, unfaithful (valid, but a fidelity check failed), invalid, or its status in words.

    >>> outcome("success", usable=False, valid=True), outcome("parse_failed", usable=False, valid=False)
    ('unfaithful', 'parse failed')
    """
    if status != "success":
        return status.replace("_", " ")
    return "usable" if usable else "unfaithful" if valid else "invalid"


def codes_text(codes: Sequence[str]) -> str:
    """Codes, each once, with how often it occurs.

    >>> codes_text(("ORPHAN_NODE", "FORBIDDEN_EDGE", "ORPHAN_NODE"))
    'ORPHAN_NODE ×2, FORBIDDEN_EDGE'
    """
    return ", ".join(
        code if codes.count(code) == 1 else f"{code} ×{codes.count(code)}"
        for code in dict.fromkeys(codes)
    )


def cost_text(row: Row) -> str:
    """A sum of costs, with the number of answers whose cost is unknown."""
    known = show.money(row.cost_usd)
    return f"{known} + {show.count(row.cost_unknown)} unknown" if row.cost_unknown else known


def as_markdown(
    frame: pd.DataFrame, fields: Mapping[str, Field], names: str, *, compact: bool = False
) -> str:
    """The frame as a Markdown table of the named fields (separated by spaces), everything escaped."""
    chosen = [fields[name] for name in names.split()]
    header = [field.title for field in chosen]
    rows = [[_escaped(field, row) for field in chosen] for row in rows_of(frame)]
    if compact:
        return compact_table(header, rows)
    return markdown_table(header, rows, "".join("r" if field.value else "l" for field in chosen))


def _escaped(field: Field, row: Row) -> str:
    text = field.text(row)
    if field.value:
        return text
    return markdown_code(text) if field.code else markdown(text, LONGEST)


def _who(name: str | None, score: float) -> str:
    return show.MISSING if name is None else f"{name} {show.score(score)}"
