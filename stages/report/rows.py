"""The rows of the reports' frames, read by attribute.

pandas does not know the types of its columns: these protocols name the ones that are read one by
one. The functions that make the frames document all columns.
"""

from collections.abc import Iterator
from typing import Any, Protocol

import pandas as pd

from stages.shared.analysis.estimates import ScoreEstimate, Side
from stages.shared.analysis.scored_cell import ScoredCell
from stages.shared.records.response import Cell


class Total(Protocol):
    """A row of `ranking.summarise`."""

    cells: int
    answered: int
    unanswered: int
    usable: int
    unfaithful: int
    unchecked: int
    truncated: int
    scored: int
    usable_share: float
    answered_share: float
    expected_score: float
    cost_usd: float
    cost_unknown: int
    cost_per_usable_usd: float
    cache_saved_usd: float
    latency_p50_ms: float
    latency_p95_ms: float


class ModelRow(Total, Protocol):
    """A row of `ranking.rank_models`; the counts of a policy are expected ones, not whole."""

    model_id: str
    is_policy: bool
    name: str
    target_mode: str | None
    simulated: bool
    rank: float
    expected_low: float
    expected_high: float
    expected_n: float
    overall_score: float
    default_share: float
    content: float
    content_low: float
    content_high: float
    content_n: float
    estimate: ScoreEstimate
    side: Side
    asked_briefs: int


class BriefRow(Total, Protocol):
    """A row of `ranking.rank_briefs`; `best` and `worst` are ids of models, None where no model
    has a score.
    """

    brief_id: str
    best: str | None
    worst: str | None


class CellRow(Protocol):
    """A row of `cells.frame_of`, whose columns and their types these are."""

    model_id: str
    brief_id: str
    sample: int
    name: str
    status: str
    failure_code: str | None
    complexity: str
    scoring_version: str
    scoring_rules: str
    fingerprint: str | None
    simulated: bool
    structural_valid: bool
    usable: bool
    unchecked: bool
    unchecked_reason: str | None
    answered: bool
    codes: tuple[str, ...]
    violation_codes: tuple[str, ...]
    warning_codes: tuple[str, ...]
    fidelity: str | None
    fidelity_codes: tuple[str, ...]
    param_quality: float
    option_diff: float
    completeness: float
    overall_score: float
    expected_score: float
    content: float
    default_share: float
    node_count: float
    edge_count: float
    latency_ms: float
    input_tokens: float
    cached_tokens: float
    cache_write_tokens: float
    output_tokens: float
    reasoning_tokens: float
    est_cost_usd: float
    pricing_source: str | None
    extraction_method: str | None
    created_at: str | None
    attempts: int
    draws: int
    answer: ScoredCell
    answered_model: str | None
    labels: str | None


class FailureRow(Protocol):
    """A row of `failures.failures_by_model` or `failures.failures_by_code`."""

    code: str
    cells: int


class MeanRow(Protocol):
    """A row of `ranking.by_model_and_brief`."""

    model_id: str
    brief_id: str
    name: str
    cells: int
    usable: int
    expected_score: float


def total_of(summary: pd.DataFrame) -> Total:
    """The only row of a summary of all cells."""
    total: Total = next(_rows(summary))
    return total


def model_rows(models: pd.DataFrame) -> Iterator[ModelRow]:
    """The rows of models, in order."""
    return _rows(models)


def models_by_id(models: pd.DataFrame) -> dict[str, ModelRow]:
    """The rows of models by id, in order."""
    return {model.model_id: model for model in model_rows(models)}


def brief_rows(briefs: pd.DataFrame) -> Iterator[BriefRow]:
    """The rows of briefs, in order."""
    return _rows(briefs)


def cell_rows(cells: pd.DataFrame) -> Iterator[CellRow]:
    """The rows of cells, in order."""
    return _rows(cells)


def failure_rows(failures: pd.DataFrame) -> Iterator[FailureRow]:
    """The rows of failures, in order."""
    return _rows(failures)


def mean_rows(means: pd.DataFrame) -> Iterator[MeanRow]:
    """The rows of means by model and brief, in order."""
    return _rows(means)


def cell_of(row: CellRow) -> Cell:
    """The cell that a row is of."""
    return Cell(row.model_id, row.brief_id, row.sample)


def _rows(frame: pd.DataFrame) -> Iterator[Any]:
    return iter(frame.itertuples(index=False))
