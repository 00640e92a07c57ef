"""A sketch as inline SVG: real text, colours from the page's style sheet, so that it suits light, dark and print."""

from typing import NamedTuple

from markupsafe import Markup, escape

from stages.contracts.graph import DraftGraph
from stages.report.drawing.boxes import box_svg
from stages.report.drawing.emphasis import NONE, Emphasis
from stages.report.drawing.ports import ports
from stages.report.drawing.sketch import Sketch, sketch
from stages.report.drawing.strokes import arrow_svg, markers
from stages.report.drawing.wording import STRUCTURAL
from stages.report.visible_text import visible


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
        markers(name),
    ]
    badges: list[str] = []
    for arrow, ends in zip(plan.arrows, ports(plan), strict=True):
        choice = (kinds[arrow.source], kinds[arrow.target]) in STRUCTURAL
        parts.append(arrow_svg(arrow, ends, name, labels, emphasis.edges.get(arrow.position), badges, choice=choice))
    for index, box in enumerate(plan.boxes):
        accent = emphasis.absent.get(box.key) if box.position is None else emphasis.nodes.get(box.position)
        parts.append(box_svg(box, index, name, labels, accent))
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
