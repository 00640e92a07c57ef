"""Charts in the grammar of `dvc plots` (Vega-Lite), drawn to inline SVG without a browser.

A chart is drawn in stand-in colours, which become variables of the page's style sheet: one drawing
for light, dark and print. A mark can have a title, for pointers and screen readers, and lead to a
page.
"""

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import vl_convert
from markupsafe import Markup, escape

from stages.shell import numbers
from stages.shell.text import clip

Spec: TypeAlias = dict[str, Any]
"""A part of a Vega-Lite chart."""

INK = "#00f0a0"
SOFT = "#00f0a1"
RULE = "#00f0a2"
ACCENT = "#00f0a3"
QUIET = "#00f0a4"
WARN = "#00f0a5"
CARD = "#00f0a6"
GOOD = "#00f0a7"
BAD = "#00f0a8"
_VARIABLES = {
    INK: "ink",
    SOFT: "soft",
    RULE: "rule",
    ACCENT: "accent",
    QUIET: "nil",
    WARN: "neg",
    CARD: "card",
    GOOD: "good",
    BAD: "bad",
}
"""The style sheet's variables by stand-in colour."""
_STAND_IN = re.compile("|".join(_VARIABLES))
_UNUSED = "role|aria-[a-z]+|xmlns:xlink|version|pointer-events|font-family"
_NOISE = re.compile(rf' (?:{_UNUSED})="[^"]*"| opacity="1"|<g></g>')
_TITLE_SIGN = "\N{MEMO}"
"""Begins the description of a mark that is to have it as its title; the library writes others."""
_TITLED = re.compile(rf'<path aria-label="{_TITLE_SIGN}([^"]*)"([^>]*)/>')
_LINKED = re.compile(r'<a xlink:href="(?:https://vega\.github\.io/vega-datasets/)?')
"""The library takes a relative address for one of its examples."""
_LOOKS = {"plain": QUIET, "good": GOOD, "bad": BAD}
_CONFIG: Spec = {
    "background": "transparent",
    "font": "sans-serif",
    "autosize": {"type": "fit-x", "contains": "padding"},
    "padding": {"left": 24, "right": 8, "top": 5, "bottom": 5},
    "view": {"stroke": None},
    "axis": {
        "labelColor": INK,
        "titleColor": SOFT,
        "gridColor": RULE,
        "domainColor": RULE,
        "tickColor": RULE,
        "labelFontSize": 12,
        "titleFontSize": 12,
        "titleFontWeight": "normal",
        "labelLimit": 230,
    },
}
NAMES_OF_ROWS: Spec = {
    "labelExpr": "replace(datum.label, /^[0-9]+ /, '')",
    "domain": False,
    "ticks": False,
    "grid": False,
    "labelLimit": 170,
    "labelPadding": 8,
}
"""The axis of rows whose keys begin with a number that is not shown; see `names`."""
ROW_HEIGHT = 24
HALF_WIDTH = 590
"""The width of a chart that takes half of the page, pixels; the page scales it to fit."""


@dataclass(frozen=True, slots=True)
class IntervalRow:
    """One row of an interval chart: a value with its interval, each None or NaN where it was not
    measured.

    `look` is its colour: plain, good or bad.
    """

    name: str
    value: float | None
    low: float | None
    high: float | None
    look: str = "plain"


def mark(kind: str, channels: Mapping[str, object], **style: object) -> Spec:
    """A layer of a chart: marks of one kind, such as a bar for each point, by their channels."""
    return {"mark": {"type": kind, **style}, "encoding": dict(channels)}


def quantity(field: str, **settings: object) -> Spec:
    """A channel that shows the numbers of a field."""
    return {"field": field, "type": "quantitative", **settings}


def names(field: str, order: Sequence[str], **settings: object) -> Spec:
    """A channel that shows the texts of a field in their order, without a title."""
    return {"field": field, "type": "nominal", "sort": list(order), "title": None, **settings}


TITLES: Spec = {"description": {"field": "title"}, "href": {"field": "href"}}
"""The channels of a mark with a title that leads to a page; see `titled`."""


def titled(title: str, href: str = "") -> dict[str, str]:
    """The fields of a point whose mark has a title and leads to a page, nowhere if it is empty."""
    return {"title": _TITLE_SIGN + legible(title, 200), "href": href}


def chart_data(points: Sequence[Mapping[str, object]]) -> Spec:
    """The points of a chart; NaN, which JSON does not know, becomes null."""
    values = [{key: _without_nan(value) for key, value in point.items()} for point in points]
    return {"values": values}


def _without_nan(value: object) -> object:
    return None if isinstance(value, float) and math.isnan(value) else value


def interval_chart(
    rows: Sequence[IntervalRow],
    *,
    domain: tuple[float, float],
    axis_title: str,
    margin: float | None = None,
    write: Callable[[float | None], str] = numbers.score,
) -> Spec:
    """Values with their intervals on one scale from end to end of `domain`, in the order given.

    Each value is printed at the right by `write`. Where they are differences, a line marks 0, and a
    band those that are too small to matter, `margin` at most.
    """
    scale = {"domain": list(domain), "nice": False}
    axis = {"grid": False, "tickCount": 5}
    along = quantity("value", scale=scale, axis=axis, title=axis_title)
    low, high = along | {"field": "low"}, along | {"field": "high"}
    layers: list[Spec] = []
    if margin is not None:
        text = f"too small to matter: ±{margin:g}"
        data = chart_data([{"low": -margin, "high": margin, "value": 0, "text": text}])
        ends = {"x": low, "x2": {"field": "high"}}
        place = {"x": high, "y": {"value": 0}, "text": {"field": "text"}}
        label = mark("text", place, baseline="bottom", dy=-4, fontSize=11, color=SOFT)
        band = mark("rect", ends, color=RULE)
        zero = mark("rule", {"x": along}, color=SOFT)
        layers += [layer | {"data": data} for layer in (band, label, zero)]
    points = _interval_points(rows, [write(row.value) for row in rows])
    row = names("row", [str(point["row"]) for point in points], axis=NAMES_OF_ROWS)
    colour = {
        "field": "look",
        "type": "nominal",
        "scale": {"domain": list(_LOOKS), "range": list(_LOOKS.values())},
        "legend": None,
    }
    whole = {"y": row, "x": {"value": 0}, "x2": {"value": "width"}}
    interval = {"y": row, "x": low, "x2": {"field": "high"}, "color": colour}
    value = {"y": row, "x": along, "color": colour, **TITLES}
    at_right = {"y": row, "x": {"value": "width"}, "text": {"field": "text"}}
    layers += [
        mark("rule", whole, color=RULE),
        mark("rule", interval, strokeWidth=5, opacity=0.45, strokeCap="round"),
        mark("point", value, filled=True, size=80, opacity=1),
        mark("text", at_right, align="left", dx=8, fontSize=12, color=INK),
    ]
    size = {"width": HALF_WIDTH, "height": {"step": ROW_HEIGHT}}
    return {"data": chart_data(points), "layer": layers, **size}


def _interval_points(rows: Sequence[IntervalRow], texts: Sequence[str]) -> list[Spec]:
    """The rows below one another; the number in a key, which is not shown, tells equal names
    apart.
    """
    return [
        {
            "row": f"{number} {row.name}",
            "value": row.value,
            "low": row.low,
            "high": row.high,
            "look": row.look,
            "text": text,
            **titled(f"{row.name}: {text}"),
        }
        for number, (row, text) in enumerate(zip(rows, texts, strict=True))
    ]


def svg(chart: Spec, label: str) -> Markup:
    """A chart as one `<svg>` element that fits the width that it was given.

    `label` describes it to screen readers.
    """
    config = {**_CONFIG, "padding": chart.get("padding", _CONFIG["padding"])}
    drawing = vl_convert.vegalite_to_svg(chart | {"config": config})
    titles = _TITLED.sub(r"<path\2><title>\1</title></path>", drawing)
    without_noise = _NOISE.sub("", titles)
    links = _LINKED.sub('<a href="', without_noise)
    coloured = _STAND_IN.sub(lambda colour: f"var(--{_VARIABLES[colour.group()]})", links)
    role = "group" if "<a " in coloured else "img"
    named = f'<svg role="{role}" aria-label="{escape(label)}" '
    # The library escapes every text in its drawing.
    return Markup(coloured.replace("<svg ", named, 1))  # noqa: S704


def legible(text: str, columns: int = 60) -> str:
    """A text as a chart can show it: short, and without what the charts' library cannot write."""
    return clip(text, columns)
