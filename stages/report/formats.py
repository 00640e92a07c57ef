"""Free text against structured output: configs that differ only in `response_format`, side by side."""

import math
from collections.abc import Mapping

import pandas as pd

from stages.contracts.json_text import canonical
from stages.contracts.model_config import ModelConfig, ResponseFormat
from stages.report.ranking import RankBy, by_model_and_brief, estimate

NAMES: dict[ResponseFormat, str] = {
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
    """The rows of `models` that were called with and without structured output, in groups: the freest, then the stricter.

    Added columns: asked (words), gain (stricter minus freest in the score that ranks, paired by brief), gain_low and gain_high
    (its interval); NaN for the freest. Empty when no model was called both ways.
    """
    scores = by_model_and_brief(cells).pivot(index="brief_id", columns="model_id", values=rank_by)
    groups: dict[bytes, list[str]] = {}
    for model_id in models["model_id"]:
        if model_id in configs:
            groups.setdefault(_all_but_format(configs[model_id]), []).append(model_id)
    rows = []
    for group in groups.values():
        freest, *others = sorted(group, key=lambda one: list(NAMES).index(_format(configs[one])))
        stricter = [one for one in others if _format(configs[one]) != _format(configs[freest])]
        if stricter:
            rows.append((freest, NAMES[_format(configs[freest])], math.nan, math.nan, math.nan))
        for one in stricter:
            gain, low, high, _ = estimate(scores[one] - scores[freest], confidence, bounds=(-1.0, 1.0))
            rows.append((one, NAMES[_format(configs[one])], gain, low, high))
    found = pd.DataFrame(rows, columns=["model_id", "asked", "gain", "gain_low", "gain_high"])
    return found.merge(models, on="model_id", how="left")


def _format(config: ModelConfig) -> ResponseFormat:
    return config.params.response_format or "text"


def _all_but_format(config: ModelConfig) -> bytes:
    called = config.model_dump(mode="json", include={"provider", "model", "api", "base_url", "params"})
    called["params"].pop("response_format")
    return canonical(called)
