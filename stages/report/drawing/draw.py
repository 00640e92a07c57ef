"""A draft graph as a sketch: a place for everything. A graph that breaks every rule can be drawn too."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from stages.contracts.graph import STRUCTURAL, DraftGraph, Edge, Node
from stages.report.drawing.arrows import arrow_of, ends_of
from stages.report.drawing.layout import Layout, Link, columns_of, layered
from stages.report.drawing.sketch import Box, Sketch
from stages.shell.numbers import parameter
from stages.shell.text import clip, visible, wrap

MAX_NODES = 150
MAX_EDGES = 300
"""More than these are not drawn: nobody could read them, and an answer must not be able to make a page huge."""
_KINDS = frozenset({"decision", "option", "factor", "outcome", "risk", "goal"})
_CATEGORIES = frozenset({"controllable", "observable", "external"})
_MARGIN = 14
_LINE = 15
_CAPTION = 24
_FOOT = 9
_LONGEST_LABEL = 6000
_MAX_INTERVENTIONS = 40


@dataclass(frozen=True, slots=True)
class _Shape:
    """The width of boxes in pixels and in characters, the lines of a label, the gap between boxes and, least and most, between columns."""

    width: int
    columns: int
    lines: int
    gap: float
    channel: tuple[int, int]


_ROOMY = _Shape(156, 21, 3, 16.0, (64, 180))
_CROWDED = _Shape(192, 26, 2, 9.0, (64, 180))
_COMPACT = _Shape(128, 17, 4, 12.0, (36, 90))
_CROWD = 14
"""Nodes in one column from which boxes are low and wide, so that the drawing does not become too tall."""
_PER_EDGE = 2.5
"""Pixels between two columns for each edge that passes."""


def draw_graph(graph: DraftGraph, *, compact: bool = False) -> Sketch:
    """A place for every node and edge of a graph, valid or not.

    Args:
        graph: What to draw.
        compact: Narrow boxes, for two drawings beside each other.
    """
    nodes, edges = graph.nodes[:MAX_NODES], _shown_edges(graph)
    absent = _absent(nodes, edges)
    keys = [*(node.id for node in nodes), *absent]
    position = {key: place for place, key in reversed(list(enumerate(keys)))}
    drawn = [(place, edge) for place, edge in edges if {edge.source, edge.target} <= position.keys()]
    links = [(position[edge.source], position[edge.target]) for _, edge in drawn]
    kinds = [*(node.kind for node in nodes), *("" for _ in absent)]
    columns = columns_of(kinds, (link for link, (_, edge) in zip(links, drawn, strict=True) if not edge.bidirected))
    shape = _CROWDED if max(Counter(columns).values(), default=0) > _CROWD else _COMPACT if compact else _ROOMY
    labels = [*(node.label or node.id for node in nodes), *absent]
    lines = [wrap(label, shape.columns, shape.lines) or ("(no label)",) for label in labels]
    heights = [_CAPTION + _LINE * len(text) + _FOOT for text in lines]
    layout = layered(columns, heights, links, gap=shape.gap)
    lefts, width = _lefts(columns, links, shape)
    names = {node.id: visible(node.label or node.id) for node in reversed(graph.nodes)}
    boxes = []
    for place, (key, column, height, centre) in enumerate(zip(keys, columns, heights, layout.centres, strict=True)):
        node = nodes[place] if place < len(nodes) else None
        boxes.append(
            Box(
                key=key,
                node=place if node else None,
                x=lefts[column],
                y=round(_MARGIN + centre - height / 2),
                width=shape.width,
                height=height,
                look=_look(node),
                caption=_caption(node) if node else "not in the graph",
                lines=lines[place],
                about=_about(node, names) if node else f"{clip(key, 200)}: edges name it, but there is no such node",
            )
        )
    passed = [_passed(link, columns, lefts, layout) for link in links]
    arrows = [
        arrow_of(
            place,
            edge,
            ends,
            bends,
            names,
            loop=link[0] == link[1],
            choice=(kinds[link[0]], kinds[link[1]]) in STRUCTURAL,
        )
        for (place, edge), link, bends, ends in zip(drawn, links, passed, ends_of(links, passed, boxes), strict=True)
    ]
    return Sketch(
        boxes=tuple(boxes),
        arrows=tuple(arrows),
        width=width,
        height=round(layout.height) + 2 * _MARGIN,
        note=_note(graph, len(nodes), len(drawn)),
    )


def _shown_edges(graph: DraftGraph) -> list[tuple[int, Edge]]:
    """The first edges that join drawn nodes (or absent ones), with their positions."""
    hidden = {node.id for node in graph.nodes[MAX_NODES:]} - {node.id for node in graph.nodes[:MAX_NODES]}
    shown = [(place, edge) for place, edge in enumerate(graph.edges) if not {edge.source, edge.target} & hidden]
    return shown[:MAX_EDGES]


def _absent(nodes: Sequence[Node], edges: Sequence[tuple[int, Edge]]) -> list[str]:
    """The ids that edges name although there is no such node."""
    there = {node.id for node in nodes}
    ends = dict.fromkeys(end for _, edge in edges for end in (edge.source, edge.target) if end not in there)
    return list(ends)[: max(2 * MAX_NODES - len(nodes), 0)]


def _lefts(columns: Sequence[int], links: Sequence[Link], shape: _Shape) -> tuple[list[int], int]:
    """The left edge of every column, and the total width, with room at the right for edges within the last column."""
    last = max(columns, default=0)
    passing: Counter[int] = Counter()
    for source, target in links:
        passing.update(range(*sorted((columns[source], columns[target]))))
    least, most = shape.channel
    lefts = [_MARGIN]
    for column in range(last):
        lefts.append(lefts[-1] + shape.width + round(min(max(least, 40 + _PER_EDGE * passing[column]), most)))
    within = any(columns[source] == columns[target] == last for source, target in links)
    return lefts, lefts[-1] + shape.width + _MARGIN + (32 if within else 0)


def _passed(link: Link, columns: Sequence[int], lefts: Sequence[int], layout: Layout) -> list[tuple[int, float]]:
    """The columns that an edge passes on its way, in its direction: their left edges and the height there."""
    source, target = link
    first, last = sorted((columns[source], columns[target]))
    heights = layout.bends.get(link) or layout.bends.get((target, source)) or ()
    bends = [(lefts[column], _MARGIN + height) for column, height in zip(range(first + 1, last), heights, strict=False)]
    return bends if columns[source] <= columns[target] else bends[::-1]


def _look(node: Node | None) -> str:
    if node is None:
        return "n absent"
    kind = node.kind if node.kind in _KINDS else "other"
    return f"n {kind} {node.category}" if node.category in _CATEGORIES else f"n {kind}"


def _caption(node: Node) -> str:
    kind = clip(node.kind, 14) or "no kind"
    return f"{kind} · {clip(node.category, 14)}" if node.category else kind


def _about(node: Node, names: Mapping[str, str]) -> str:
    """The whole label, the id, the threshold of a goal, and what an option sets."""
    text = [f"{_caption(node)}: {clip(node.label or '', _LONGEST_LABEL) or '(no label)'}", f"id {clip(node.id, 200)}"]
    threshold = node.goal_threshold
    if threshold is not None:
        text.append(f"threshold {clip(threshold, 100) if isinstance(threshold, str) else parameter(threshold)}")
    if node.interventions:
        settings = sorted(node.interventions.items())
        text.append("sets")
        text += [
            f"  {clip(names.get(key) or key, 80)} = {parameter(value)}" for key, value in settings[:_MAX_INTERVENTIONS]
        ]
        if len(settings) > _MAX_INTERVENTIONS:
            text.append(f"  and {len(settings) - _MAX_INTERVENTIONS} more")
    return "\n".join(text)


def _note(graph: DraftGraph, nodes: int, edges: int) -> str:
    if nodes == len(graph.nodes) and edges == len(graph.edges):
        return ""
    return (
        f"The drawing shows {nodes:,} of {len(graph.nodes):,} nodes and {edges:,} of {len(graph.edges):,} edges; "
        "more could not be read."
    )
