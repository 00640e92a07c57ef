"""Charts in the grammar of `dvc plots` (Vega-Lite, by Altair), drawn to inline SVG without a
browser.

A chart is drawn in stand-in colours, which become variables of the page's style sheet: one drawing
for light, dark and print.
"""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TypeAlias

import altair as alt
import vl_convert
from markupsafe import Markup, escape

from stages.shell import numbers
from stages.shell.text import clip

Layers: TypeAlias = alt.LayerChart | alt.FacetChart

INK = "#00f0a0"
SOFT = "#00f0a1"
RULE = "#00f0a2"
ACCENT = "#00f0a3"
QUIET = "#00f0a4"
WARN = "#00f0a5"
CARD = "#00f0a6"
GOOD = "#00f0a7"
BAD = "#00f0a8"
STEPS = [f"#00f0b{step}" for step in range(6)]
"""The steps of a scale from the worst to the best."""
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
    **{colour: f"h{step}" for step, colour in enumerate(STEPS)},
}
"""The style sheet's variables by stand-in colour."""
_STAND_IN = re.compile("|".join(_VARIABLES))
_NOISE = re.compile(r' (?:role|aria-[a-z]+|xmlns:xlink|version|pointer-events)="[^"]*"|<g></g>')
_LOOKS = {"plain": QUIET, "chosen": ACCENT, "good": GOOD, "bad": BAD}
ROW_HEIGHT = 24
HALF_WIDTH = 590
"""The width of a chart that takes half of the page, pixels; the page scales it to fit."""
FULL_WIDTH = 1200


@dataclass(frozen=True, slots=True)
class IntervalRow:
    """One row of an interval chart: a value with its interval, each None or NaN where it was not
    measured.

    `look` is its colour: plain, chosen, good or bad.
    """

    name: str
    value: float | None
    low: float | None
    high: float | None
    look: str = "plain"


@dataclass(frozen=True, slots=True)
class Zone:
    """A band behind the rows of an interval chart, such as the differences that are too small to
    matter.
    """

    low: float
    high: float
    text: str


def interval_chart(
    rows: Sequence[IntervalRow],
    *,
    domain: tuple[float, float],
    zone: Zone | None = None,
    width: int = HALF_WIDTH,
    axis_title: str | None = None,
) -> Layers:
    """Values with their intervals on one scale from end to end of `domain`, in the order given.

    Each value is printed at the right, as a score or, where the domain begins below 0, as a
    difference. `axis_title` None is for no axis at all.
    """
    scale = alt.Scale(domain=list(domain), nice=False)
    axis = alt.Axis(grid=False, tickCount=5) if axis_title else None

    def along(field: str) -> alt.X:
        return alt.X(f"{field}:Q", scale=scale, axis=axis, title=axis_title)

    layers: list[alt.Chart] = []
    if zone is not None:
        band = alt.Chart(chart_data([asdict(zone)]))
        label = band.mark_text(baseline="bottom", dy=-4, fontSize=11, color=SOFT)
        layers.append(band.mark_rect(color=RULE).encode(x=along("low"), x2="high:Q"))
        layers.append(label.encode(x=along("high"), y=alt.value(0), text="text:N"))
    if domain[0] < 0:
        zero = alt.Chart(chart_data([{"zero": 0}]))
        layers.append(zero.mark_rule(color=SOFT).encode(x=along("zero")))
    write = numbers.score if domain[0] >= 0 else numbers.difference
    base = _interval_rows(rows, [write(row.value) for row in rows])
    colours = alt.Scale(domain=list(_LOOKS), range=list(_LOOKS.values()))
    colour = alt.Color("look:N", scale=colours, legend=None)
    line = base.mark_rule(color=RULE)
    interval = base.mark_rule(strokeWidth=5, opacity=0.45, strokeCap="round")
    value = base.mark_point(filled=True, size=80, opacity=1)
    text = base.mark_text(align="left", dx=8, fontSize=12, color=INK)
    layers += [
        line.encode(x=alt.value(0), x2=alt.value("width")),
        interval.encode(x=along("low"), x2="high:Q", color=colour),
        value.encode(x=along("value"), color=colour),
        text.encode(x=alt.value("width"), text="text:N"),
    ]
    return alt.layer(*layers).properties(width=width, height=alt.Step(ROW_HEIGHT))


def _interval_rows(rows: Sequence[IntervalRow], texts: Sequence[str]) -> alt.Chart:
    """The rows below one another; the number in a key, which is not shown, tells equal names
    apart.
    """
    keys = [f"{number} {row.name}" for number, row in enumerate(rows)]
    points = [
        asdict(row) | {"row": key, "text": text}
        for row, key, text in zip(rows, keys, texts, strict=True)
    ]
    axis = alt.Axis(
        labelExpr="replace(datum.label, /^[0-9]+ /, '')",
        domain=False,
        ticks=False,
        grid=False,
        labelLimit=170,
        labelPadding=8,
    )
    y = alt.Y("row:N", sort=keys, title=None, axis=axis)
    return alt.Chart(chart_data(points)).encode(y=y)


def svg(chart: Layers, label: str) -> Markup:
    """A chart as one `<svg>` element that fits the width that it was given.

    `label` describes it to screen readers.
    """
    axes = alt.AxisConfig(
        labelColor=INK,
        titleColor=SOFT,
        gridColor=RULE,
        domainColor=RULE,
        tickColor=RULE,
        labelFontSize=12,
        titleFontSize=12,
        titleFontWeight="normal",
        labelLimit=230,
    )
    configured = chart.configure(
        background="transparent",
        font="sans-serif",
        autosize=alt.AutoSizeParams(type="fit-x", contains="padding"),
        padding={"left": 8, "right": 8, "top": 5, "bottom": 5},
        view=alt.ViewConfig(stroke=None),
        axis=axes,
    )
    drawing = vl_convert.vegalite_to_svg(configured.to_dict(validate=False))
    drawing = _NOISE.sub("", drawing)
    drawing = _STAND_IN.sub(lambda colour: f"var(--{_VARIABLES[colour.group()]})", drawing)
    named = f'<svg role="img" aria-label="{escape(label)}" '
    # The library escapes every text in its drawing.
    return Markup(drawing.replace("<svg ", named, 1))  # noqa: S704


def chart_data(points: Sequence[Mapping[str, object]]) -> alt.InlineData:
    """The points of a chart; NaN, which JSON does not know, becomes null."""
    return alt.InlineData(
        values=[{key: _without_nan(value) for key, value in point.items()} for point in points]
    )


def _without_nan(value: object) -> object:
    return None if isinstance(value, float) and math.isnan(value) else value


def legible(text: str) -> str:
    """A text as a chart can show it: short, and without what the charts' library cannot write."""
    return clip(text, 60)
