"""From cells to the tables of models, briefs and answer formats: means, intervals, ranks, costs,
spreads.
"""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from stages.report.cells import sub_scores
from stages.report.policies import LATENCIES, PolicyResult, latencies_of
from stages.shared.analysis.estimates import (
    Side,
    score_of,
    side_of,
)
from stages.shared.analysis.summary import BriefScore
from stages.shared.records.measurement import Measurement
from stages.shared.records.response import STATUSES
from stages.shared.records.scorecard import DIMENSIONS

_SUMS = [
    "est_cost_usd",
    "cache_saved_usd",
    "input_tokens",
    "cached_tokens",
    "output_tokens",
    "reasoning_tokens",
]


def rank_models(
    cells: pd.DataFrame,
    confidence: float,
    policies: Sequence[PolicyResult] = (),
) -> pd.DataFrame:
    """A row per model and policy, in order of rank, then of cost per usable graph, then of id.

    They rank by `expected_score`; equal ones (to 1e-9) share a rank, those without one come last
    and have none (NaN). Columns: model_id (or the policy's id), is_policy, name,
    target_mode, simulated, those of `summarise`, and:

    * expected_score, expected_low, expected_high, expected_n: mean over briefs, its interval (NaN
      with one brief), briefs
    * overall_mean, overall_low, overall_high, overall_n: the same of the overall score: usable
      graphs only
    * rank: from 1
    * content, content_low, content_high, content_n: the same of the share of stated effects that
      a usable graph has right
    * estimate: the `ScoreEstimate` of the expected score
    * side, asked_briefs: the scores by brief; the number of briefs that it was asked
    * spread_samples, spread_briefs: of the expected score, see `spread`
    * default_share, DIMENSION.NAME: means over valid graphs
    """
    contenders = pd.concat([cells, *(result.cells for result in policies)], ignore_index=True)
    groups = contenders.groupby("model_id", sort=True)
    models = contenders.drop_duplicates("model_id").set_index("model_id")[["name", "target_mode"]]
    models = models.join(summarise(contenders, "model_id").drop(columns="expected_score"))
    models["simulated"] = groups["simulated"].any()
    models["asked_briefs"] = groups["brief_id"].nunique()
    contents = {str(model): _content(group, confidence) for model, group in groups}
    models = models.join(_scores(cells, policies, contents, confidence))
    models = models.join(_repetitions(cells))
    models = _with_runs(models, policies)
    models["rank"] = (-models["expected_score"].round(9)).rank(method="min")
    order = ["rank", "cost_per_usable_usd", "model_id"]
    models.index.name = "model_id"
    return models.reset_index().sort_values(order, ignore_index=True)


def _scores(
    cells: pd.DataFrame,
    policies: Sequence[PolicyResult],
    contents: Mapping[str, Measurement],
    confidence: float,
) -> pd.DataFrame:
    """The scores of each model and policy by brief, and their means with intervals."""
    sides = sides_of(cells)
    sides |= {result.policy.id: result.scores for result in policies}
    estimates = {model: score_of(side, confidence) for model, side in sides.items()}
    qualities = {model: estimate.quality for model, estimate in estimates.items()}
    scores = pd.DataFrame({"estimate": pd.Series(estimates), "side": pd.Series(sides)})
    for prefix, value, of_models in (
        ("expected", "expected_score", estimates),
        ("overall", "overall_mean", qualities),
        ("content", "content", contents),
    ):
        columns = [value, f"{prefix}_low", f"{prefix}_high", f"{prefix}_n"]
        scores[columns] = _estimate_columns(of_models, columns)
    return scores


def _with_runs(models: pd.DataFrame, policies: Sequence[PolicyResult]) -> pd.DataFrame:
    """The models and policies with what is known of the runs of policies alone.

    A policy has the latency of its runs, not of its cells, and a cost of which a part is not known
    is not known.
    """
    latencies = latencies_of(policies)
    models.loc[latencies.index, list(LATENCIES)] = latencies
    is_policy = models.index.isin(latencies.index)
    models.loc[is_policy & (models["cost_unknown"] > 0), "cost_usd"] = math.nan
    models.loc[is_policy, "cost_unknown"] = 0
    return models.assign(is_policy=is_policy)


def _repetitions(cells: pd.DataFrame) -> pd.DataFrame:
    """How much repeated answers of each model differ in the expected score."""
    scores = cells["expected_score"]
    rows = {}
    for model, group in cells.groupby("model_id"):
        rows[model] = spread(scores[group.index].groupby(group["brief_id"]))
    columns = ["spread_samples", "spread_briefs"]
    return pd.DataFrame.from_dict(rows, orient="index", columns=columns, dtype="float64")


def _estimate_columns(estimates: Mapping[str, Measurement], columns: list[str]) -> pd.DataFrame:
    """The value, its interval and the number of briefs of each model's estimate."""
    rows = {
        model: (estimate.value, estimate.low, estimate.high, estimate.n)
        for model, estimate in estimates.items()
    }
    return pd.DataFrame.from_dict(rows, orient="index", columns=columns, dtype="float64")


def _content(cells: pd.DataFrame, confidence: float) -> Measurement:
    """The mean content over briefs, of the usable graphs whose brief states effects."""
    has_content = cells["usable"] & cells["content"].notna() & (cells["counted"] > 0)
    chosen = cells[has_content]
    sums = chosen["content"].mul(chosen["counted"]).groupby(chosen["brief_id"]).sum()
    means = sums / chosen.groupby("brief_id")["counted"].sum()
    side = {str(brief): BriefScore(mean, 1.0, mean) for brief, mean in means.items()}
    return score_of(side, confidence).quality


def unchecked_briefs(cells: pd.DataFrame) -> pd.DataFrame:
    """A row per brief with unchecked graphs, by id: how many of its `usable` graphs are
    `unchecked`, and the first reason.
    """
    counts = cells.groupby("brief_id")[["unchecked", "usable"]].sum()
    reasons = cells[cells["unchecked"]].groupby("brief_id")["unchecked_reason"].first()
    return counts.join(reasons, how="inner").reset_index()


def rank_briefs(cells: pd.DataFrame, models: pd.DataFrame) -> pd.DataFrame:
    """A row per brief, by id: `summarise` over all models, `complexity`, and who did best and worst
    on it.

    `best` and `worst` are ids of models, with `_name` and `_score`, the mean expected
    score over samples; of equals the better ranked is best and the worse ranked is worst. None and
    NaN where no model has a score. `gap` is best minus worst.
    """
    briefs = summarise(cells, "brief_id")
    briefs = briefs.join(cells.drop_duplicates("brief_id").set_index("brief_id")["complexity"])
    places = {model_id: place for place, model_id in enumerate(models["model_id"])}
    means = by_model_and_brief(cells).dropna(subset="expected_score")
    means["place"] = means["model_id"].map(places)
    means = means.sort_values(["expected_score", "place"], ascending=[False, True])
    best = means.drop_duplicates("brief_id").set_index("brief_id")
    worst = means.drop_duplicates("brief_id", keep="last").set_index("brief_id")
    for which, chosen in (("best", best), ("worst", worst)):
        of_briefs = chosen.reindex(briefs.index)
        briefs[f"{which}_score"] = of_briefs["expected_score"]
        briefs[which] = _none_for_nan(of_briefs["model_id"])
        briefs[f"{which}_name"] = _none_for_nan(of_briefs["name"])
    briefs["gap"] = briefs["best_score"] - briefs["worst_score"]
    return briefs.reset_index()


def _none_for_nan(texts: "pd.Series[str]") -> "pd.Series[Any]":
    return texts.astype(object).where(texts.notna(), None)


def by_model_and_brief(cells: pd.DataFrame) -> pd.DataFrame:
    """A row per model and brief with the means over samples."""
    return cells.groupby(["model_id", "name", "brief_id"], as_index=False, sort=True).agg(
        cells=("status", "size"),
        usable=("usable", "sum"),
        expected_score=("expected_score", "mean"),
    )


def summarise(cells: pd.DataFrame, by: str | None = None) -> pd.DataFrame:
    """Counts, means and amounts of cells by the values of a column, or of all cells as one row.

    Sums (`_usd`, `_tokens`, calls) and means (scores and dimensions) leave out what was not
    measured, and are NaN when nothing was.

    * cells, answered, unanswered, usable, unchecked, every status: counts of cells
    * scored, invalid, unfaithful: with a valid graph; with one that breaks a structural rule;
      valid, but it failed a fidelity check
    * usable_share, answered_share: of all cells, 0..1
    * cost_unknown, cost_per_usable_usd: answers whose cost is unknown; NaN if there are any, or
      no usable graph
    * latency_p50_ms, latency_p95_ms: percentiles, linear between ranks
    * cached_share: of the input tokens, over the cells that report both
    """
    key = cells[by] if by else pd.Series(0, cells.index)
    called, counted = cells["called"], cells["counted"]
    outcomes = cells[["answered", "usable", "unchecked"]].assign(
        cells=True,
        unfaithful=cells["structural_valid"] & ~cells["usable"],
        invalid=(cells["status"] == "success") & ~cells["structural_valid"],
        scored=cells["overall_score"].notna(),
        **{status: cells["status"] == status for status in STATUSES},
    )
    summary = outcomes.mul(counted, axis=0).groupby(key).sum().round(9)
    scores = cells[["expected_score", "overall_score", *DIMENSIONS, "default_share"]]
    summary = summary.join(_means(scores.join(cells[sub_scores(cells)]), counted, key))
    summary["output_tokens_mean"] = _means(cells[["output_tokens"]], called, key)
    amounts = cells[_SUMS].rename(columns={"est_cost_usd": "cost_usd"})
    amounts["reported"] = cells["input_tokens"].where(cells["cached_tokens"].notna())
    amounts["calls"] = cells["attempts"]
    amounts["cost_unknown"] = cells["cost_unknown"]
    used = amounts.mul(called, axis=0).where(called > 0)
    summary = summary.join(used.groupby(key).sum(min_count=1))
    summary["unanswered"] = summary["cells"] - summary["answered"]
    summary["usable_share"] = summary["usable"] / summary["cells"]
    summary["answered_share"] = summary["answered"] / summary["cells"]
    priced = (summary["usable"] > 0) & (summary["cost_unknown"] == 0)
    summary["cost_per_usable_usd"] = (summary["cost_usd"] / summary["usable"]).where(priced)
    latencies = cells.groupby(key)["latency_ms"]
    summary["latency_p50_ms"] = latencies.quantile(0.5)
    summary["latency_p95_ms"] = latencies.quantile(0.95)
    summary["cached_share"] = summary["cached_tokens"] / summary.pop("reported")
    return summary


def _means(
    values: pd.DataFrame, weights: "pd.Series[float]", key: "pd.Series[Any]"
) -> pd.DataFrame:
    """The weighted means of the values that are measured, by `key`; NaN without any."""
    sums = values.mul(weights, axis=0).groupby(key).sum()
    return sums / values.notna().mul(weights, axis=0).groupby(key).sum()


def sides_of(cells: pd.DataFrame) -> dict[str, Side]:
    """The scores of each model's cells by brief, as the estimates take them."""
    sides: dict[str, Side] = {}
    for model_id, group in cells.groupby("model_id", sort=True):
        scores = group["expected_score"].where(group["usable"])
        sides[str(model_id)] = side_of(by_brief(group, scores, group["answered"]))
    return sides


def by_brief(
    cells: pd.DataFrame, values: "pd.Series[float]", counted: "pd.Series[bool]"
) -> dict[str, list[float | None]]:
    """The values of the counted cells of each brief, None for NaN; none for a brief without
    counted cells.
    """
    briefs: dict[str, list[float | None]] = {str(brief): [] for brief in cells["brief_id"]}
    for brief, value, counts in zip(cells["brief_id"], values, counted, strict=True):
        if counts:
            briefs[brief].append(None if math.isnan(value) else value)
    return briefs


def spread(by_brief: "pd.api.typing.SeriesGroupBy[float, Any]") -> tuple[float, float]:
    """Standard deviations of a score between samples of one brief, and between briefs beyond that,
    both 0..1.

    One-way random effects, by the method of moments. The first is pooled over the briefs with two
    or more samples, NaN when there is none; the second is NaN below two briefs. Without repeated
    samples the two cannot be separated, and the second holds both.

    >>> scores = pd.Series([0.4, 0.6, 0.8, 1.0])
    >>> [round(float(one), 4) for one in spread(scores.groupby(["a", "a", "b", "b"]))]
    [0.1414, 0.2646]
    """
    sizes = by_brief.count()
    sizes = sizes[sizes > 0]
    freedom = float((sizes - 1).sum())
    within = math.nan
    noise = 0.0
    if freedom:
        within = float((by_brief.var() * (sizes - 1)).sum()) / freedom
        noise = within * float((1 / sizes).mean())
    if len(sizes) < 2:
        return math.sqrt(within), math.nan
    between = float(by_brief.mean().dropna().var()) - noise
    return math.sqrt(within), math.sqrt(max(0.0, between))
