"""Charts in the grammar of `dvc plots` (Vega-Lite, by Altair), drawn to inline SVG without a browser.

A chart is drawn in stand-in colours, which become variables of the page's style sheet: one drawing for light, dark and print.
"""

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, TypeAlias

import altair as alt
import pandas as pd
import vl_convert
from markupsafe import Markup, escape

from stages.shell import numbers
from stages.shell.text import clip

MAX_MODELS = 40
"""A chart shows this many models at most, in order of rank."""
MAX_CODES = 12
Layers: TypeAlias = alt.LayerChart | alt.FacetChart

_VARIABLES = {
    f"#00f0a{place}": name
    for place, name in enumerate(
        ("ink", "soft", "rule", "accent", "nil", "neg", "card", "good", "bad")
    )
} | {f"#00f0b{step}": f"h{step}" for step in range(6)}
"""The style sheet's variables by stand-in colour; h0 to h5 are the steps of a scale from the worst to the best."""
_INK, _SOFT, _RULE, _ACCENT, _QUIET, _WARN, _CARD, _GOOD, _BAD, *_STEPS = _VARIABLES
_LOOKS = {"plain": _QUIET, "chosen": _ACCENT, "good": _GOOD, "bad": _BAD}
_STAND_IN = re.compile(r"#00f0[ab]\d")
_NOISE = re.compile(r' (?:role|aria-[a-z]+|xmlns:xlink|version|pointer-events)="[^"]*"|<g></g>')
_ROW = 24
_HALF, _FULL = 590, 1200
"""Widths of charts that take half of the page and all of it, pixels; the page scales them to fit."""


@dataclass(frozen=True, slots=True)
class Chart:
    """A chart with its title and what it shows; `shape` is empty, `tall` or `wide` in the page's grid."""

    title: str
    text: str
    svg: Markup
    shape: str = ""


@dataclass(frozen=True, slots=True)
class IntervalRow:
    """One row of an interval chart: a value with its interval, each None or NaN where it was not measured; `look` is its colour."""

    name: str
    value: float | None
    low: float | None
    high: float | None
    look: str = "plain"
    """plain, chosen, good, bad."""


def charts(
    models: pd.DataFrame, codes: Mapping[str, int], sub_scores: Sequence[str]
) -> Iterator[Chart]:
    """Every chart that has something to show: `models` by rank, the cells in which each failure occurs by code, the sub-scores."""
    first = models.head(MAX_MODELS)
    some = f" The first {MAX_MODELS} by rank." if len(models) > MAX_MODELS else ""
    numbered = "the leaderboard has the numbers"
    priced = models.dropna(subset=["score", "cost_per_usable_usd"])
    if len(priced):
        text = "The dashed line joins the models that no other beats in both score and cost; vertical lines are intervals."
        drawn = svg(
            cost_chart(priced), f"Quality against cost, for {len(priced)} models; {numbered}"
        )
        yield Chart("Quality against cost", text, drawn, "tall")
    timed = first.dropna(subset=["latency_p50_ms", "latency_p95_ms"])
    if len(timed):
        text = f"Of the call that was answered, without waiting times.{some}"
        yield Chart("Latency", text, svg(_latency_chart(timed), f"Latency by model; {numbered}"))
    if codes:
        text = "Cells in which each occurs." + (
            f" The {MAX_CODES} most frequent." if len(codes) > MAX_CODES else ""
        )
        drawn = svg(_codes_chart(codes), "Failures by code; the table below has the numbers")
        yield Chart("Failures by code", text, drawn)
    profile = (
        first.melt("name", sub_scores, "key", "mean").dropna() if sub_scores else first.head(0)
    )
    if len(profile):
        text = f"Mean of each sub-score over valid graphs, 0 to 1.{some}"
        drawn = svg(
            _profile_chart(profile), "Strengths and weaknesses; the models' pages have the numbers"
        )
        yield Chart("Strengths and weaknesses", text, drawn, "wide")


def frontier(models: pd.DataFrame) -> pd.Series:
    """True for the models that no other beats in both score and cost; `models` is sorted, cheapest first."""
    return models["score"] > models["score"].cummax().shift(fill_value=-1.0)


def cost_chart(priced: pd.DataFrame) -> Layers:
    """Score against the cost of a usable graph; a line joins the models that no other beats in both."""
    points = priced.sort_values(
        ["cost_per_usable_usd", "score", "model_id"], ascending=[True, False, True]
    )
    costs = points["cost_per_usable_usd"]
    low, high = float(costs.min()), float(costs.max()) or 1.0
    logarithmic = low > 0 and high / low > 3
    ends = (low / 1.6, high * 1.6) if logarithmic else (0.0, high * 1.15)
    first, last, *places = (math.log(one) if logarithmic else one for one in (*ends, *costs))
    best = frontier(points)
    # The labels of the best lead to the left as far as they have room there: no model is cheaper and better.
    left = (pd.Series(places, points.index) - first) / (last - first) > best.map(
        {True: 0.25, False: 0.5}
    )
    named = best | (len(points) <= 14)
    label = points["name"].map(_legible).where(named, "")
    points = points[["name", "cost_per_usable_usd", "score", "score_low", "score_high"]]
    points = points.assign(frontier=best, label=label, left=left, above=left & best)
    scale = alt.Scale(type="log" if logarithmic else "linear", domain=list(ends), nice=False)
    axis = alt.Axis(format="$~g", tickCount=5, labelOverlap="greedy")
    x = alt.X("cost_per_usable_usd:Q", scale=scale, title="US dollars per usable graph", axis=axis)
    scores = [*points["score"], *points["score_low"].dropna(), *points["score_high"].dropna()]
    domain = [
        max(math.floor(min(scores) * 10) / 10, 0.0),
        min(math.floor(max(scores) * 10 + 1) / 10, 1.0),
    ]
    y = alt.Y("score:Q", scale=alt.Scale(domain=domain), title="Score")
    base = alt.Chart(_data(points)).encode(x=x, y=y)
    front, rest = base.transform_filter("datum.frontier"), base.transform_filter("!datum.frontier")
    names = base.mark_text(
        align=alt.ExprRef("datum.left ? 'right' : 'left'"), dx=alt.ExprRef("datum.left ? -8 : 8"), dy=alt.ExprRef("datum.above ? -7 : 10"),
        fontSize=11.5, color=_INK, limit=200,
    )  # fmt: skip
    return alt.layer(
        base.mark_rule(color=_QUIET, opacity=0.55).encode(
            y=alt.Y("score_low:Q", title="Score"), y2="score_high:Q"
        ),
        front.mark_line(
            color=_ACCENT, interpolate="step-after", strokeWidth=1.5, strokeDash=[4, 3]
        ),
        rest.mark_point(filled=True, size=60, color=_QUIET, opacity=1),
        front.mark_point(filled=True, size=90, color=_ACCENT, opacity=1),
        names.encode(text="label:N"),
    ).properties(width=_HALF, height=440)


def interval_chart(
    rows: Sequence[IntervalRow], *, domain: tuple[float, float], zone: tuple[float, float] | None = None, width: int = _HALF,
    zone_label: str = "", axis_title: str | None = None,
) -> Layers:  # fmt: skip
    """Values with their intervals on one scale from end to end of `domain`, in the order given, each value at the right.

    `zone` is a band behind the rows, such as the differences that are too small to matter; `axis_title` None is for no axis at all.
    """
    names = [
        f"{number} {row.name}" for number, row in enumerate(rows)
    ]  # equal names are different rows
    write = numbers.score if domain[0] >= 0 else numbers.difference
    data = _data(
        pd.DataFrame(map(asdict, rows)).assign(row=names, text=[write(row.value) for row in rows])
    )
    without_number = "replace(datum.label, /^[0-9]+ /, '')"
    y = alt.Y("row:N", sort=names, title=None,
              axis=alt.Axis(labelExpr=without_number, domain=False, ticks=False, grid=False, labelLimit=170, labelPadding=8))  # fmt: skip
    scale = alt.Scale(domain=list(domain), nice=False)
    axis = alt.Axis(grid=False, tickCount=5) if axis_title else None

    def x(field: str) -> alt.X:
        return alt.X(f"{field}:Q", scale=scale, axis=axis, title=axis_title)

    colour = alt.Color(
        "look:N", scale=alt.Scale(domain=list(_LOOKS), range=list(_LOOKS.values())), legend=None
    )
    base = alt.Chart(data).encode(y=y)
    layers: list[alt.Chart] = []
    if zone is not None:
        band = alt.Chart(
            alt.InlineData(values=[{"low": zone[0], "high": zone[1], "text": zone_label}])
        )
        label = band.mark_text(baseline="bottom", dy=-4, fontSize=11, color=_SOFT)
        layers.append(band.mark_rect(color=_RULE).encode(x=x("low"), x2="high:Q"))
        layers.append(label.encode(x=x("high"), y=alt.value(0), text="text:N"))
    if domain[0] < 0:
        layers.append(
            alt.Chart(alt.InlineData(values=[{"zero": 0}]))
            .mark_rule(color=_SOFT)
            .encode(x=x("zero"))
        )
    layers += [
        base.mark_rule(color=_RULE).encode(x=alt.value(0), x2=alt.value("width")),
        base.mark_rule(strokeWidth=5, opacity=0.45, strokeCap="round").encode(
            x=x("low"), x2="high:Q", color=colour
        ),
        base.mark_point(filled=True, size=80, opacity=1).encode(x=x("value"), color=colour),
        base.mark_text(align="left", dx=8, fontSize=12, color=_INK).encode(
            x=alt.value("width"), text="text:N"
        ),
    ]
    return alt.layer(*layers).properties(width=width, height=alt.Step(_ROW))


def svg(chart: Layers, label: str) -> Markup:
    """A chart as one `<svg>` element that fits the width that it was given; `label` describes it to screen readers."""
    spec = chart.configure(
        background="transparent",
        font="sans-serif",
        autosize=alt.AutoSizeParams(type="fit-x", contains="padding"),
        padding={"left": 8, "right": 8, "top": 5, "bottom": 5},
        view=alt.ViewConfig(stroke=None),
        axis=alt.AxisConfig(
            labelColor=_INK, titleColor=_SOFT, gridColor=_RULE, domainColor=_RULE, tickColor=_RULE,
            labelFontSize=12, titleFontSize=12, titleFontWeight="normal", labelLimit=230,
        ),
    ).to_dict(validate=False)  # fmt: skip
    text = _NOISE.sub("", vl_convert.vegalite_to_svg(spec))
    text = _STAND_IN.sub(lambda found: f"var(--{_VARIABLES[found.group()]})", text)
    named = f'<svg role="img" aria-label="{escape(label)}" '
    return Markup(text.replace("<svg ", named, 1))  # noqa: S704 - the library escapes every text in its drawing


def _latency_chart(timed: pd.DataFrame) -> Layers:
    seconds = timed[["latency_p50_ms", "latency_p95_ms"]].set_axis(["p50", "p95"], axis=1) / 1000
    seconds.insert(0, "name", timed["name"].map(_legible))
    rows = alt.Y("name:N", sort=seconds["name"].tolist(), title=None, axis=alt.Axis(grid=False))
    title = "Seconds: median (dot) to 95th percentile (tick)"
    x = alt.X("p50:Q", title=title, scale=alt.Scale(zero=True), axis=alt.Axis(tickCount=8))
    base = alt.Chart(_data(seconds)).encode(y=rows)
    return alt.layer(
        base.mark_rule(color=_QUIET, strokeWidth=2.5, opacity=0.6).encode(x=x, x2="p95:Q"),
        base.mark_tick(color=_SOFT, thickness=2, size=10).encode(x="p95:Q"),
        base.mark_point(filled=True, size=70, color=_ACCENT, opacity=1).encode(x=x),
    ).properties(width=_HALF, height=alt.Step(_ROW))


def _codes_chart(codes: Mapping[str, int]) -> Layers:
    points = [
        {"code": _legible(code), "cells": cells} for code, cells in list(codes.items())[:MAX_CODES]
    ]
    rows = alt.Y(
        "code:N",
        sort=[str(point["code"]) for point in points],
        title=None,
        axis=alt.Axis(grid=False),
    )
    x = alt.X("cells:Q", title="Cells", axis=alt.Axis(tickMinStep=1, format=",d"))
    base = alt.Chart(alt.InlineData(values=points)).encode(x=x, y=rows)
    counts = base.mark_text(align="left", dx=5, fontSize=11.5, color=_INK).encode(
        text=alt.Text("cells:Q", format=",d")
    )
    return alt.layer(base.mark_bar(height=13, color=_WARN), counts).properties(
        width=_HALF, height=alt.Step(_ROW)
    )


def _profile_chart(profile: pd.DataFrame) -> Layers:
    names = profile["name"].map(_legible)
    subs = profile["key"].map(lambda key: _legible(key.partition(".")[2].replace("_", " ")))
    x = alt.X("sub_score:N", sort=subs.unique().tolist(), title=None,
              axis=alt.Axis(labelAngle=-38, orient="top", labelLimit=220, domain=False, ticks=False))  # fmt: skip
    y = alt.Y(
        "name:N", sort=names.unique().tolist(), title=None, axis=alt.Axis(domain=False, ticks=False)
    )
    steps = [step / len(_STEPS) for step in range(1, len(_STEPS))]
    colour = alt.Color(
        "mean:Q", scale=alt.Scale(type="threshold", domain=steps, range=_STEPS), legend=None
    )
    points = pd.DataFrame({"name": names, "sub_score": subs, "mean": profile["mean"]})
    base = alt.Chart(_data(points)).encode(x=x, y=y)
    return alt.layer(
        base.mark_rect(stroke=_CARD, strokeWidth=2).encode(color=colour),
        base.mark_text(fontSize=11.5, color=_INK).encode(text=alt.Text("mean:Q", format=".2f")),
    ).properties(
        width=_FULL,
        height=alt.Step(_ROW + 2),
        padding={"left": 8, "right": 60, "top": 5, "bottom": 5},
    )


def _data(frame: pd.DataFrame) -> alt.InlineData:
    rows: list[Any] = frame.astype(object).where(frame.notna(), None).to_dict("records")
    return alt.InlineData(values=rows)


def _legible(text: str) -> str:
    """A text as a chart can show it: short, and without what the charts' library cannot write."""
    return clip(text, 60)
