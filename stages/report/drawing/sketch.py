"""Sketch: a drafted graph with a place for everything, ready to be drawn. Whatever is wrong with the graph, it has a sketch."""

from collections import Counter
from typing import NamedTuple

from stages.contracts.graph import DraftGraph, Edge, Node
from stages.report.drawing.columns import columns
from stages.report.drawing.layout import Layout, layered
from stages.report.visible_text import visible, wrapped

MAX_NODES = 150
MAX_EDGES = 300
"""More than these are not drawn: nobody could read them, and an answer must not be able to make a page huge."""

CHANNEL = (64, 180)
"""Between two columns, the least and the most; it grows with the number of edges that pass."""
_PER_EDGE = 2.5
MARGIN = 14
LINE = 15
CAPTION = 24
_FOOT = 9


class Shape(NamedTuple):
    """How wide boxes are, in pixels and in characters of a label, how many lines a label has, and the gap between boxes."""

    width: int
    columns: int
    lines: int
    gap: float


_ROOMY = Shape(156, 21, 3, 16.0)
_CROWDED = Shape(192, 26, 2, 9.0)
_CROWD = 14
"""Nodes in one column from which boxes are low and wide, so that the drawing does not become too tall."""


class Box(NamedTuple):
    """One node's place: left edge, top edge, width, height; `node` is None where an edge names a node that is not there."""

    key: str
    position: int | None
    node: Node | None
    lines: tuple[str, ...]
    x: int
    y: float
    width: int
    height: int


class Bend(NamedTuple):
    """Where an edge passes a column: from the left edge of the column to its right edge, at one height."""

    left: int
    right: int
    y: float


class Arrow(NamedTuple):
    """One edge: its position in the graph, the boxes it joins, and the bends on its way from the source to the target."""

    position: int
    edge: Edge
    source: int
    target: int
    bends: tuple[Bend, ...]


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
    directed = [(source, target) for _, edge, source, target in drawn if not edge.bidirected]
    ranks = columns([node.kind for node in nodes] + [None] * len(absent), directed)
    shape = _CROWDED if max(Counter(ranks).values(), default=0) > _CROWD else _ROOMY
    texts = [wrapped(label, shape.columns, shape.lines) or ("(no label)",) for label in labels]
    heights = [CAPTION + LINE * len(text) + _FOOT for text in texts]
    layout = layered(ranks, heights, [(source, target) for _, _, source, target in drawn], gap=shape.gap)
    lefts, width = _lefts(ranks, drawn, shape.width)
    keys = [node.id for node in nodes] + list(absent)
    boxes = tuple(
        Box(
            key=keys[index],
            position=index if index < len(nodes) else None,
            node=nodes[index] if index < len(nodes) else None,
            lines=texts[index],
            x=lefts[ranks[index]],
            y=round(MARGIN + layout.centres[index] - heights[index] / 2),
            width=shape.width,
            height=heights[index],
        )
        for index in range(len(keys))
    )
    arrows = tuple(
        Arrow(position, edge, source, target, _bends(source, target, ranks, lefts, shape.width, layout))
        for position, edge, source, target in drawn
    )
    return Sketch(
        boxes=boxes,
        arrows=arrows,
        width=width,
        height=round(layout.height) + 2 * MARGIN,
        left_out=(len(graph.nodes) - len(nodes), len(graph.edges) - len(drawn)),
    )


def _bends(
    source: int, target: int, ranks: tuple[int, ...], lefts: list[int], width: int, layout: Layout
) -> tuple[Bend, ...]:
    first, last = sorted((ranks[source], ranks[target]))
    heights = layout.bends.get((source, target)) or layout.bends.get((target, source)) or ()
    bends = tuple(
        Bend(lefts[column], lefts[column] + width, MARGIN + height)
        for column, height in zip(range(first + 1, last), heights, strict=False)
    )
    return bends if ranks[source] <= ranks[target] else bends[::-1]


def _lefts(ranks: tuple[int, ...], drawn: list[tuple[int, Edge, int, int]], box: int) -> tuple[list[int], int]:
    """The left edge of every column, and the width of the whole with room at the right for edges within the last column."""
    last = max(ranks, default=0)
    passing = [0] * (last + 1)
    within = False
    for _, _, source, target in drawn:
        first, second = sorted((ranks[source], ranks[target]))
        within |= first == second == last
        for column in range(first, second):
            passing[column] += 1
    lefts = [MARGIN]
    for edges in passing[:-1]:
        least, most = CHANNEL
        lefts.append(lefts[-1] + box + round(min(max(least, 40 + _PER_EDGE * edges), most)))
    return lefts, lefts[-1] + box + MARGIN + (CHANNEL[0] // 2 if within else 0)
