"""Edges as paths: width by strength, colour by sign, opacity by the probability that they exist."""

import math
from html import escape

from stages.contracts.graph import Edge
from stages.report.drawing.badge import badge
from stages.report.drawing.emphasis import Accent
from stages.report.drawing.ports import Ends
from stages.report.drawing.sketch import Arrow, Bend
from stages.report.drawing.wording import about_edge

_REACH = 30.0
_SIGNS = ("pos", "neg", "nil", "set")


def markers(name: str) -> str:
    """The arrow heads, one for each colour."""
    heads = "".join(
        f'<marker id="{name}-{sign}" class="{sign}" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="9" markerHeight="9" '
        'markerUnits="userSpaceOnUse" orient="auto-start-reverse"><path d="M0,.6L8,4L0,7.4z"/></marker>'
        for sign in (*_SIGNS, "bad")
    )
    return f"<defs>{heads}</defs>"


def arrow_svg(
    arrow: Arrow,
    ends: Ends,
    name: str,
    labels: dict[str, str],
    accent: Accent | None,
    badges: list[str],
    *,
    choice: bool,
) -> str:
    """The path of an edge; its badge goes to `badges`, which are drawn above everything. `choice`: it is no effect."""
    edge = arrow.edge
    sign = "set" if choice and not edge.bidirected else _sign(edge)
    width = 1.5 if sign == "set" else 1.2 + 4.3 * _within(abs(edge.mean or 0.0), 0.0, 1.0, 0.0)
    opacity = 0.3 + 0.7 * _within(edge.exists_probability, 0.0, 1.0, 1.0)
    path, middle = _path(ends, arrow.bends, loop=arrow.source == arrow.target)
    head = "bad" if accent and accent.look == "bad" else sign
    classes = f"e {sign}" + (" both" if edge.bidirected else "") + (f" {accent.look}" if accent else "")
    start = f' marker-start="url(#{name}-{head})"' if edge.bidirected else ""
    if accent and accent.badge:
        badges.append(badge(middle[0], middle[1], accent))
    shown = "" if accent or opacity >= 1 else f' opacity="{opacity:.2g}"'
    return (
        f'<path class="{classes}" d="{path}" stroke-width="{width:.2g}"{shown}{start} marker-end="url(#{name}-{head})">'
        f"<title>{escape(about_edge(edge, labels))}</title></path>"
    )


def _sign(edge: Edge) -> str:
    if edge.mean is None or edge.mean == 0 or math.isnan(edge.mean):
        return "nil"
    return "pos" if edge.mean > 0 else "neg"


def _within(value: float | None, low: float, high: float, otherwise: float) -> float:
    return otherwise if value is None or math.isnan(value) else min(max(value, low), high)


def _path(ends: Ends, bends: tuple[Bend, ...], *, loop: bool) -> tuple[str, tuple[float, float]]:
    x1, y1, side1, x2, y2, side2 = ends
    if side1 == side2:
        y1, y2 = (y1 - 8, y2 + 8) if loop else (y1, y2)
        reach = _REACH if loop else min(_REACH + abs(y2 - y1) / 12, 60)
        return f"M{x1:g},{y1:.0f}C{x1 + reach:.0f},{y1:.0f} {x2 + reach:.0f},{y2:.0f} {x2:g},{y2:.0f}", (
            x1 + reach * 0.75, (y1 + y2) / 2,
        )  # fmt: skip
    step = 1 if side1 == "right" else -1
    text = [f"M{x1:g},{y1:.0f}"]
    x, y = x1, y1
    for bend in bends:
        near, far = (bend.left, bend.right) if step > 0 else (bend.right, bend.left)
        pull = (near - x) / 2
        text.append(f"C{x + pull:.0f},{y:.0f} {near - pull:.0f},{bend.y:.0f} {near:g},{bend.y:.0f}H{far:g}")
        x, y = far, bend.y
    pull = (x2 - x) / 2
    text.append(f"C{x + pull:.0f},{y:.0f} {x2 - pull:.0f},{y2:.0f} {x2:g},{y2:.0f}")
    return "".join(text), ((x + x2) / 2 - 10 * step, (y + y2) / 2)
