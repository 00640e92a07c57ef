"""The charts of the overview: score against cost, latency, failures by code."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from stages.report.charts.drawing import ACCENT, MAX_NAME, QUIET, WARN, Spec, fill, svg, titled
from stages.report.failures import code_name
from stages.report.ranking import Candidate
from stages.shared.present.page import cells_link, model_page
from stages.shared.shell import numbers
from stages.shared.shell.text import clip

MAX_MODELS = 40
"""A chart shows this many models at most, in order of rank."""
MAX_CODES = 12
TENFOLD = 10
"""Values that differ so many times are on a logarithmic scale."""
CHART_WIDTH, COST_HEIGHT = 450, 380
"""Pixels of a chart, and of the scores in that of cost: a phone shows it whole."""
_MARGIN = 60
"""About the pixels beside the axes of score and cost."""
_LETTER_WIDTH, _LINE_HEIGHT = 6.0, 13
_OFFSETS = sorted(range(-20 * _LINE_HEIGHT, 20 * _LINE_HEIGHT, _LINE_HEIGHT), key=abs)
"""How far below its point a label may be, the nearest first."""


@dataclass(frozen=True, slots=True)
class Chart:
    """A chart with its title and what it shows; `shape` is empty, or `tall` in the page's grid."""

    title: str
    text: str
    svg: Markup
    shape: str = ""


@dataclass(frozen=True, slots=True)
class Point:
    """A model with the cost of a usable graph, US dollars, and its score."""

    model: Candidate
    cost: float
    score: float


def charts(models: Sequence[Candidate], codes: Mapping[str, int]) -> Iterator[Chart]:
    """Every chart that has something to show.

    `models` are in order of rank; `codes` has the number of cells in which each failure occurs.
    """
    first = models[:MAX_MODELS]
    limited = f" The first {MAX_MODELS} by rank." if len(models) > MAX_MODELS else ""
    points = priced_points(first)
    if points:
        label = f"Score against cost, for {len(points)} models; the leaderboard has the numbers"
        text = (
            "The dashed line joins the models that no other beats in both score and cost; "
            f"vertical lines are intervals.{limited}"
        )
        text += _not_shown([model for model in first if model.summary.cost.unknown], "cost")
        yield Chart("Score against cost", text, svg(cost_chart(points), label), "tall")
    timed = [model for model in first if model.summary.latency.p50_ms is not None]
    if timed:
        label = "Latency by model; the leaderboard has the numbers"
        text = f"Of the call that was answered, without waiting times.{limited}"
        text += _not_shown([model for model in first if model not in timed], "latency")
        yield Chart("Latency", text, svg(latency_chart(timed), label))
    if codes:
        label = "Failures by code; the table below has the numbers"
        limited = f" The {MAX_CODES} most frequent." if len(codes) > MAX_CODES else ""
        text = f"Cells in which each occurs.{limited}"
        yield Chart("Failures by code", text, svg(_codes_chart(codes), label))


def _not_shown(models: Sequence[Candidate], what: str) -> str:
    """A sentence that names models without a measured value; empty where there are none."""
    if not models:
        return ""
    names = numbers.first_of([model.name for model in models])
    return f" Not shown, as their {what} is not measured: {names}."


def priced_points(models: Sequence[Candidate]) -> list[Point]:
    """The models of known cost and score, the cheapest first."""
    points = []
    for model in models:
        cost, score = model.summary.cost.per_usable, model.summary.expected.value
        if cost is not None and score is not None:
            points.append(Point(model, cost, score))
    return sorted(points, key=lambda point: (point.cost, -point.score, point.model.id))


def cost_chart(points: Sequence[Point]) -> Spec:
    """Score against the cost of a usable graph, the cheapest first; a line joins the models that no
    other beats in both.
    """
    scale = _scale([point.cost for point in points])
    lowest, highest = _score_domain(points)
    labels = _labels(points, scale, highest - lowest)
    marks = []
    best_so_far = -1.0
    for point, label in zip(points, labels, strict=True):
        name, cost = point.model.name, numbers.money(point.cost)
        mark = {
            "name": name,
            "cost_per_usable_usd": point.cost,
            "expected_score": point.score,
            "expected_score_low": point.model.summary.expected.low,
            "expected_score_high": point.model.summary.expected.high,
            "frontier": point.score > best_so_far,
            **label,
        }
        title = f"{name}: {numbers.score(point.score)}, {cost} per usable graph"
        marks.append(mark | titled(title, model_page(point.model.id)))
        best_so_far = max(best_so_far, point.score)
    chart = fill(
        "points.json",
        marks,
        x="cost_per_usable_usd",
        y="expected_score",
        x_label="US dollars per usable graph",
        y_label="Score",
        color={"condition": {"test": "datum.frontier", "value": ACCENT}, "value": QUIET},
    )
    chart |= {"width": CHART_WIDTH, "height": COST_HEIGHT}
    chart["encoding"]["x"]["scale"] = scale
    chart["encoding"]["y"]["scale"] = {"domain": [lowest, highest]}
    return chart


def _score_domain(points: Sequence[Point]) -> tuple[float, float]:
    """The tenths around all scores and their intervals, within 0 and 1; one tenth at least."""
    scores = [point.score for point in points]
    for point in points:
        scores += point.model.summary.expected.ends or ()
    lowest = min(math.floor(min(scores) * 10) / 10, 0.9)
    highest = min(math.floor(max(scores) * 10 + 1) / 10, 1.0)
    return lowest, highest


def _scale(values: Sequence[float]) -> Spec:
    """A scale with room at both ends: logarithmic where the values differ tenfold."""
    low, high = min(values), max(values) or 1.0
    if low > 0 and high >= TENFOLD * low:
        return {"type": "log", "domain": [low / 1.6, high * 1.6], "nice": False}
    return {"type": "linear", "domain": [0.0, high * 1.15], "nice": False}


def _labels(points: Sequence[Point], scale: Spec, scores: float) -> Iterator[Spec]:
    """The label of each point, on the side where there is room, above or below it until it is
    written over no other label.
    """
    measure = math.log if scale["type"] == "log" else float
    first, last = map(measure, scale["domain"])
    plot_width = CHART_WIDTH - _MARGIN
    taken: list[tuple[float, float, float]] = []
    for point in points:
        name = clip(point.model.name, MAX_NAME)
        x = (measure(point.cost) - first) / (last - first) * plot_width
        at_left = x > plot_width / 2
        beside = -7 if at_left else 10
        y = (1 - point.score / scores) * COST_HEIGHT + beside
        width = _LETTER_WIDTH * len(name) + 8
        left = x - width if at_left else x
        right = left + width
        free = (
            offset
            for offset in _OFFSETS
            if not any(
                begin < right and left < end and abs(y + offset - height) < _LINE_HEIGHT
                for begin, end, height in taken
            )
        )
        offset = next(free, 0)
        taken.append((left, right, y + offset))
        yield {"label": name, "left": at_left, "below": beside + offset}


def latency_chart(timed: Sequence[Candidate]) -> Spec:
    """The median and the 95th percentile of each model, in seconds."""
    marks, times = [], []
    for model in timed:
        median, slow = model.summary.latency.p50_ms or 0.0, model.summary.latency.p95_ms or 0.0
        shown = [numbers.duration(median), numbers.duration(slow)]
        mark = {
            "name": clip(model.name, MAX_NAME),
            "latency_s_p50": median / 1000,
            "latency_s_p95": slow / 1000,
            "text": " to ".join(shown),
        }
        page = model_page(model.id)
        if not model.is_policy:
            page = cells_link(model=model.id, sort="-latency")
        title = f"{model.name}: median {shown[0]}, p95 {shown[1]}"
        marks.append(mark | titled(title, page))
        times += [median / 1000, slow / 1000]
    chart = fill(
        "latency.json",
        marks,
        x="latency_s_p50",
        y="name",
        x_label="Seconds: median (dot) to 95th percentile (tick)",
        color={"value": ACCENT},
    )
    chart["encoding"]["x"]["scale"] = _scale(times)
    return chart | {"width": CHART_WIDTH}


def _codes_chart(codes: Mapping[str, int]) -> Spec:
    points = []
    for code, cells in list(codes.items())[:MAX_CODES]:
        title = f"{code_name(code)}: {numbers.counted(cells, 'cell')}"
        point = {"code": clip(code_name(code), MAX_NAME), "cells": cells}
        points.append({**point, **titled(title, cells_link(code=code))})
    color = {"value": WARN}
    chart = fill("bars.json", points, x="cells", y="code", x_label="Cells", color=color)
    return chart | {"width": CHART_WIDTH}
