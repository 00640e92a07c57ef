"""From cells to the tables of models, briefs and answer formats: means, intervals, ranks, costs, spreads."""

import math
from collections.abc import Mapping
from typing import Any, Literal

import pandas as pd

from stages.contracts.json_text import canonical
from stages.contracts.model_config import ModelConfig, ResponseFormat
from stages.contracts.response import STATUSES
from stages.contracts.scorecard import DIMENSIONS
from stages.report.cells import sub_scores
from stages.statistics.estimates import Side, difference_of, score_of, side_of

RankBy = Literal["expected_score", "overall_score"]
FORMATS: dict[ResponseFormat, str] = {
    "text": "free text",
    "json_object": "any JSON object",
    "json_schema": "the draft graph's schema",
}
"""What was asked for, in words, from the freest format to the strictest."""
_SUMS = [
    "est_cost_usd",
    "cache_saved_usd",
    "input_tokens",
    "cached_tokens",
    "output_tokens",
    "reasoning_tokens",
]
_EXPECTED = ["expected_score", "expected_low", "expected_high", "expected_n"]
_OVERALL = ["overall_mean", "overall_low", "overall_high", "overall_n"]
_RANKING = ["score", "score_low", "score_high", "score_n"]


def score_name(rank_by: RankBy) -> str:
    """The name of the score that ranks, as a reader knows it."""
    return "expected score" if rank_by == "expected_score" else "overall score"


def rank_models(cells: pd.DataFrame, rank_by: RankBy, confidence: float) -> pd.DataFrame:
    """A row per model, in order of rank, then of cost per usable graph, then of id.

    Models rank by `score`, the mean over briefs of the score that ranks; equal means (to 1e-9) share a rank, models without
    one come last and have none (NaN). Columns: model_id, name, target_mode, simulated, those of `summarise`, and:

    | column | meaning |
    |---|---|
    | expected_score, expected_low, expected_high, expected_n | mean over briefs, its interval (NaN with one brief), briefs |
    | overall_mean, overall_low, overall_high, overall_n | the same of the overall score: usable graphs only |
    | score, score_low, score_high, score_n, rank | the one of the two that ranks; its rank from 1 |
    | estimate | the `ScoreEstimate` of the expected score |
    | spread_samples, spread_briefs | of the score that ranks, see `spread` |
    | default_share, DIMENSION.NAME | means over valid graphs |
    """
    models = cells.drop_duplicates("model_id").set_index("model_id")[["name", "target_mode"]]
    models = models.join(summarise(cells, "model_id"))
    groups = cells.groupby("model_id", sort=True)
    models["simulated"] = groups["simulated"].any()
    found = {
        one: score_of(side, confidence) for one, side in sides_of(cells, "expected_score").items()
    }
    models["estimate"] = pd.Series(found)
    for columns, parts in (
        (_EXPECTED, found),
        (_OVERALL, {one: score.quality for one, score in found.items()}),
    ):
        values = {one: (part.value, part.low, part.high, part.n) for one, part in parts.items()}
        models[columns] = pd.DataFrame.from_dict(
            values, orient="index", columns=columns, dtype="float64"
        )
    models[_RANKING] = models[_EXPECTED if rank_by == "expected_score" else _OVERALL]
    scores = (
        cells[rank_by] if rank_by == "expected_score" else cells[rank_by].where(cells["usable"])
    )
    spreads = {one: spread(scores[group.index].groupby(group["brief_id"])) for one, group in groups}
    models[["spread_samples", "spread_briefs"]] = pd.DataFrame.from_dict(
        spreads, orient="index", columns=[0, 1]
    )
    models = models.join(groups[["default_share", *sub_scores(cells)]].mean())
    models["rank"] = (-models["score"].round(9)).rank(method="min")
    return models.reset_index().sort_values(
        ["rank", "cost_per_usable_usd", "model_id"], ignore_index=True
    )


def rank_briefs(cells: pd.DataFrame, models: pd.DataFrame, rank_by: RankBy) -> pd.DataFrame:
    """A row per brief, by id: `summarise` over all models, `complexity`, and who did best and worst on it.

    `best` and `worst` are ids of models, with `_name` and `_score`, the mean of the score that ranks over samples; of equals the
    better ranked is best and the worse ranked is worst. None and NaN where no model has a score. `gap` is best minus worst.
    """
    briefs = summarise(cells, "brief_id")
    briefs = briefs.join(cells.drop_duplicates("brief_id").set_index("brief_id")["complexity"])
    place = {model_id: number for number, model_id in enumerate(models["model_id"])}
    means = by_model_and_brief(cells).dropna(subset=rank_by)
    means["place"] = means["model_id"].map(place)
    means = means.sort_values([rank_by, "place"], ascending=[False, True])
    firsts = {
        "best": means.drop_duplicates("brief_id"),
        "worst": means.drop_duplicates("brief_id", keep="last"),
    }
    for which, chosen in firsts.items():
        chosen = chosen.set_index("brief_id").reindex(briefs.index)
        briefs[f"{which}_score"] = chosen[rank_by]
        for column, of in ((which, "model_id"), (f"{which}_name", "name")):
            briefs[column] = chosen[of].astype(object).where(chosen[of].notna(), None)
    briefs["gap"] = briefs["best_score"] - briefs["worst_score"]
    return briefs.reset_index()


def by_model_and_brief(cells: pd.DataFrame) -> pd.DataFrame:
    """A row per model and brief with the means over samples; `overall_score` is that of the usable graphs."""
    cells = cells.assign(overall_score=cells["overall_score"].where(cells["usable"]))
    return cells.groupby(["model_id", "name", "brief_id"], as_index=False, sort=True).agg(
        cells=("status", "size"),
        usable=("usable", "sum"),
        expected_score=("expected_score", "mean"),
        overall_score=("overall_score", "mean"),
    )


def summarise(cells: pd.DataFrame, by: str | None = None) -> pd.DataFrame:
    """Counts, means and amounts of cells by the values of a column, or of all cells as one row.

    Sums (`_usd`, `_tokens`, calls) and means (scores and dimensions) leave out what was not measured, and are NaN when nothing was.

    | column | meaning |
    |---|---|
    | cells, answered, unanswered, usable, every status | counts of cells |
    | scored, invalid, unfaithful | with a valid graph; with one that breaks a structural rule; valid, but it failed a fidelity check |
    | usable_share, answered_share | of all cells, 0..1 |
    | cost_unknown, cost_per_usable_usd | answers whose cost is unknown; NaN if there are any, or no usable graph |
    | latency_p50_ms, latency_p95_ms | percentiles, linear between ranks |
    | cached_share | of the input tokens, over the cells that report both |
    """
    key = cells[by] if by else pd.Series(0, cells.index)
    groups = cells.assign(
        unfaithful=cells["structural_valid"] & ~cells["usable"],
        reported=cells["input_tokens"].where(cells["cached_tokens"].notna()),
    ).groupby(key, sort=True)
    found = groups.agg(
        cells=("status", "size"), answered=("answered", "sum"), usable=("usable", "sum"), unfaithful=("unfaithful", "sum"),
        scored=("overall_score", "count"), calls=("attempts", "sum"), cost_unknown=("cost_unknown", "sum"),
        output_tokens_mean=("output_tokens", "mean"),
    )  # fmt: skip
    found = found.join(pd.crosstab(key, cells["status"]).reindex(columns=STATUSES, fill_value=0))
    found = found.join(groups[["expected_score", "overall_score", *DIMENSIONS]].mean())
    found = found.join(groups[[*_SUMS, "reported"]].sum(min_count=1)).rename(
        columns={"est_cost_usd": "cost_usd"}
    )
    found["unanswered"] = found["cells"] - found["answered"]
    found["invalid"] = found["success"] - found["usable"] - found["unfaithful"]
    found["usable_share"] = found["usable"] / found["cells"]
    found["answered_share"] = found["answered"] / found["cells"]
    priced = (found["usable"] > 0) & (found["cost_unknown"] == 0)
    found["cost_per_usable_usd"] = (found["cost_usd"] / found["usable"]).where(priced)
    found["latency_p50_ms"] = groups["latency_ms"].quantile(0.5)
    found["latency_p95_ms"] = groups["latency_ms"].quantile(0.95)
    found["cached_share"] = found["cached_tokens"] / found.pop("reported")
    return found


def sides_of(cells: pd.DataFrame, rank_by: RankBy) -> dict[str, Side]:
    """The scores of each model's cells by brief, as the estimates take them; by the overall score only usable graphs count."""
    counted = "answered" if rank_by == "expected_score" else "usable"
    return {
        str(one): side_of(by_brief(group, group[rank_by].where(group["usable"]), group[counted]))
        for one, group in cells.groupby("model_id", sort=True)
    }


def by_brief(
    cells: pd.DataFrame, values: "pd.Series[float]", counted: "pd.Series[bool]"
) -> dict[str, list[float | None]]:
    """The values of the counted cells of each brief, None for NaN; none for a brief without counted cells."""
    found: dict[str, list[float | None]] = {str(brief): [] for brief in cells["brief_id"]}
    for brief, value, counts in zip(cells["brief_id"], values, counted, strict=True):
        if counts:
            found[brief].append(None if math.isnan(value) else value)
    return found


def spread(by_brief: "pd.api.typing.SeriesGroupBy[float, Any]") -> tuple[float, float]:
    """Standard deviations of a score between samples of one brief, and between briefs beyond that, both 0..1.

    One-way random effects, by the method of moments. The first is pooled over the briefs with two or more samples, NaN when
    there is none; the second is NaN below two briefs. Without repeated samples the two cannot be separated, and the second
    holds both.

    >>> scores = pd.Series([0.4, 0.6, 0.8, 1.0])
    >>> [round(float(one), 4) for one in spread(scores.groupby(["a", "a", "b", "b"]))]
    [0.1414, 0.2646]
    """
    sizes = by_brief.count()
    sizes = sizes[sizes > 0]
    freedom = float((sizes - 1).sum())
    within = float((by_brief.var() * (sizes - 1)).sum()) / freedom if freedom else math.nan
    if len(sizes) < 2:
        return math.sqrt(within), math.nan
    noise = 0.0 if math.isnan(within) else within * float((1 / sizes).mean())
    return math.sqrt(within), math.sqrt(max(0.0, float(by_brief.mean().dropna().var()) - noise))


def format_rows(
    cells: pd.DataFrame,
    models: pd.DataFrame,
    configs: Mapping[str, ModelConfig],
    rank_by: RankBy,
    confidence: float,
) -> pd.DataFrame:
    """The rows of `models` whose configs differ in `response_format` only, in groups: the freest, then the stricter.

    Added columns: asked (words), gain (stricter minus freest in the score that ranks, paired by brief) and its interval; NaN for the
    freest, and with fewer than two pairs. Empty when no model was called both ways.
    """
    sides = sides_of(cells, rank_by)
    groups: dict[bytes, list[str]] = {}
    for model_id in models["model_id"]:
        if model_id in configs:
            groups.setdefault(_all_but_format(configs[model_id]), []).append(model_id)
    rows: list[tuple[object, ...]] = []
    for group in groups.values():
        freest, *others = sorted(group, key=lambda one: list(FORMATS).index(_format(configs[one])))
        stricter = [one for one in others if _format(configs[one]) != _format(configs[freest])]
        if stricter:
            rows.append((freest, FORMATS[_format(configs[freest])], None, None, None))
        for one in stricter:
            gain = difference_of({"": sides[freest]}, {"": sides[one]}, confidence)
            rows.append((one, FORMATS[_format(configs[one])], gain.value, gain.low, gain.high))
    gains = ["gain", "gain_low", "gain_high"]
    found = pd.DataFrame(rows, columns=["model_id", "asked", *gains]).astype(
        dict.fromkeys(gains, "float64")
    )
    return found.merge(models, on="model_id", how="left")


def _format(config: ModelConfig) -> ResponseFormat:
    return config.params.response_format or "text"


def _all_but_format(config: ModelConfig) -> bytes:
    called = config.model_dump(
        mode="json", include={"provider", "model", "api", "base_url", "params"}
    )
    called["params"].pop("response_format")
    return canonical(called)
