"""`results/metrics.json`: the figures that `dvc metrics` compares between revisions."""

from stages.contracts.json_text import JsonValue
from stages.contracts.scorecard import DIMENSIONS, Dimension
from stages.report.counts import Counts
from stages.report.leaderboard import Leaderboard
from stages.report.usage import Usage

PLACES = 6
"""Decimals that are kept: far below any difference that matters, and stable across platforms."""


def metrics(board: Leaderboard) -> dict[str, JsonValue]:
    """The figures over all cells, and under `models` per model, with the dots of ids as underscores (DVC splits at dots).

    Scores are means over scored cells, but `expected_score`, which counts failures of the model's doing as 0. `valid_rate`
    and `answered_rate` are shares of all cells. What was not measured is null.
    """
    models: dict[str, JsonValue] = {}
    for standing in sorted(board.standings, key=lambda one: one.model_id):
        figures = _figures(
            standing.overall_mean, standing.expected.mean, standing.dimensions, standing.counts, standing.usage
        )
        models[_free_key(standing.model_id, models)] = {
            **figures,
            "latency_ms_p50": _rounded(standing.usage.latency_ms_p50),
            "cost_per_valid_usd": _rounded(standing.usage.cost_per_valid_usd),
        }
    overall = _figures(board.overall_mean, board.expected_mean, board.dimensions, board.counts, board.usage)
    return {**overall, "models": models}


def _figures(
    overall: float | None,
    expected: float | None,
    dimensions: dict[Dimension, float | None],
    counts: Counts,
    usage: Usage,
) -> dict[str, JsonValue]:
    return {
        "overall_score": _rounded(overall),
        "expected_score": _rounded(expected),
        **{name: _rounded(dimensions[name]) for name in DIMENSIONS},
        "valid_rate": _rounded(counts.valid_share),
        "answered_rate": _rounded(counts.answered_share),
        "scored": counts.scored,
        "cells": counts.cells,
        "cost_usd": _rounded(usage.cost_usd),
    }


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, PLACES)


def _free_key(model_id: str, taken: dict[str, JsonValue]) -> str:
    key = model_id.replace(".", "_")
    while key in taken:
        key += "_"
    return key
