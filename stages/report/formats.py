"""What structured output buys: models that were called with and without it."""

from collections.abc import Mapping

import pandas as pd

from stages.contracts.json_text import canonical
from stages.contracts.model_config import ModelConfig, ResponseFormat
from stages.report.ranking import RankBy, sides_of
from stages.statistics.estimates import difference_of

FORMATS: dict[ResponseFormat, str] = {
    "text": "free text",
    "json_object": "any JSON object",
    "json_schema": "the draft graph's schema",
}
"""What was asked for, in words, from the freest format to the strictest."""


def format_rows(
    cells: pd.DataFrame,
    models: pd.DataFrame,
    configs: Mapping[str, ModelConfig],
    rank_by: RankBy,
    confidence: float,
) -> pd.DataFrame:
    """The rows of `models` whose configs differ in `response_format` only, in groups: the freest,
    then the stricter.

    Added columns: asked (words), gain (stricter minus freest in the score that ranks, paired by
    brief) and its interval; NaN for the freest, and with fewer than two pairs. Empty when no model
    was called both ways.
    """
    sides = sides_of(cells, rank_by)
    groups: dict[bytes, list[str]] = {}
    for model_id in models["model_id"]:
        if model_id in configs:
            groups.setdefault(_all_but_format(configs[model_id]), []).append(model_id)
    rows: list[tuple[object, ...]] = []
    for group in groups.values():
        formats = {model_id: _format(configs[model_id]) for model_id in group}
        by_freedom = sorted(group, key=lambda model_id: list(FORMATS).index(formats[model_id]))
        freest = by_freedom[0]
        stricter = [model_id for model_id in by_freedom if formats[model_id] != formats[freest]]
        if stricter:
            rows.append((freest, FORMATS[formats[freest]], None, None, None))
        for model_id in stricter:
            gain = difference_of({"": sides[freest]}, {"": sides[model_id]}, confidence)
            rows.append((model_id, FORMATS[formats[model_id]], gain.value, gain.low, gain.high))
    numbers = ["gain", "gain_low", "gain_high"]
    gains = pd.DataFrame(rows, columns=["model_id", "asked", *numbers])
    gains = gains.astype(dict.fromkeys(numbers, "float64"))
    return gains.merge(models, on="model_id", how="left")


def _format(config: ModelConfig) -> ResponseFormat:
    return config.params.response_format or "text"


def _all_but_format(config: ModelConfig) -> bytes:
    called = config.model_dump(
        mode="json", include={"provider", "model", "api", "base_url", "params"}
    )
    called["params"].pop("response_format")
    return canonical(called)
