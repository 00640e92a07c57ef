"""The templates of `dvc plots` (Vega-Lite), filled and drawn to inline SVG without a browser.

A template is filled as DVC fills it; what only a page has (titles, links, texts) are fields of the
points. A chart is drawn in stand-in colours, which become variables of the page's style sheet: one
drawing for light, dark and print. A mark can have a title, for pointers and screen readers, and
lead to a page.
"""

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import Any, TypeAlias

import vl_convert
from markupsafe import Markup, escape

from stages.shared.records.json_text import canonical, parse
from stages.shared.shell import numbers
from stages.shared.shell.text import clip

Spec: TypeAlias = dict[str, Any]
"""A part of a Vega-Lite chart."""

_NAMES = ("ink", "soft", "rule", "accent", "nil", "neg", "good", "bad")
_VARIABLES = {f"#00f0a{number}": name for number, name in enumerate(_NAMES)}
"""The style sheet's variables by stand-in colour."""
INK, SOFT, RULE, ACCENT, QUIET, WARN, GOOD, BAD = _VARIABLES
_STAND_IN = re.compile("|".join(_VARIABLES))
_UNUSED = "role|aria-[a-z]+|xmlns:xlink|version|pointer-events|font-family"
_NOISE = re.compile(rf' (?:{_UNUSED})="[^"]*"| opacity="1"|<g></g>')
_TITLE_SIGN = "\N{MEMO}"
"""Begins the description of a mark that is to have it as its title; the library writes others."""
_TITLED = re.compile(rf'<path aria-label="{_TITLE_SIGN}([^"]*)"([^>]*)/>')
_LINKED = re.compile(r'<a xlink:href="(?:https://vega\.github\.io/vega-datasets/)?')
"""The library takes a relative address for one of its examples."""
_LOOKS = {"plain": QUIET, "good": GOOD, "bad": BAD}
_STYLES: Spec = {
    "label": {"fontSize": 11.5, "color": INK},
    "value": {"fontSize": 12, "color": INK},
    "note": {"color": SOFT},
    "zero": {"color": SOFT},
    "band": {"color": RULE},
    "row": {"color": RULE},
    "bar": {"height": 13},
    "frontier": {"color": ACCENT},
}
"""What the page's style sheet colours in a template."""
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
    "style": _STYLES,
}
MAX_NAME = 60
"""Columns of a name in a chart, which is without what the charts' library cannot write."""
_AFTER_NUMBER = "\N{INVISIBLE SEPARATOR}"
"""Ends the number that tells rows of one name apart; `intervals.json` does not show it."""


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


def titled(title: str, href: str = "") -> dict[str, str]:
    """The fields of a point whose mark has a title and leads to a page, nowhere if it is empty."""
    return {"title": _TITLE_SIGN + clip(title, 200), "href": href}


def fill(
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
    the colour of the marks; NaN, which JSON does not know, becomes null.
    """
    text = files(__package__).joinpath(template).read_text("utf-8")
    text = text.replace("<DVC_METRIC_X>", x).replace("<DVC_METRIC_Y>", y)
    values = {"X_LABEL": x_label, "Y_LABEL": y_label, "COLOR": color}
    for name, value in values.items():
        text = text.replace(f'"<DVC_METRIC_{name}>"', canonical(value).decode())
    chart: Any = parse(text.encode())
    del chart["title"]
    chart["data"]["values"] = [
        {"rev": "", **{key: _without_nan(value) for key, value in point.items()}}
        for point in points
    ]
    return dict(chart)


def _without_nan(value: object) -> object:
    return None if isinstance(value, float) and math.isnan(value) else value


def interval_chart(
    rows: Sequence[IntervalRow],
    *,
    axis_title: str,
    margin: float | None = None,
    write: Callable[[float | None], str] = numbers.score,
) -> Spec:
    """Values with their intervals on one scale, in the order given.

    Each value is printed at the right by `write`. Where they are differences, a line marks 0, and a
    band those that are too small to matter, `margin` at most.
    """
    points = [
        {
            "row": f"{number}{_AFTER_NUMBER}{clip(row.name, MAX_NAME)}",
            "value": row.value,
            "value_low": row.low,
            "value_high": row.high,
            "look": row.look,
            "margin": margin,
            "text": write(row.value),
            **titled(f"{row.name}: {write(row.value)}"),
        }
        for number, row in enumerate(rows)
    ]
    looks = {"domain": list(_LOOKS), "range": list(_LOOKS.values())}
    color = {"field": "look", "type": "nominal", "scale": looks, "legend": None}
    return fill("intervals.json", points, x="value", y="row", x_label=axis_title, color=color)


def svg(chart: Spec, label: str) -> Markup:
    """A chart as one `<svg>` element that fits the width that it was given.

    `label` describes it to screen readers.
    """
    drawing = vl_convert.vegalite_to_svg(chart | {"config": _CONFIG})
    titles = _TITLED.sub(r"<path\2><title>\1</title></path>", drawing)
    without_noise = _NOISE.sub("", titles)
    links = _LINKED.sub('<a href="', without_noise)
    coloured = _STAND_IN.sub(lambda colour: f"var(--{_VARIABLES[colour.group()]})", links)
    role = "group" if "<a " in coloured else "img"
    named = f'<svg role="{role}" aria-label="{escape(label)}" '
    # The library escapes every text in its drawing.
    return Markup(coloured.replace("<svg ", named, 1))  # noqa: S704
