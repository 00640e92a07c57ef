"""The columns of the reports' tables: their titles, and how the values of a frame are printed in
them.

A new column is one line in one of these tables of columns, and its short name where it is to be
shown.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial

import pandas as pd

from stages.report.failures import code_name
from stages.report.tables import Field, Fields, table_of, words
from stages.shared.present.page import brief_page, cell_page, cells_link, model_page
from stages.shared.present.table import Table
from stages.shared.records.response import ANSWERED, STATUSES, Cell
from stages.shared.shell import numbers as show


def count_of_cells(title: str, source: str, status: str, hint: str = "") -> Field:
    """A column of numbers of a model's cells of these outcomes, which lead to the list of them."""
    page = partial(_cells_of_model, status)
    return Field(title, source, show.count, hint, page=page, ids="model_id is_policy")


def _cells_of_model(status: str, model: str, is_policy: bool) -> str:
    """A policy, whose runs are estimated, has no cells to list."""
    return "" if is_policy else cells_link(model=model, status=status)


def _cells_of_brief(status: str, brief: str) -> str:
    return cells_link(brief=brief, status=status)


def _page_of_cell(model_id: str, brief_id: str, sample: int) -> str:
    return cell_page(Cell(model_id, brief_id, sample))


def _page_among_brief(model_id: str, brief_id: str, sample: int) -> str:
    """The page of a cell, from which the others of its brief are previous and next."""
    return f"{_page_of_cell(model_id, brief_id, sample)}#brief={brief_id}"


def _page_among_model(model_id: str, brief_id: str, sample: int) -> str:
    """The page of a cell, from which the others of its model are previous and next."""
    return f"{_page_of_cell(model_id, brief_id, sample)}#model={model_id}"


def text_or_dash(text: str | None) -> str:
    """The text, a dash for none."""
    return text or show.MISSING


def cost_text(cost_usd: float | None, cost_unknown: int) -> str:
    """A sum of costs, with the number of answers whose cost is unknown."""
    known = show.money(cost_usd)
    return f"{known} + {show.count(cost_unknown)} unknown" if cost_unknown else known


def outcome(status: str, usable: bool, valid: bool, unchecked: bool) -> str:
    """The outcome of a cell in words; see `outcome_code`."""
    return outcome_code(status, usable, valid, unchecked).replace("_", " ")


def outcome_code(status: str, usable: bool, valid: bool, unchecked: bool) -> str:
    """The outcome of a cell: usable, unchecked (usable, but nothing could compare it with its
    brief), unfaithful (valid, but a fidelity check failed), invalid, or its status.

    >>> outcome_code("success", False, True, False), outcome("parse_failed", False, False, False)
    ('unfaithful', 'parse failed')
    """
    if status != "success":
        return status
    if unchecked:
        return "unchecked"
    if usable:
        return "usable"
    return "unfaithful" if valid else "invalid"


def codes_text(codes: Sequence[str]) -> str:
    """The names of codes, each once, with how often it occurs.

    >>> codes_text(("ORPHAN_NODE", "FORBIDDEN_EDGE", "ORPHAN_NODE"))
    'Orphan node ×2, Forbidden edge'
    """
    counts = {code_name(code): codes.count(code) for code in codes}
    return ", ".join(name if count == 1 else f"{name} ×{count}" for name, count in counts.items())


def _content_text(content: float, low: float, high: float) -> str:
    return (
        show.score(content) if low != low else f"{show.score(content)} ({show.interval(low, high)})"
    )


def _models_text(models: Sequence[tuple[str, int]]) -> str:
    return show.first_of([f"{name} {show.count(cells)}" for name, cells in models])


def _named_score(name: str | None, score: float) -> str:
    return show.MISSING if name is None else f"{name} {show.score(score)}"


def _with_code(code: str) -> str:
    return cells_link(code=code)


def _with_code_of_model(code: str, model_id: str) -> str:
    return cells_link(model=model_id, code=code)


def _with_warning(code: str) -> str:
    return cells_link(warning=code)


OUTCOMES: Mapping[str, str] = {
    "usable": "usable,unchecked",
    "no_graph": ",".join(status for status in STATUSES if status in ANSWERED - {"success"}),
    "no_answer": ",".join(status for status in STATUSES if status not in ANSWERED),
    "not_usable": ",".join(["invalid", "unfaithful", *STATUSES[1:]]),
}
"""Groups of outcomes of cells, as a filter; see `outcome_code`."""


_USABLE = "Cells with a usable graph"
_UNCHECKED = "Usable graphs that nothing could compare with their brief"
_usable_share = partial(
    Field, "Usable", "usable cells", show.share_of, _USABLE, sort="usable_share"
)
MODELS: Fields = {
    "rank": Field("#", "rank", show.count, "Rank"),
    "name": words("Model", "name", page=model_page, ids="model_id"),
    "mode": words("Mode", "target_mode", text_or_dash, choose=True),
    "briefs": Field("Briefs", "expected_n", show.count, "Briefs with a score"),
    "score": Field(
        "Expected score", "expected_score", show.score, "Mean over briefs: a failure counts 0"
    ),
    "overall": Field("Overall", "overall_score", show.score, "Valid graphs only"),
    "usable": _usable_share(
        page=partial(_cells_of_model, OUTCOMES["usable"]), ids="model_id is_policy"
    ),
    "unchecked": count_of_cells("Unchecked", "unchecked", "unchecked", _UNCHECKED),
    "content": Field(
        "Content",
        "content content_low content_high",
        _content_text,
        "Share of the stated effects that graphs have right",
    ),
    "cost": Field("Cost", "cost_usd cost_unknown", cost_text),
    "cost_per_usable": Field(
        "Per usable graph", "cost_per_usable_usd", show.money, "Cost of a usable graph"
    ),
    "p50": Field("p50", "latency_p50_ms", show.duration, "Median latency"),
    "p95": Field("p95", "latency_p95_ms", show.duration, "Latency, 95th percentile"),
    "cells": Field("Cells", "cells", show.count),
    "invalid": count_of_cells(
        "Invalid", "invalid", "invalid", "Graphs that break a structural rule"
    ),
    "unfaithful": count_of_cells(
        "Failed a check", "unfaithful", "unfaithful", "Valid graphs that failed a fidelity check"
    ),
    "parse_failed": count_of_cells(
        "Parse failed", "parse_failed", "parse_failed", "Answers without JSON"
    ),
    "truncated": count_of_cells("Truncated", "truncated", "truncated", "Answers that were cut off"),
    "refused": count_of_cells("Refused", "refused", "refused"),
    "unanswered": count_of_cells(
        "No answer", "unanswered", OUTCOMES["no_answer"], "The next run calls these cells again"
    ),
    "graphs": Field("n", "scored", show.count, "Valid graphs"),
    "param_quality": Field("Parameter quality", "param_quality", show.score),
    "option_diff": Field("Option differentiation", "option_diff", show.score),
    "completeness": Field("Completeness", "completeness", show.score),
    "defaults": Field(
        "Default edges", "default_share", show.share, "Causal edges at the default parameters"
    ),
    "spread_samples": Field(
        "Spread of samples", "spread_samples", show.score, "Standard deviation"
    ),
    "spread_briefs": Field("Spread of briefs", "spread_briefs", show.score, "Standard deviation"),
    "calls": Field("Calls", "calls", show.count, "Failed attempts included"),
    "input": Field("Input", "input_tokens", show.count, "Tokens"),
    "cached": Field("From cache", "cached_share", show.share, "Of the input tokens"),
    "saved": Field("Saved by the cache", "cache_saved_usd", show.money),
    "output": Field("Output", "output_tokens", show.count, "Tokens"),
    "reasoning": Field("Reasoning", "reasoning_tokens", show.count, "Tokens"),
    "output_mean": Field("Output per answer", "output_tokens_mean", show.count, "Tokens"),
}
"""Of `ranking.rank_models`, with those of `model_fields`."""
BRIEFS: Fields = {
    "brief": words("Brief", "brief_id", page=brief_page, ids="brief_id"),
    "complexity": words("Complexity", "complexity", choose=True),
    "usable": _usable_share(page=partial(_cells_of_brief, OUTCOMES["usable"]), ids="brief_id"),
    "unchecked": Field(
        "Unchecked",
        "unchecked",
        show.count,
        _UNCHECKED,
        page=partial(_cells_of_brief, "unchecked"),
        ids="brief_id",
    ),
    "usable_count": Field("Usable", "usable", show.count, "Usable graphs"),
    "reason": words("Why", "unchecked_reason"),
    "expected": Field(
        "Expected", "expected_score", show.score, "Mean over all models; a failure counts 0"
    ),
    "overall": Field(
        "Overall", "overall_score", show.score, "Mean over all models, valid graphs only"
    ),
    "best": words("Best", "best_name best_score", _named_score, page=model_page, ids="best"),
    "worst": words("Worst", "worst_name worst_score", _named_score, page=model_page, ids="worst"),
    "gap": Field("Gap", "gap", show.score, "Best minus worst"),
    "loses": words("Where the worst loses", "loses"),
}
"""Of `ranking.rank_briefs`."""
_CELL_IDS = "model_id brief_id sample"
CELLS: Fields = {
    "name": words("Model", "name", page=_page_among_brief, ids=_CELL_IDS),
    "brief": words("Brief", "brief_id", page=_page_among_model, ids=_CELL_IDS),
    "sample": Field("Sample", "sample", show.count),
    "outcome": words(
        "Outcome",
        "status usable structural_valid unchecked",
        outcome,
        choose=True,
        look="look",
    ),
    "expected": Field(
        "Expected", "expected_score", show.score, "The overall score; a failure counts 0"
    ),
    "content": Field(
        "Content", "content", show.score, "Share of the stated effects that the graph has right"
    ),
    "param_quality": Field("Parameters", "param_quality", show.score, "Parameter quality, 0 to 1"),
    "option_diff": Field("Options", "option_diff", show.score, "Option differentiation, 0 to 1"),
    "completeness": Field("Completeness", "completeness", show.score, "0 to 1"),
    "nodes": Field("Nodes", "node_count", show.count),
    "edges": Field("Edges", "edge_count", show.count),
    "failures": words("Failures", "codes", codes_text),
    "output": Field("Output tokens", "output_tokens", show.count),
    "cost": Field("Cost", "est_cost_usd", show.money),
    "latency": Field("Latency", "latency_ms", show.duration),
}
"""Of the frame of cells."""
FAILURES: Fields = {
    "name": words("Model", "name", choose=True, page=model_page, ids="model_id"),
    "code": words("Code", "code", code=True, look="look"),
    "failure": words("Failure", "code", code_name, choose=True, page=_with_code, ids="code"),
    "failure_of_model": words(
        "Failure", "code", code_name, choose=True, page=_with_code_of_model, ids="code model_id"
    ),
    "warning": words("Warning", "code", code_name, page=_with_warning, ids="code"),
    "cells": Field("Cells", "cells", show.count, "Cells that it occurs in"),
    "share": Field("Share", "cells of_cells", show.share_of, "Of the cells"),
    "recorded": words(
        "Recorded as", "failure_codes", lambda codes: text_or_dash(show.first_of(codes))
    ),
    "models": words("Models", "models", _models_text),
    "briefs": words("Briefs", "briefs", show.first_of),
    "meaning": words("What it means", "meaning"),
    "fix": words("What to do", "fix"),
}
"""Of `failures.failures_by_model`, `failures.failures_by_code` and `failures.warnings_by_code`."""


def model_fields(confidence: float) -> Fields:
    """Everything that a table of models may show: `MODELS`, and the interval of the score."""
    limits = f"{show.share(confidence)} interval of the expected score, over briefs"
    interval = Field("Interval", "expected_low expected_high", show.interval, limits)
    return {**MODELS, "interval": interval}


def failure_tables(
    failures: pd.DataFrame, shown: str, *, root: str | None = None, name: str = "failures"
) -> Iterator[Table]:
    """Failures in two tables, each only if there are any.

    Cells without an answer, with the provider's code; then unusable answers.
    """
    answered = failures["answered"].astype(bool)
    parts = (
        (~answered, "unanswered", "Cells without an answer", "warn", f"{shown} recorded"),
        (answered, "answered", "Answers without a usable graph", "bad", shown),
    )
    for chosen, kind, title, look, columns in parts:
        part = failures[chosen]
        if len(part):
            yield table_of(
                part.assign(look=look),
                FAILURES,
                columns,
                title=title,
                name=f"{name}-{kind}",
                root=root,
            )
