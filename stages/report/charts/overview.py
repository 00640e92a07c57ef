"""The charts of the overview: score against cost, latency, failures by code."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from stages.report.charts.drawing import ACCENT, QUIET, WARN, Spec, fill, legible, svg, titled
from stages.report.failures import code_name
from stages.report.ranking import Candidate
from stages.shared.present.page import cells_link, model_page
from stages.shared.shell import numbers

MAX_MODELS = 40
"""A chart shows this many models at most, in order of rank."""
MAX_CODES = 12
MAX_NAMED_POINTS = 14
"""In a chart of more models only those on the frontier are named."""
_PLOT = (530, 440)
"""About the width and the height between the axes of score and cost, pixels."""
_LETTER_WIDTH, _LINE_HEIGHT = 6.0, 13


@dataclass(frozen=True, slots=True)
class Chart:
    """A chart with its title and what it shows; `shape` is empty, or `tall` in the page's grid."""

    title: str
    text: str
    svg: Markup
    shape: str = ""


def charts(models: Sequence[Candidate], codes: Mapping[str, int]) -> Iterator[Chart]:
    """Every chart that has something to show.

    `models` are in order of rank; `codes` has the number of cells in which each failure occurs.
    """
    first = models[:MAX_MODELS]
    limited = f" The first {MAX_MODELS} by rank." if len(models) > MAX_MODELS else ""
    priced = priced_models(models)
    if priced:
        yield _cost(priced, [model for model in models if model.summary.cost.unknown])
    timed = [model for model in first if model.summary.latency.p50_ms is not None]
    if timed:
        label = "Latency by model; the leaderboard has the numbers"
        text = f"Of the call that was answered, without waiting times.{limited}"
        untimed = [model for model in first if model.summary.latency.p50_ms is None]
        text += _not_shown(untimed, "latency")
        yield Chart("Latency", text, svg(_latency_chart(timed), label))
    if codes:
        yield _failures(codes)


@dataclass(frozen=True, slots=True)
class PricedModel:
    """A model with the cost of a usable graph, US dollars, and its score."""

    model: Candidate
    cost: float
    score: float


def priced_models(models: Sequence[Candidate]) -> list[PricedModel]:
    """The models of known cost and score, the cheapest first."""
    priced = []
    for model in models:
        cost, score = model.summary.cost.per_usable, model.summary.expected.value
        if cost is not None and score is not None:
            priced.append(PricedModel(model, cost, score))
    return sorted(priced, key=lambda point: (point.cost, -point.score, point.model.id))


def _cost(priced: Sequence[PricedModel], unpriced: Sequence[Candidate]) -> Chart:
    label = f"Quality against cost, for {len(priced)} models; the leaderboard has the numbers"
    text = (
        "The dashed line joins the models that no other beats in both score and cost; "
        "vertical lines are intervals."
    )
    text += _not_shown(unpriced, "cost")
    return Chart("Quality against cost", text, svg(cost_chart(priced), label), "tall")


def _not_shown(models: Sequence[Candidate], what: str) -> str:
    """A sentence that names models without a measured value; empty where there are none."""
    if not models:
        return ""
    names = numbers.first_of([model.name for model in models])
    return f" Not shown, as their {what} is not measured: {names}."


def _failures(codes: Mapping[str, int]) -> Chart:
    label = "Failures by code; the table below has the numbers"
    limited = f" The {MAX_CODES} most frequent." if len(codes) > MAX_CODES else ""
    drawing = svg(_codes_chart(codes), label)
    return Chart("Failures by code", f"Cells in which each occurs.{limited}", drawing)


def frontier(points: Sequence[PricedModel]) -> list[bool]:
    """True for the models that no other beats in both score and cost; the points are sorted,
    cheapest first.
    """
    best_so_far = -1.0
    is_best = []
    for point in points:
        is_best.append(point.score > best_so_far)
        best_so_far = max(best_so_far, point.score)
    return is_best


def cost_chart(points: Sequence[PricedModel]) -> Spec:
    """Score against the cost of a usable graph; a line joins the models that no other beats in
    both.
    """
    scale = _cost_scale([point.cost for point in points])
    domain = _score_domain(points)
    chart = fill(
        "points.json",
        _cost_points(points, scale, domain),
        x="cost_per_usable_usd",
        y="expected_score",
        x_label="US dollars per usable graph",
        y_label="Expected score",
        color={"condition": {"test": "datum.frontier", "value": ACCENT}, "value": QUIET},
    )
    chart["encoding"]["x"]["scale"] = scale
    chart["encoding"]["y"]["scale"] = {"domain": list(domain)}
    return chart


def _score_domain(points: Sequence[PricedModel]) -> tuple[float, float]:
    """The tenths around all scores and their intervals, within 0 and 1; one tenth at least."""
    scores = [point.score for point in points]
    for point in points:
        scores += point.model.summary.expected.ends or ()
    lowest = min(math.floor(min(scores) * 10) / 10, 0.9)
    highest = min(math.floor(max(scores) * 10 + 1) / 10, 1.0)
    return lowest, highest


def _cost_scale(costs: Sequence[float]) -> Spec:
    """A scale for the costs, with room at both ends: logarithmic where they span more than three
    times.
    """
    low, high = min(costs), max(costs) or 1.0
    if low > 0 and high / low > 3:
        return {"type": "log", "domain": [low / 1.6, high * 1.6], "nice": False}
    return {"type": "linear", "domain": [0.0, high * 1.15], "nice": False}


@dataclass(frozen=True, slots=True)
class _Label:
    """A name from `begin` to `end` at a height, in pixels, at the left or right of its point."""

    left: bool
    begin: float
    end: float
    height: float

    def overlaps(self, other: "_Label") -> bool:
        """Whether it would be written over another label."""
        beside = self.end <= other.begin or other.end <= self.begin
        return not beside and abs(self.height - other.height) < _LINE_HEIGHT


def _label(name: str, x: float, y: float, *, best: bool, left: bool) -> _Label:
    width = _LETTER_WIDTH * len(name)
    begin = x - 8 - width if left else x + 8
    return _Label(left, begin, begin + width, y + 7 if left and best else y - 10)


def _cost_points(
    models: Sequence[PricedModel], scale: Spec, domain: tuple[float, float]
) -> list[Spec]:
    """What is drawn of each model, with its label.

    The labels of the best lead to the left as far as they have room there: no model is cheaper and
    better. A label that would be written over an earlier one changes its side, or is left out where
    that is taken too: the mark has the name as its title.
    """
    measure = math.log if scale["type"] == "log" else float
    first, last = map(measure, scale["domain"])
    points: list[Spec] = []
    labels: list[_Label] = []
    for point, best in zip(models, frontier(models), strict=True):
        model, expected = point.model, point.model.summary.expected
        place = (measure(point.cost) - first) / (last - first)
        height = point.score / (domain[1] - domain[0]) * _PLOT[1]
        name = legible(model.name) if best or len(models) <= MAX_NAMED_POINTS else ""
        at_left = place > (0.25 if best else 0.5)
        sides = [
            _label(name, place * _PLOT[0], height, best=best, left=left)
            for left in (at_left, not at_left)
        ]
        free = [side for side in sides if not any(map(side.overlaps, labels))]
        labels += free[:1]
        left = (free or sides)[0].left
        cost = numbers.money(point.cost)
        title = f"{model.name}: {numbers.score(point.score)}, {cost} per usable graph"
        mark = {
            "name": model.name,
            "cost_per_usable_usd": point.cost,
            "expected_score": point.score,
            "expected_score_low": expected.low,
            "expected_score_high": expected.high,
            "frontier": bool(best),
            "label": name if free else "",
            "left": bool(left),
            "above": bool(left and best),
        }
        points.append(mark | titled(title, model_page(model.id)))
    return points


def _latency_chart(timed: Sequence[Candidate]) -> Spec:
    return fill(
        "latency.json",
        [_latency_point(model) for model in timed],
        x="latency_s_p50",
        y="name",
        x_label="Seconds: median (dot) to 95th percentile (tick)",
        color={"value": ACCENT},
    )


def _latency_point(model: Candidate) -> Spec:
    median, slow = model.summary.latency.p50_ms or 0.0, model.summary.latency.p95_ms or 0.0
    title = f"{model.name}: median {numbers.duration(median)}, p95 {numbers.duration(slow)}"
    page = model_page(model.id)
    if not model.is_policy:
        page = cells_link(model=model.id, sort="-latency")
    times = {"latency_s_p50": median / 1000, "latency_s_p95": slow / 1000}
    return {"name": legible(model.name), **times, **titled(title, page)}


def _codes_chart(codes: Mapping[str, int]) -> Spec:
    points = []
    for code, cells in list(codes.items())[:MAX_CODES]:
        title = f"{code_name(code)}: {numbers.counted(cells, 'cell')}"
        point = {"code": legible(code_name(code)), "cells": cells}
        points.append({**point, **titled(title, cells_link(code=code))})
    return fill("bars.json", points, x="cells", y="code", x_label="Cells", color={"value": WARN})
