"""The charts of the overview: score against cost, latency, failures by code, strengths and
weaknesses.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import altair as alt
import numpy as np
import pandas as pd
from markupsafe import Markup

from stages.present.charts import (
    ACCENT,
    CARD,
    FULL_WIDTH,
    HALF_WIDTH,
    INK,
    QUIET,
    ROW_HEIGHT,
    SOFT,
    STEPS,
    WARN,
    Layers,
    chart_data,
    legible,
    svg,
)

MAX_MODELS = 40
"""A chart shows this many models at most, in order of rank."""
MAX_CODES = 12
MAX_NAMED_POINTS = 14
"""In a chart of more models only those on the frontier are named."""


@dataclass(frozen=True, slots=True)
class Chart:
    """A chart with its title and what it shows; `shape` is empty, `tall` or `wide` in the page's
    grid.
    """

    title: str
    text: str
    svg: Markup
    shape: str = ""


def charts(
    models: pd.DataFrame, codes: Mapping[str, int], sub_scores: Sequence[str]
) -> Iterator[Chart]:
    """Every chart that has something to show.

    `models` are in order of rank; `codes` has the number of cells in which each failure occurs.
    """
    first = models.head(MAX_MODELS)
    limited = f" The first {MAX_MODELS} by rank." if len(models) > MAX_MODELS else ""
    priced = models.dropna(subset=["score", "cost_per_usable_usd"])
    if len(priced):
        yield _cost(priced)
    timed = first.dropna(subset=["latency_p50_ms", "latency_p95_ms"])
    if len(timed):
        label = "Latency by model; the leaderboard has the numbers"
        text = f"Of the call that was answered, without waiting times.{limited}"
        yield Chart("Latency", text, svg(_latency_chart(timed), label))
    if codes:
        yield _failures(codes)
    profile = first.melt("name", list(sub_scores), "key", "mean").dropna()
    if len(profile):
        label = "Strengths and weaknesses; the models' pages have the numbers"
        text = f"Mean of each sub-score over valid graphs, 0 to 1.{limited}"
        yield Chart("Strengths and weaknesses", text, svg(_profile_chart(profile), label), "wide")


def _cost(priced: pd.DataFrame) -> Chart:
    label = f"Quality against cost, for {len(priced)} models; the leaderboard has the numbers"
    text = (
        "The dashed line joins the models that no other beats in both score and cost; "
        "vertical lines are intervals."
    )
    return Chart("Quality against cost", text, svg(cost_chart(priced), label), "tall")


def _failures(codes: Mapping[str, int]) -> Chart:
    label = "Failures by code; the table below has the numbers"
    limited = f" The {MAX_CODES} most frequent." if len(codes) > MAX_CODES else ""
    drawing = svg(_codes_chart(codes), label)
    return Chart("Failures by code", f"Cells in which each occurs.{limited}", drawing)


def frontier(models: pd.DataFrame) -> "pd.Series[bool]":
    """True for the models that no other beats in both score and cost; `models` is sorted,
    cheapest first.
    """
    best_so_far = models["score"].cummax().shift(fill_value=-1.0)
    return models["score"] > best_so_far


def cost_chart(priced: pd.DataFrame) -> Layers:
    """Score against the cost of a usable graph; a line joins the models that no other beats in
    both.
    """
    order = ["cost_per_usable_usd", "score", "model_id"]
    points = priced.sort_values(order, ascending=[True, False, True])
    scale = _cost_scale(points["cost_per_usable_usd"])
    points = _labelled(points, scale)
    axis = alt.Axis(format="$~g", tickCount=5, labelOverlap="greedy")
    x = alt.X("cost_per_usable_usd:Q", scale=scale, title="US dollars per usable graph", axis=axis)
    scores = points[["score", "score_low", "score_high"]].to_numpy(dtype="float64")
    lowest = max(math.floor(np.nanmin(scores) * 10) / 10, 0.0)
    highest = min(math.floor(np.nanmax(scores) * 10 + 1) / 10, 1.0)
    y = alt.Y("score:Q", scale=alt.Scale(domain=[lowest, highest]), title="Score")
    base = alt.Chart(frame_data(points)).encode(x=x, y=y)
    best = base.transform_filter("datum.frontier")
    others = base.transform_filter("!datum.frontier")
    intervals = base.mark_rule(color=QUIET, opacity=0.55)
    line = best.mark_line(
        color=ACCENT, interpolate="step-after", strokeWidth=1.5, strokeDash=[4, 3]
    )
    names = base.mark_text(
        align=alt.ExprRef("datum.left ? 'right' : 'left'"),
        dx=alt.ExprRef("datum.left ? -8 : 8"),
        dy=alt.ExprRef("datum.above ? -7 : 10"),
        fontSize=11.5,
        color=INK,
        limit=200,
    )
    return alt.layer(
        intervals.encode(y=alt.Y("score_low:Q", title="Score"), y2="score_high:Q"),
        line,
        others.mark_point(filled=True, size=60, color=QUIET, opacity=1),
        best.mark_point(filled=True, size=90, color=ACCENT, opacity=1),
        names.encode(text="label:N"),
    ).properties(width=HALF_WIDTH, height=440)


def _cost_scale(costs: "pd.Series[float]") -> alt.Scale:
    """A scale for the costs, with room at both ends: logarithmic where they span more than three
    times.
    """
    low, high = float(costs.min()), float(costs.max()) or 1.0
    if low > 0 and high / low > 3:
        return alt.Scale(type="log", domain=[low / 1.6, high * 1.6], nice=False)
    return alt.Scale(type="linear", domain=[0.0, high * 1.15], nice=False)


def _labelled(points: pd.DataFrame, scale: alt.Scale) -> pd.DataFrame:
    """What is drawn of each point, with its label and on which side of the point that is.

    The labels of the best lead to the left as far as they have room there: no model is cheaper and
    better.
    """
    costs = points["cost_per_usable_usd"]
    measure = math.log if scale.type == "log" else float
    first, last = (measure(end) for end in scale.domain)
    places = (costs.map(measure) - first) / (last - first)
    best = frontier(points)
    left = places > best.map({True: 0.25, False: 0.5})
    named = best | (len(points) <= MAX_NAMED_POINTS)
    label = points["name"].map(legible).where(named, "")
    points = points[["name", "cost_per_usable_usd", "score", "score_low", "score_high"]]
    return points.assign(frontier=best, label=label, left=left, above=left & best)


def _latency_chart(timed: pd.DataFrame) -> Layers:
    seconds = timed[["latency_p50_ms", "latency_p95_ms"]].set_axis(["p50", "p95"], axis=1) / 1000
    seconds.insert(0, "name", timed["name"].map(legible))
    y = alt.Y("name:N", sort=seconds["name"].tolist(), title=None, axis=alt.Axis(grid=False))
    title = "Seconds: median (dot) to 95th percentile (tick)"
    x = alt.X("p50:Q", title=title, scale=alt.Scale(zero=True), axis=alt.Axis(tickCount=8))
    base = alt.Chart(frame_data(seconds)).encode(y=y)
    return alt.layer(
        base.mark_rule(color=QUIET, strokeWidth=2.5, opacity=0.6).encode(x=x, x2="p95:Q"),
        base.mark_tick(color=SOFT, thickness=2, size=10).encode(x="p95:Q"),
        base.mark_point(filled=True, size=70, color=ACCENT, opacity=1).encode(x=x),
    ).properties(width=HALF_WIDTH, height=alt.Step(ROW_HEIGHT))


def _codes_chart(codes: Mapping[str, int]) -> Layers:
    frequent = list(codes.items())[:MAX_CODES]
    names = [legible(code) for code, _ in frequent]
    points = [{"code": legible(code), "cells": cells} for code, cells in frequent]
    y = alt.Y("code:N", sort=names, title=None, axis=alt.Axis(grid=False))
    x = alt.X("cells:Q", title="Cells", axis=alt.Axis(tickMinStep=1, format=",d"))
    base = alt.Chart(chart_data(points)).encode(x=x, y=y)
    counts = base.mark_text(align="left", dx=5, fontSize=11.5, color=INK)
    return alt.layer(
        base.mark_bar(height=13, color=WARN),
        counts.encode(text=alt.Text("cells:Q", format=",d")),
    ).properties(width=HALF_WIDTH, height=alt.Step(ROW_HEIGHT))


def _profile_chart(profile: pd.DataFrame) -> Layers:
    names = profile["name"].map(legible)
    subs = profile["key"].map(_sub_score_title)
    x_axis = alt.Axis(labelAngle=-38, orient="top", labelLimit=220, domain=False, ticks=False)
    y_axis = alt.Axis(domain=False, ticks=False)
    x = alt.X("sub_score:N", sort=subs.unique().tolist(), title=None, axis=x_axis)
    y = alt.Y("name:N", sort=names.unique().tolist(), title=None, axis=y_axis)
    bounds = [step / len(STEPS) for step in range(1, len(STEPS))]
    colours = alt.Scale(type="threshold", domain=bounds, range=STEPS)
    points = pd.DataFrame({"name": names, "sub_score": subs, "mean": profile["mean"]})
    base = alt.Chart(frame_data(points)).encode(x=x, y=y)
    fields = base.mark_rect(stroke=CARD, strokeWidth=2)
    means = base.mark_text(fontSize=11.5, color=INK)
    return alt.layer(
        fields.encode(color=alt.Color("mean:Q", scale=colours, legend=None)),
        means.encode(text=alt.Text("mean:Q", format=".2f")),
    ).properties(
        width=FULL_WIDTH,
        height=alt.Step(ROW_HEIGHT + 2),
        padding={"left": 8, "right": 60, "top": 5, "bottom": 5},
    )


def _sub_score_title(key: str) -> str:
    _, _, name = key.partition(".")
    return legible(name.replace("_", " "))


def frame_data(frame: pd.DataFrame) -> alt.InlineData:
    """The rows of a frame as the points of a chart."""
    return chart_data(
        [{str(key): value for key, value in row.items()} for row in frame.to_dict("records")]
    )
