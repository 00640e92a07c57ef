"""The frame of cells: a row per cell. Every table of the reports is grouped from it."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeAlias

import pandas as pd

from stages.contracts.graph import read
from stages.contracts.model_config import ModelConfig
from stages.contracts.response import ANSWERED, Cell, Response
from stages.contracts.scorecard import DIMENSIONS, Scorecard
from stages.report.rows import cell_of, cell_rows
from stages.shell.text import visible

Find: TypeAlias = Callable[[Cell], tuple[Scorecard, Response | None]]
"""Reads the scorecard and the response of a cell; None when its file is missing."""

_TEXTS = (
    "model_id", "brief_id", "status", "failure_code", "complexity", "scoring_version", "scoring_rules", "fingerprint",
    "extraction_method", "pricing_source", "created_at", "fidelity",
)  # fmt: skip
_NUMBERS = (
    *DIMENSIONS, "overall_score", "expected_score", "node_count", "edge_count", "latency_ms", "input_tokens",
    "cached_tokens", "cache_write_tokens", "output_tokens", "reasoning_tokens", "est_cost_usd", "default_share",
)  # fmt: skip
_TUPLES = ("violation_codes", "warning_codes", "fidelity_codes", "failed_checks")
_COUNTS = ("sample", "attempts", "draws")
_FLAGS = ("structural_valid", "usable", "simulated")
_OUTCOMES = ("fail", "warn", "pass", "not_applicable")


def frame_of(cards: Iterable[Mapping[str, Any]]) -> pd.DataFrame:
    """The frame of the scorecards (as JSON objects), sorted by model, brief and sample.

    Numbers are float64 with NaN for "not measured"; texts and tuples are objects with None. The columns are the flat keys of a
    scorecard (units in the names: `_ms`, `_usd`, `_tokens`; scores in 0..1, higher is better), its sub-scores as DIMENSION.NAME, and:

    | column | meaning |
    |---|---|
    | answered, cost_unknown | an answer came, usable or not; it did, and its cost is not known |
    | fidelity | the worst outcome of the fidelity checks: fail, warn, pass or not_applicable; None without a valid graph |
    | fidelity_codes | the names of the checks that failed or warned |
    | codes | why there is no usable graph: the status, violation codes with repeats, or failed fidelity checks; else empty |
    | default_share | share (0..1) of causal edges at the default parameters; NaN without causal edges |
    | answered_model, labels | missing; see `with_responses` |
    """
    rows = [_row(card) for card in cards]
    subs = list(dict.fromkeys(key for row in rows for key in row if "." in key))
    columns = [*_TEXTS, *_TUPLES, *_NUMBERS, *_COUNTS, *_FLAGS, *subs]
    cells = pd.DataFrame(rows, columns=columns, dtype=object)
    cells = cells.astype(
        dict.fromkeys([*_NUMBERS, *subs], "float64")
        | dict.fromkeys(_COUNTS, "int64")
        | dict.fromkeys(_FLAGS, "bool")
    )
    cells = cells.sort_values(["model_id", "brief_id", "sample"], ignore_index=True)
    cells["answered"] = cells["status"].isin(ANSWERED)
    codes = cells["violation_codes"].where(~cells["structural_valid"], cells["failed_checks"])
    codes = codes.where(cells["status"] == "success", cells["status"].map(lambda status: (status,)))
    cells["codes"] = codes.where(~cells["usable"], cells["usable"].map(lambda _: ()))
    cells["cost_unknown"] = cells["answered"] & cells["est_cost_usd"].isna()
    return cells.assign(
        **dict.fromkeys(("answered_model", "labels"), pd.Series(None, cells.index, dtype=object))
    )


def with_configs(cells: pd.DataFrame, configs: Mapping[str, ModelConfig]) -> pd.DataFrame:
    """The cells with what only the model configs (by id, as far as there are any) know.

    `name` is the model's name in all reports: the config's `display_name`, with the id where two models share it; else the id; a
    simulated model is marked where real ones took part. `target_mode`: None without a config. `cache_saved_usd`: what the prompt
    cache saved against the full price of all input tokens; NaN without a price.
    """
    ids = cells["model_id"]
    names = names_of(ids.unique(), configs)
    simulated = () if cells["simulated"].all() else ids[cells["simulated"]].unique()
    names |= {
        one: f"{names[one]} (simulated)"
        for one in simulated
        if "simulated" not in names[one].casefold()
    }
    modes = pd.Series(
        [configs[one].target_mode if one in configs else None for one in ids],
        cells.index,
        dtype=object,
    )
    named = ids.map(names).astype(object)
    return cells.assign(name=named, target_mode=modes, cache_saved_usd=_saved(cells, configs))


def with_responses(
    cells: pd.DataFrame, response_of: Callable[[Cell], Response | None]
) -> pd.DataFrame:
    """The cells with what only the responses know, None where there is nothing.

    `answered_model` is the model snapshot that the endpoint named; `labels` are those of a structurally valid graph as one text
    without regard to case and order, if there are three different ones or more.
    """
    found: list[tuple[str | None, str | None]] = []
    for row in cell_rows(cells):
        response = response_of(cell_of(row))
        graph, _ = read(response.parsed_graph if response and row.structural_valid else None)
        labels = sorted({node.label.casefold().strip() for node in graph.nodes if node.label})
        found.append(
            (
                response.answered_model if response else None,
                "\n".join(labels) if len(labels) > 2 else None,
            )
        )
    columns = ["answered_model", "labels"]
    return cells.assign(**pd.DataFrame(found, cells.index, columns, dtype=object))


def names_of(model_ids: Iterable[str], configs: Mapping[str, ModelConfig]) -> dict[str, str]:
    """The one name of each model in all reports."""
    shown = {
        one: visible(configs[one].display_name if one in configs else one)
        for one in sorted(model_ids)
    }
    shared = Counter(shown.values())
    return {
        one: name if shared[name] == 1 else f"{name} ({visible(one)})"
        for one, name in shown.items()
    }


def sub_scores(cells: pd.DataFrame) -> list[str]:
    """The columns of sub-scores, in the scorecards' order."""
    return [column for column in cells.columns if "." in column]


def _row(card: Mapping[str, Any]) -> dict[str, Any]:
    row = {key: card.get(key) for key in (*_TEXTS, *_NUMBERS, *_FLAGS)}
    row |= {key: card.get(key) or 0 for key in _COUNTS}
    row["usable"] = card.get(
        "usable", card["structural_valid"]
    )  # version 0.1 made no fidelity checks
    checks = [(check["name"], check["outcome"]) for check in card.get("fidelity", ())]
    row["fidelity"] = min((outcome for _, outcome in checks), key=_OUTCOMES.index, default=None)
    row["fidelity_codes"] = tuple(name for name, outcome in checks if outcome in ("fail", "warn"))
    row["failed_checks"] = tuple(name for name, outcome in checks if outcome == "fail")
    row["violation_codes"] = tuple(card["violation_codes"])
    row["warning_codes"] = tuple(warning["code"] for warning in card.get("warnings", ()))
    for dimension, subs in card.get("sub_scores", {}).items():
        for sub in subs:
            row[f"{dimension}.{sub['name']}"] = sub["value"]
            if sub["name"] == "default_takeover" and sub["counted"].get("causal_edges"):
                row["default_share"] = sub["counted"]["defaults"] / sub["counted"]["causal_edges"]
    return row


def _saved(cells: pd.DataFrame, configs: Mapping[str, ModelConfig]) -> "pd.Series[float]":
    """A cached token saves full price minus cached price; a token written to the cache costs write price minus full price."""

    def price(name: str) -> "pd.Series[float]":
        prices = {one: getattr(config.pricing, name, None) for one, config in configs.items()}
        return cells["model_id"].map(prices).astype(float)

    full = price("input_per_1m")
    read, write = (
        price(name).fillna(full) for name in ("cached_input_per_1m", "cache_write_per_1m")
    )
    read_usd, write_usd = (
        cells["cached_tokens"] * (full - read),
        cells["cache_write_tokens"].fillna(0) * (write - full),
    )
    return (read_usd - write_usd) / 1e6
