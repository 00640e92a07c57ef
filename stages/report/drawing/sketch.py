"""Sketch: a drafted graph with a place for everything, ready to be drawn. Whatever is wrong with the graph, it has a sketch."""

from typing import NamedTuple

from stages.contracts.draft_graph import DraftGraph, Edge, Node
from stages.report.drawing.columns import columns
from stages.report.drawing.layout import Layout, layered
from stages.report.visible_text import visible, wrapped

MAX_NODES = 150
MAX_EDGES = 300
"""More than these are not drawn: nobody could read them, and an answer must not be able to make a page huge."""

WIDTH = 156
CHANNEL = 68
MARGIN = 14
_LABEL_COLUMNS = 21
_LABEL_LINES = 3
LINE = 15
CAPTION = 24
_FOOT = 9
_GAP = 16.0


class Box(NamedTuple):
    """One node's place: left edge, top edge, height; `node` is None where an edge names a node that is not there."""

    key: str
    position: int | None
    node: Node | None
    lines: tuple[str, ...]
    x: int
    y: float
    height: int


class Arrow(NamedTuple):
    """One edge: its position in the graph, the boxes it joins, and the points it passes from the source to the target."""

    position: int
    edge: Edge
    source: int
    target: int
    bends: tuple[tuple[float, float], ...]


class Sketch(NamedTuple):
    """Everything that is drawn. `left_out` counts the nodes and edges that are not."""

    boxes: tuple[Box, ...]
    arrows: tuple[Arrow, ...]
    width: int
    height: int
    left_out: tuple[int, int]


def sketch(graph: DraftGraph) -> Sketch:
    """Place a graph's nodes in columns by kind and its edges between them."""
    nodes = graph.nodes[:MAX_NODES]
    at: dict[str, int] = {}
    for position, node in enumerate(nodes):
        at.setdefault(node.id, position)
    hidden = {node.id for node in graph.nodes[MAX_NODES:]} - at.keys()
    candidates = [
        (position, edge)
        for position, edge in enumerate(graph.edges)
        if edge.source not in hidden and edge.target not in hidden
    ][:MAX_EDGES]
    absent: dict[str, int] = {}
    for _, edge in candidates:
        for end in (edge.source, edge.target):
            if end not in at and len(nodes) + len(absent) < 2 * MAX_NODES:
                absent.setdefault(end, len(nodes) + len(absent))
    where = {**absent, **at}
    drawn = [
        (position, edge, where[edge.source], where[edge.target])
        for position, edge in candidates
        if edge.source in where and edge.target in where
    ]
    labels = [visible(node.label or node.id) for node in nodes] + [visible(key) for key in absent]
    texts = [wrapped(label, _LABEL_COLUMNS, _LABEL_LINES) or ("(no label)",) for label in labels]
    heights = [CAPTION + LINE * len(text) + _FOOT for text in texts]
    directed = [(source, target) for _, edge, source, target in drawn if not edge.bidirected]
    ranks = columns([node.kind for node in nodes] + [None] * len(absent), directed)
    layout = layered(ranks, heights, [(source, target) for _, _, source, target in drawn], gap=_GAP)
    keys = [node.id for node in nodes] + list(absent)
    boxes = tuple(
        Box(
            key=keys[index],
            position=index if index < len(nodes) else None,
            node=nodes[index] if index < len(nodes) else None,
            lines=texts[index],
            x=MARGIN + ranks[index] * (WIDTH + CHANNEL),
            y=round(MARGIN + layout.centres[index] - heights[index] / 2),
            height=heights[index],
        )
        for index in range(len(keys))
    )
    arrows = tuple(
        Arrow(position, edge, source, target, _bends(source, target, ranks, layout))
        for position, edge, source, target in drawn
    )
    across = max(ranks, default=0) + 1
    return Sketch(
        boxes=boxes,
        arrows=arrows,
        width=2 * MARGIN + across * WIDTH + (across - 1) * CHANNEL + _side_room(arrows, ranks, across),
        height=round(layout.height) + 2 * MARGIN,
        left_out=(len(graph.nodes) - len(nodes), len(graph.edges) - len(drawn)),
    )


def _bends(source: int, target: int, ranks: tuple[int, ...], layout: Layout) -> tuple[tuple[float, float], ...]:
    left, right = min(ranks[source], ranks[target]), max(ranks[source], ranks[target])
    heights = layout.bends.get((source, target)) or layout.bends.get((target, source)) or ()
    points = tuple(
        (MARGIN + column * (WIDTH + CHANNEL), MARGIN + height)
        for column, height in zip(range(left + 1, right), heights, strict=False)
    )
    return points if ranks[source] <= ranks[target] else points[::-1]


def _side_room(arrows: tuple[Arrow, ...], ranks: tuple[int, ...], across: int) -> int:
    """Room at the right for edges within the last column."""
    last = any(ranks[arrow.source] == ranks[arrow.target] == across - 1 for arrow in arrows)
    return CHANNEL // 2 if last else 0
