"""The charts of the pages: the templates of `dvc plots` (Vega-Lite), drawn to inline SVG without a
browser.

A template is filled as DVC fills it; what only a page has (titles, links, texts) are fields of the
points. Colours are variables of the pages' style sheet: one drawing for light, dark and print.
"""

import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib.resources import files
from typing import Any, TypeAlias

import vl_convert
from markupsafe import Markup, escape

from graph_evaluator.present.page import cells_link, model_page
from graph_evaluator.records.json_text import canonical, parse
from graph_evaluator.records.record import Measurement
from graph_evaluator.report.ranking import Candidate
from graph_evaluator.shell import numbers
from graph_evaluator.shell.text import clip

Spec: TypeAlias = dict[str, Any]
"""A part of a Vega-Lite chart."""

MAX_MODELS = 40
"""A chart shows this many models at most, in order of rank."""
MAX_NAME = 60
"""Columns of a name in a chart, which is without what the charts' library cannot write."""
TENFOLD = 10
"""Values that differ so many times are on a logarithmic scale."""
CHART_WIDTH, COST_HEIGHT = 450, 380
"""Pixels of a chart, and of the scores in that of cost: a phone shows it whole."""
_PLOT_WIDTH = CHART_WIDTH - 60
"""About the pixels between the axis of scores and the right."""
_LETTER_WIDTH, _LINE_HEIGHT = 6.0, 13
_ACCENT, _QUIET = "var(--accent)", "var(--nil)"
_LOOKS = {"good": "var(--good)", "bad": "var(--bad)"}
_UNUSED = "role|aria-[a-z]+|xmlns:xlink|version|pointer-events|font-family"
_NOISE = re.compile(rf' (?:{_UNUSED})="[^"]*"| opacity="1"|<g></g>')
_TITLE_SIGN = "\N{MEMO}"
"""Begins the description of a mark that is to have it as its title; the library writes others."""
_TITLED = re.compile(rf'<path aria-label="{_TITLE_SIGN}([^"]*)"([^>]*)/>')
_LINKED = re.compile(r'<a xlink:href="(?:https://vega\.github\.io/vega-datasets/)?')
"""The library takes a relative address for one of its examples."""
_AFTER_NUMBER = "\N{INVISIBLE SEPARATOR}"
"""Ends the number that tells rows of one name apart; `intervals.json` does not show it."""


def charts(models: Sequence[Candidate]) -> Iterator[tuple[str, str, Markup]]:
    """Every chart of the overview that has something to show, with its title and what it shows;
    `models` are in order of rank.
    """
    first = models[:MAX_MODELS]
    priced = [model for model in first if None not in _cost_and_score(model)]
    timed = [model for model in first if model.summary.latency.p50_ms is not None]
    if priced:
        text = (
            "The dashed line joins the models that no other beats in both score and cost; "
            f"vertical lines are intervals.{_not_shown(models, priced)}"
        )
        drawn = svg(cost_chart(priced), "Score against cost, as in the leaderboard")
        yield "Score against cost", text, drawn
    if timed:
        text = f"Of the call that was answered, without waiting times.{_not_shown(models, timed)}"
        yield "Latency", text, svg(latency_chart(timed), "Latency by model, as in the leaderboard")


def _not_shown(models: Sequence[Candidate], shown: Sequence[Candidate]) -> str:
    """A sentence that names the models that a chart does not show; empty where there are none."""
    names = [model.name for model in models if model not in shown]
    if not names:
        return ""
    return f" Not measured, or not among the first {MAX_MODELS}: {numbers.first_of(names)}."


def _cost_and_score(model: Candidate) -> tuple[float | None, float | None]:
    return model.summary.cost.per_usable, model.summary.expected.value


def cost_chart(models: Sequence[Candidate]) -> Spec:
    """Score against the cost of a usable graph; a line joins the models that no other beats in
    both.
    """
    points = []
    for model in models:
        cost, score = _cost_and_score(model)
        name, expected = model.name, model.summary.expected
        title = f"{name}: {numbers.score(score)}, {numbers.money(cost)} per usable graph"
        point: Spec = {
            "name": name,
            "label": clip(name, MAX_NAME),
            "cost_per_usable_usd": cost,
            "expected_score": score,
            "expected_score_low": expected.low,
            "expected_score_high": expected.high,
        }
        points.append(point | _titled(title, model_page(model.id)))
    points.sort(key=lambda point: (point["cost_per_usable_usd"], -point["expected_score"]))
    best = -1.0
    for point in points:
        point["frontier"] = point["expected_score"] > best
        best = max(best, point["expected_score"])
    scores = [
        value
        for model in models
        for value in (model.summary.expected.low, model.summary.expected.value)
        if value is not None
    ]
    lowest = min(math.floor(min(scores) * 10) / 10, 0.9)
    scale = _scale([point["cost_per_usable_usd"] for point in points])
    _place_labels(points, scale, lowest)
    chart = _filled(
        "points.json",
        points,
        x="cost_per_usable_usd",
        y="expected_score",
        x_label="US dollars per usable graph",
        y_label="Score",
        color={"condition": {"test": "datum.frontier", "value": _ACCENT}, "value": _QUIET},
    )
    chart |= {"width": CHART_WIDTH, "height": COST_HEIGHT}
    chart["encoding"]["x"]["scale"] = scale
    chart["encoding"]["y"]["scale"] = {"domain": [lowest, 1.0]}
    return chart


def _scale(values: Sequence[float]) -> Spec:
    """A scale with room at both ends: logarithmic where the values differ tenfold."""
    low, high = min(values), max(values) or 1.0
    if low > 0 and high >= TENFOLD * low:
        return {"type": "log", "domain": [low / 1.6, high * 1.6], "nice": False}
    return {"type": "linear", "domain": [0.0, high * 1.15], "nice": False}


def _place_labels(points: Sequence[Spec], scale: Spec, lowest: float) -> None:
    """Put the label of each point on the side where there is room, below the labels that it would
    be written over.
    """
    measure = math.log if scale["type"] == "log" else float
    first, last = map(measure, scale["domain"])
    taken: list[tuple[float, float, float]] = []
    for point in sorted(points, key=lambda point: -point["expected_score"]):
        width = _LETTER_WIDTH * len(point["label"]) + 8
        x = (measure(point["cost_per_usable_usd"]) - first) / (last - first) * _PLOT_WIDTH
        y = (1 - point["expected_score"]) / (1 - lowest) * COST_HEIGHT
        point["left"] = x > _PLOT_WIDTH / 2
        begin = x - width if point["left"] else x
        over = [bottom for left, right, bottom in taken if left < begin + width and begin < right]
        top = max([y, *over])
        taken.append((begin, begin + width, top + _LINE_HEIGHT))
        point["below"] = top - y + 10


def latency_chart(models: Sequence[Candidate]) -> Spec:
    """The median and the 95th percentile of each model, in seconds."""
    points, times = [], []
    for model in models:
        latency = model.summary.latency
        median, slow = latency.p50_ms or 0.0, latency.p95_ms or 0.0
        shown = [numbers.duration(median), numbers.duration(slow)]
        point = {
            "name": clip(model.name, MAX_NAME),
            "latency_s_p50": median / 1000,
            "latency_s_p95": slow / 1000,
            "text": " to ".join(shown),
        }
        page = cells_link(model=model.id, sort="-latency")
        title = f"{model.name}: median {shown[0]}, p95 {shown[1]}"
        points.append(point | _titled(title, page))
        times += [median / 1000, slow / 1000]
    chart = _filled(
        "latency.json",
        points,
        x="latency_s_p50",
        y="name",
        x_label="Seconds: median (dot) to 95th percentile (tick)",
        color={"value": _ACCENT},
    )
    chart["encoding"]["x"]["scale"] = _scale(times)
    return chart | {"width": CHART_WIDTH}


def interval_chart(
    rows: Sequence[tuple[str, Measurement, str]],
    *,
    axis_title: str,
    margin: float | None = None,
    write: Callable[[float | None], str] = numbers.score,
) -> Spec:
    """Values with their intervals on one scale, in the order given; each row has a name, a
    measurement and a colour (good or bad, else grey).

    Each value is printed at the right by `write`. Where they are differences, a line marks 0, and a
    band those that are too small to matter, `margin` at most.
    """
    points = [
        {
            "row": f"{number}{_AFTER_NUMBER}{clip(name, MAX_NAME)}",
            "value": found.value,
            "value_low": found.low,
            "value_high": found.high,
            "colour": _LOOKS.get(look, _QUIET),
            "margin": margin,
            "text": write(found.value),
            **_titled(f"{name}: {write(found.value)}"),
        }
        for number, (name, found, look) in enumerate(rows)
    ]
    color = {"field": "colour", "type": "nominal", "scale": None}
    return _filled("intervals.json", points, x="value", y="row", x_label=axis_title, color=color)


def _titled(title: str, href: str = "") -> dict[str, str]:
    """The fields of a point whose mark has a title and leads to a page, nowhere if it is empty."""
    return {"title": _TITLE_SIGN + clip(title, 200), "href": href}


def _filled(
    template: str,
    points: Sequence[Mapping[str, object]],
    *,
    x: str,
    y: str,
    x_label: str,
    y_label: str | None = None,
    color: Mapping[str, object],
) -> Spec:
    """A template with the points, the names of their fields `x` and `y`, the titles of the axes and
    the colour of the marks.
    """
    text = _template(template).replace("<DVC_METRIC_X>", x).replace("<DVC_METRIC_Y>", y)
    for name, value in (("X_LABEL", x_label), ("Y_LABEL", y_label), ("COLOR", color)):
        text = text.replace(f'"<DVC_METRIC_{name}>"', canonical(value).decode())
    chart: Any = parse(text.encode())
    del chart["title"]
    chart["data"]["values"] = [{"rev": "", **point} for point in points]
    chart["config"] = parse(_template("config.json").encode())
    return dict(chart)


def _template(name: str) -> str:
    return (files("graph_evaluator.report") / "charts" / name).read_text("utf-8")


def svg(chart: Spec, label: str) -> Markup:
    """A chart as one `<svg>` element that fits the width that it was given.

    `label` describes it to screen readers.
    """
    drawing = vl_convert.vegalite_to_svg(chart)
    titles = _TITLED.sub(r"<path\2><title>\1</title></path>", drawing)
    links = _LINKED.sub('<a href="', _NOISE.sub("", titles))
    role = "group" if "<a " in links else "img"
    named = f'<svg role="{role}" aria-label="{escape(label)}" '
    # The library escapes every text in its drawing.
    return Markup(links.replace("<svg ", named, 1))  # noqa: S704
