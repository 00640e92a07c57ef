"""Layout: how high every node of a layered drawing stands, and where its long edges pass the columns in between.

The library `grandalf` orders each column for few crossings and aligns the nodes (Sugiyama's method, after Brandes and Köpf).
The columns themselves are ours, so the layout is told them. It draws from top to bottom; we turn its axes, so that its
"x" is the height in ours.
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from grandalf.graphs import Edge, Graph, Vertex
from grandalf.layouts import Layer, SugiyamaLayout

ROUNDS = 2.5
"""Rounds of ordering; more find hardly fewer crossings in graphs of the size that is allowed."""
_BEND = 14.0

Link = tuple[int, int]


class Layout(NamedTuple):
    """Heights of the nodes' centres from the top, those of the bends of each link from its left to its right end, and the total."""

    centres: tuple[float, ...]
    bends: dict[Link, tuple[float, ...]]
    height: float


class _View:
    def __init__(self, extent: float) -> None:
        self.w = extent
        self.h = 1.0
        self.xy = (0.0, 0.0)


class _Edge(Edge):  # type: ignore[misc]
    """The library keeps edges in sets: hashed by what they join, they come out of them in the same order every time."""

    def __hash__(self) -> int:
        return hash(self.data)


class _Columns(SugiyamaLayout):  # type: ignore[misc]
    """The library's layout with columns that are given instead of computed."""

    def take(self, columns: dict[int, int]) -> None:
        """Put every vertex into its column and the bends of long edges into the columns between."""
        self.alt_e: list[Edge] = []
        self.layers = [Layer() for _ in range(max(columns.values()) + 1)]
        for vertex in self.g.V():
            self.grx[vertex].rank = columns[vertex.data]
            self.layers[columns[vertex.data]].append(vertex)
        for edge in self.g.E():
            self.setdummies(edge)
        for layer in self.layers:
            layer.setup(self)
        self.initdone = True


def layered(columns: Sequence[int], extents: Sequence[float], links: Iterable[Link], *, gap: float) -> Layout:
    """Place the nodes of each column below one another, near what they are linked to, none upon another.

    Args:
        columns: The column of every node.
        extents: How tall every node is.
        links: Pairs of nodes, in any direction; those within a column are left to whoever draws them.
        gap: The least distance between two neighbours of a column.
    """
    across = sorted({_rightwards(link, columns) for link in links if columns[link[0]] != columns[link[1]]})
    vertices = [Vertex(index) for index in range(len(columns))]
    for vertex, extent in zip(vertices, extents, strict=True):
        vertex.view = _View(extent)
    edges = [_Edge(vertices[source], vertices[target], data=(source, target)) for source, target in across]
    centres = [0.0] * len(columns)
    bends: dict[Link, tuple[float, ...]] = {}
    top = 0.0
    for component in sorted(Graph(vertices, edges).C, key=lambda part: (-len(part.sV), min(v.data for v in part.sV))):
        top = _place(component, columns, gap, top, centres, bends) + gap
    return Layout(tuple(centres), bends, max(top - gap, 0.0))


def _rightwards(link: Link, columns: Sequence[int]) -> Link:
    source, target = link
    return link if columns[source] < columns[target] else (target, source)


def _place(
    component: object,
    columns: Sequence[int],
    gap: float,
    top: float,
    centres: list[float],
    bends: dict[Link, tuple[float, ...]],
) -> float:
    """Lay out one connected part below `top`; returns how far down it reaches."""
    layout = _Columns(component)
    layout.xspace, layout.dw = gap, _BEND
    members = [vertex.data for vertex in layout.g.V()]
    dense = {column: place for place, column in enumerate(sorted({columns[member] for member in members}))}
    layout.take({member: dense[columns[member]] for member in members})
    layout.draw(ROUNDS)
    for layer in layout.layers:
        _spread(layer, layout, gap)
    lowest = min(item.view.xy[0] - item.view.w / 2 for layer in layout.layers for item in layer)
    shift = top - lowest
    for vertex in layout.g.V():
        centres[vertex.data] = round(vertex.view.xy[0] + shift, 1)
    for edge in layout.g.E():
        passed = layout.ctrls.get(edge, {})
        inner = sorted(passed)[1:-1]
        bends[edge.data] = tuple(round(passed[rank].view.xy[0] + shift, 1) for rank in inner)
    return float(max(item.view.xy[0] + item.view.w / 2 for layer in layout.layers for item in layer) + shift)


def _spread(layer: Layer, layout: SugiyamaLayout, gap: float) -> None:
    """Push apart what the library left too close, keeping its order and its middle."""
    items = sorted(layer, key=lambda item: layout.grx[item].pos)
    wanted = [item.view.xy[0] for item in items]
    placed: list[float] = []
    for index, item in enumerate(items):
        at = wanted[index]
        if index:
            before = items[index - 1]
            room = gap if not (layout.grx[item].dummy and layout.grx[before].dummy) else 0.0
            at = max(at, placed[-1] + (before.view.w + item.view.w) / 2 + room)
        placed.append(at)
    drift = sum(placed) / len(placed) - sum(wanted) / len(wanted)
    for item, at in zip(items, placed, strict=True):
        item.view.xy = (at - drift, item.view.xy[1])
