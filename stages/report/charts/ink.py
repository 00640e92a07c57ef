"""Ink: from a chart in Altair to inline SVG whose colours come from the page's style sheet.

A chart is drawn in stand-in colours, which then become variables of the style sheet: one drawing suits light, dark and print.
"""

import re
from typing import TypeAlias

import altair as alt
import vl_convert
from markupsafe import Markup, escape

Layers: TypeAlias = alt.LayerChart | alt.FacetChart
INK, SOFT, RULE, ACCENT, QUIET, WARN, CARD = "#00f0a1", "#00f0a2", "#00f0a3", "#00f0a4", "#00f0a5", "#00f0a6", "#00f0a7"
STEPS = ("#00f0b0", "#00f0b1", "#00f0b2", "#00f0b3", "#00f0b4", "#00f0b5")
"""From the worst to the best."""
_NAMES = {INK: "ink", SOFT: "soft", RULE: "rule", ACCENT: "accent", QUIET: "nil", WARN: "neg", CARD: "card"} | {
    colour: f"h{step}" for step, colour in enumerate(STEPS)
}
_PLACEHOLDER = re.compile(r"#00f0[ab]\d")
_NOISE = re.compile(r' (?:role|aria-[a-z]+|xmlns:xlink|version|pointer-events)="[^"]*"|<g></g>')


def svg(chart: Layers, label: str) -> Markup:
    """A chart as one `<svg>` element, `label` being its name for those who cannot see it."""
    spec = chart.configure(
        background="transparent",
        font="sans-serif",
        padding={"left": 16, "right": 8, "top": 5, "bottom": 5},
        view=alt.ViewConfig(stroke=None),
        axis=alt.AxisConfig(
            labelColor=INK, titleColor=SOFT, gridColor=RULE, domainColor=RULE, tickColor=RULE,
            labelFontSize=12, titleFontSize=12, titleFontWeight="normal", labelLimit=190,
        ),
    ).to_dict()  # fmt: skip
    text = _NOISE.sub("", vl_convert.vegalite_to_svg(spec))
    text = _PLACEHOLDER.sub(lambda found: f"var(--{_NAMES[found.group()]})", text)
    named = f'<svg role="img" aria-label="{escape(label)}" '
    return Markup(text.replace("<svg ", named, 1))  # noqa: S704 - the library escapes every text in its drawing
