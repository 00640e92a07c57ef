"""A sketch as inline SVG: real text, colours from the page's style sheet, so that it suits light, dark and print."""

import math
from typing import NamedTuple

from markupsafe import Markup, escape

from stages.contracts.draft_graph import DraftGraph, Edge
from stages.report.drawing.emphasis import NONE, Accent, Emphasis
from stages.report.drawing.ports import Ends, ports
from stages.report.drawing.sketch import CAPTION, LINE, WIDTH, Arrow, Box, Sketch, sketch
from stages.report.drawing.wording import STRUCTURAL, about_edge, about_node, caption
from stages.report.visible_text import cut, visible

_KINDS = frozenset({"decision", "option", "factor", "outcome", "risk", "goal"})
_CATEGORIES = frozenset({"controllable", "observable", "external"})
_REACH = 30.0
_SIGNS = ("pos", "neg", "nil", "set")


class Drawing(NamedTuple):
    """An `<svg>` element, empty when there is nothing to draw, and what it does not show, in a sentence or empty."""

    svg: Markup
    note: str


def drawn(graph: DraftGraph, *, name: str, title: str, emphasis: Emphasis = NONE) -> Drawing:
    """A graph as one `<svg>` element; none when the graph has neither nodes nor edges.

    Args:
        graph: What to draw: valid or not.
        name: Prefix of the element ids, unique on the page: letters, digits and `-`.
        title: The name of the drawing for those who cannot see it.
        emphasis: What stands out.
    """
    plan = sketch(graph)
    if not plan.boxes:
        return Drawing(Markup(""), "")
    labels = {node.id: visible(node.label or node.id) for node in graph.nodes}
    kinds = [box.node.kind if box.node else "" for box in plan.boxes]
    parts = [
        f'<svg class="graph" xmlns="http://www.w3.org/2000/svg" width="{plan.width}" height="{plan.height}" '
        f'viewBox="0 0 {plan.width} {plan.height}" role="img" aria-label="{escape(visible(title))}">',
        _markers(name),
    ]
    badges: list[str] = []
    for arrow, ends in zip(plan.arrows, ports(plan), strict=True):
        choice = (kinds[arrow.source], kinds[arrow.target]) in STRUCTURAL
        parts.append(_arrow(arrow, ends, name, labels, emphasis.edges.get(arrow.position), badges, choice=choice))
    for index, box in enumerate(plan.boxes):
        accent = emphasis.absent.get(box.key) if box.position is None else emphasis.nodes.get(box.position)
        parts.append(_box(box, index, name, labels, accent))
    svg = Markup("".join([*parts, *badges, "</svg>"]))  # noqa: S704 - every text in the parts is escaped where it enters
    return Drawing(svg, _note(graph, plan))


def _note(graph: DraftGraph, plan: Sketch) -> str:
    nodes, edges = plan.left_out
    if not nodes and not edges:
        return ""
    return (
        f"The drawing shows {len(graph.nodes) - nodes:,} of {len(graph.nodes):,} nodes and "
        f"{len(graph.edges) - edges:,} of {len(graph.edges):,} edges; more could not be read."
    )


def _markers(name: str) -> str:
    heads = "".join(
        f'<marker id="{name}-{sign}" class="{sign}" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="9" markerHeight="9" '
        'markerUnits="userSpaceOnUse" orient="auto-start-reverse"><path d="M0,.6L8,4L0,7.4z"/></marker>'
        for sign in (*_SIGNS, "bad")
    )
    return f"<defs>{heads}</defs>"


def _sign(edge: Edge) -> str:
    if edge.mean is None or edge.mean == 0 or math.isnan(edge.mean):
        return "nil"
    return "pos" if edge.mean > 0 else "neg"


def _within(value: float | None, low: float, high: float, otherwise: float) -> float:
    return otherwise if value is None or math.isnan(value) else min(max(value, low), high)


def _arrow(
    arrow: Arrow,
    ends: Ends,
    name: str,
    labels: dict[str, str],
    accent: Accent | None,
    badges: list[str],
    *,
    choice: bool,
) -> str:
    edge = arrow.edge
    sign = "set" if choice and not edge.bidirected else _sign(edge)
    width = 1.5 if sign == "set" else 1.2 + 4.3 * _within(abs(edge.mean or 0.0), 0.0, 1.0, 0.0)
    opacity = 0.3 + 0.7 * _within(edge.exists_probability, 0.0, 1.0, 1.0)
    path, middle = _path(ends, arrow.bends, loop=arrow.source == arrow.target)
    head = "bad" if accent and accent.look == "bad" else sign
    classes = f"e {sign}" + (" both" if edge.bidirected else "") + (f" {accent.look}" if accent else "")
    start = f' marker-start="url(#{name}-{head})"' if edge.bidirected else ""
    if accent and accent.badge:
        badges.append(_badge(middle[0], middle[1], accent))
    shown = "" if accent or opacity >= 1 else f' opacity="{opacity:.2g}"'
    return (
        f'<path class="{classes}" d="{path}" stroke-width="{width:.2g}"{shown}{start} marker-end="url(#{name}-{head})">'
        f"<title>{escape(about_edge(edge, labels))}</title></path>"
    )


def _path(ends: Ends, bends: tuple[tuple[float, float], ...], *, loop: bool) -> tuple[str, tuple[float, float]]:
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
    for bend_x, bend_y in bends:
        near, far = (bend_x, bend_x + WIDTH) if step > 0 else (bend_x + WIDTH, bend_x)
        pull = (near - x) / 2
        text.append(f"C{x + pull:.0f},{y:.0f} {near - pull:.0f},{bend_y:.0f} {near:g},{bend_y:.0f}H{far:g}")
        x, y = far, bend_y
    pull = (x2 - x) / 2
    text.append(f"C{x + pull:.0f},{y:.0f} {x2 - pull:.0f},{y2:.0f} {x2:g},{y2:.0f}")
    return "".join(text), ((x + x2) / 2 - 10 * step, (y + y2) / 2)


def _badge(x: float, y: float, accent: Accent) -> str:
    half = 8 + 3 * max(len(accent.badge) - 1, 0)
    return (
        f'<g class="badge {accent.look}"><rect x="{x - half:.0f}" y="{y - 8:.0f}" width="{2 * half}" height="16" rx="8"/>'
        f'<text x="{x:.0f}" y="{y + 4:.0f}">{escape(accent.badge)}</text></g>'
    )


def _box(box: Box, index: int, name: str, labels: dict[str, str], accent: Accent | None) -> str:
    node = box.node
    classes = ["n"]
    if node is None:
        classes.append("absent")
    else:
        classes += [node.kind] if node.kind in _KINDS else ["other"]
        classes += [node.category] if node.category in _CATEGORIES else []
    classes += [accent.look] if accent else []
    lines = "".join(
        f'<text x="{box.x + 12}" y="{box.y + CAPTION + 9 + LINE * row:.0f}">{escape(line)}</text>'
        for row, line in enumerate(box.lines)
    )
    about = (
        about_node(node, labels) if node else f"{cut(visible(box.key), 200)}: edges name it, but there is no such node"
    )
    badge = _badge(box.x + WIDTH - 6, box.y + 2, accent) if accent and accent.badge else ""
    return (
        f'<g class="{" ".join(classes)}" id="{name}-n{index}"><title>{escape(about)}</title>'
        f'<rect x="{box.x}" y="{box.y:.0f}" width="{WIDTH}" height="{box.height}" rx="5"/>'
        f'<path class="bar" d="M{box.x + 3},{box.y + 6:.0f}v{box.height - 12}"/>'
        f'<text class="c" x="{box.x + 12}" y="{box.y + 16:.0f}">{escape(caption(node))}</text>{lines}{badge}</g>'
    )
