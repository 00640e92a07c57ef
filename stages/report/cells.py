"""The frame of cells: a row per cell. Every table of the reports is grouped from it."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeAlias, get_type_hints

import pandas as pd

from stages.report.rows import CellRow, cell_of, cell_rows
from stages.shared.analysis.scored_cell import scored_cell
from stages.shared.records.graph import read
from stages.shared.records.model_config import ModelConfig
from stages.shared.records.response import Cell, Response
from stages.shared.records.scorecard import Scorecard
from stages.shared.shell.text import visible

Find: TypeAlias = Callable[[Cell], tuple[Scorecard, Response | None]]
"""Reads the scorecard and the response of a cell; None when its file is missing."""

_TYPES = get_type_hints(CellRow)
"""Those of the columns."""
_OUTCOMES = ("fail", "warn", "pass", "not_applicable")


def frame_of(cards: Iterable[Scorecard]) -> pd.DataFrame:
    """The frame of the scorecards, sorted by model, brief and sample.

    Numbers are float64 with NaN for "not measured"; texts and tuples are objects with None. The
    columns are the flat keys of a scorecard (units in the names: `_ms`, `_usd`, `_tokens`; scores
    in 0..1, higher is better), its sub-scores as DIMENSION.NAME, and:

    * answered, cost_unknown: an answer came, usable or not; it did, and its cost is not known
    * fidelity: the worst outcome of the fidelity checks: fail, warn, unchecked or pass; None
      without a valid graph
    * unchecked, unchecked_reason: a usable graph whose words could not be compared with its
      brief's, and why
    * fidelity_codes: the names of the checks that failed or warned
    * codes: why there is no usable graph: the status, violation codes with repeats, or failed
      fidelity checks; else empty
    * default_share: share (0..1) of causal edges at the default parameters; NaN without causal
      edges
    * answer: the scored cell that policies are estimated from
    * called, counted: 1; of the cells of a policy, how often its runs call and take the answer
    * answered_model, labels: missing; see `with_responses`
    """
    rows = [_row(card) for card in cards]
    subs = dict.fromkeys(key for row in rows for key in row if "." in key)
    columns = _TYPES | dict.fromkeys(subs, float)
    types = {key: kind for key, kind in columns.items() if kind in (bool, int, float)}
    cells = pd.DataFrame(rows, columns=list(columns), dtype=object).astype(types)
    cells = cells.sort_values(["model_id", "brief_id", "sample"], ignore_index=True)
    cells["cost_unknown"] = cells["answered"] & cells["est_cost_usd"].isna()
    return cells.assign(called=1.0, counted=1.0)


def _codes(card: Scorecard) -> tuple[str, ...]:
    """Why there is no usable graph; empty where there is one."""
    if card.usable:
        return ()
    if card.status != "success":
        return (card.status,)
    failed = tuple(check.name for check in card.fidelity if check.outcome == "fail")
    return failed if card.structural_valid else card.violation_codes


def with_configs(
    cells: pd.DataFrame, configs: Mapping[str, ModelConfig], prompt: str | None = None
) -> pd.DataFrame:
    """The cells with what only the model configs (by id, as far as there are any) know.

    `name` is the model's name in all reports: the config's `display_name`, with the id where two
    models share it; else the id; a simulated model is marked where real ones took part, and
    recorded answers to another prompt than `prompt`, the path of the run's, say to which.
    `target_mode`: None without a config. `cache_saved_usd`: what the prompt cache saved against the
    full price of all input tokens; NaN without a price.
    """
    ids = cells["model_id"]
    names = _names_of(ids.unique(), configs, prompt)
    if not cells["simulated"].all():
        for model_id in ids[cells["simulated"]].unique():
            if "simulated" not in names[model_id].casefold():
                names[model_id] += " (simulated)"
    modes = {model_id: config.target_mode for model_id, config in configs.items()}
    target_modes = pd.Series([modes.get(model_id) for model_id in ids], cells.index, dtype=object)
    return cells.assign(
        name=ids.map(names).astype(object),
        target_mode=target_modes,
        cache_saved_usd=_saved(cells, configs),
    )


def with_responses(
    cells: pd.DataFrame, response_of: Callable[[Cell], Response | None]
) -> pd.DataFrame:
    """The cells with what only the responses know, None where there is nothing.

    `answered_model` is the model snapshot that the endpoint named; `labels` are the different
    labels of the graph as lines of one text, without regard to case and order.
    """
    answered_models: list[str | None] = []
    all_labels: list[str | None] = []
    for row in cell_rows(cells):
        response = response_of(cell_of(row))
        graph, _ = read(response.parsed_graph if response else None)
        labels = sorted({node.label.casefold().strip() for node in graph.nodes if node.label})
        answered_models.append(response.answered_model if response else None)
        all_labels.append("\n".join(labels) or None)
    return cells.assign(
        answered_model=pd.Series(answered_models, cells.index, dtype=object),
        labels=pd.Series(all_labels, cells.index, dtype=object),
    )


def _names_of(
    model_ids: Iterable[str], configs: Mapping[str, ModelConfig], prompt: str | None
) -> dict[str, str]:
    names = {}
    for model_id in sorted(model_ids):
        config = configs.get(model_id)
        names[model_id] = visible(config.display_name if config else model_id)
        if config and config.prompt not in (None, prompt):
            names[model_id] += f" (with {visible(config.prompt)})"
    models = Counter(names.values())
    return {
        model_id: name if models[name] == 1 else f"{name} ({visible(model_id)})"
        for model_id, name in names.items()
    }


def sub_scores(cells: pd.DataFrame) -> list[str]:
    """The columns of sub-scores, in the scorecards' order."""
    return [column for column in cells.columns if "." in column]


def _row(card: Scorecard) -> dict[str, Any]:
    values = {**dict(card), **dict(card.measured), **dict(card.measured.usage)}
    row = {key: values.get(key) for key in _TYPES}
    outcomes = [check.outcome for check in card.fidelity]
    row["fidelity"] = min(outcomes, key=_OUTCOMES.index, default=None)
    row["unchecked"] = card.unchecked
    if card.unchecked:
        grounding = next(check for check in card.fidelity if check.name == "grounding")
        row["unchecked_reason"] = grounding.message
        row["fidelity"] = "warn" if row["fidelity"] == "warn" else "unchecked"
    row["answer"] = scored_cell(card)
    noticed = tuple(check.name for check in card.fidelity if check.outcome in ("fail", "warn"))
    row |= {"answered": card.answered, "codes": _codes(card), "fidelity_codes": noticed}
    row["violation_codes"] = card.violation_codes
    row["warning_codes"] = tuple(warning.code for warning in card.warnings)
    for dimension, subs in card.sub_scores.items():
        for sub in subs:
            row[f"{dimension}.{sub.name}"] = sub.value
            counted: Mapping[str, Any] = sub.counted
            if sub.name == "default_takeover" and counted.get("causal_edges"):
                row["default_share"] = counted["defaults"] / counted["causal_edges"]
    return row


def _saved(cells: pd.DataFrame, configs: Mapping[str, ModelConfig]) -> "pd.Series[float]":
    """A cached token saves full price minus cached price; a token written to the cache costs
    write price minus full price.
    """

    def price(name: str) -> "pd.Series[float]":
        prices = {
            model_id: getattr(config.pricing, name, None) for model_id, config in configs.items()
        }
        return cells["model_id"].map(prices).astype(float)

    full = price("input_per_1m")
    cached = price("cached_input_per_1m").fillna(full)
    written = price("cache_write_per_1m").fillna(full)
    saved = cells["cached_tokens"] * (full - cached)
    paid_more = cells["cache_write_tokens"].fillna(0) * (written - full)
    return (saved - paid_more) / 1e6
