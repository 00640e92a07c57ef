"""Free text against structured output: configs that differ only in `response_format`, side by side."""

from collections.abc import Mapping

import pandas as pd

from stages.contracts.estimates import difference_of
from stages.contracts.json_text import canonical
from stages.contracts.model_config import ModelConfig, ResponseFormat
from stages.report.ranking import RankBy, side_of

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
    (its interval); NaN for the freest, and with fewer than two pairs. Empty when no model was called both ways.
    """
    of_model = cells.groupby("model_id")
    groups: dict[bytes, list[str]] = {}
    for model_id in models["model_id"]:
        if model_id in configs:
            groups.setdefault(_all_but_format(configs[model_id]), []).append(model_id)
    rows: list[tuple[str, str, float | None, float | None, float | None]] = []
    for group in groups.values():
        freest, *others = sorted(group, key=lambda one: list(NAMES).index(_format(configs[one])))
        stricter = [one for one in others if _format(configs[one]) != _format(configs[freest])]
        if stricter:
            rows.append((freest, NAMES[_format(configs[freest])], None, None, None))
        for one in stricter:
            base, head = (side_of(of_model.get_group(model_id), rank_by) for model_id in (freest, one))
            gain = difference_of({"": base}, {"": head}, confidence)
            rows.append((one, NAMES[_format(configs[one])], gain.value, gain.low, gain.high))
    gains = ["gain", "gain_low", "gain_high"]
    found = pd.DataFrame(rows, columns=["model_id", "asked", *gains]).astype(dict.fromkeys(gains, "float64"))
    return found.merge(models, on="model_id", how="left")


def _format(config: ModelConfig) -> ResponseFormat:
    return config.params.response_format or "text"


def _all_but_format(config: ModelConfig) -> bytes:
    called = config.model_dump(mode="json", include={"provider", "model", "api", "base_url", "params"})
    called["params"].pop("response_format")
    return canonical(called)
