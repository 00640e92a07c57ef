"""Layout: the column of every node, its height within the column, and where long edges pass the columns in between.

Columns are read from left to right: decision, options, factors, outcomes and risks, goal. Within the columns the library
`grandalf` orders the nodes for few crossings and aligns them (Sugiyama's method, after Brandes and Köpf). It draws from top
to bottom, so its "x" is our height.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from grandalf.graphs import Edge, Graph, Vertex, graph_core
from grandalf.layouts import Layer, SugiyamaLayout

MAX_FACTOR_COLUMNS = 4
"""Longer chains of factors share the last of these columns."""
_GROUPS = {"decision": 0, "option": 1, "factor": 2, "outcome": 3, "risk": 3, "goal": 4}
_FACTORS = 2
"""The group of factors, and of kinds that nobody knows."""
_ROUNDS = 2.5
"""Rounds of ordering; more find hardly fewer crossings in graphs of the size that is allowed."""
_BEND = 14.0
"""The height that a passing edge takes in a column."""

Link = tuple[int, int]
"""An edge as the positions of the two nodes that it joins."""


def columns_of(kinds: Sequence[str | None], links: Iterable[Link]) -> list[int]:
    """The column of every node, from 0 and without empty columns.

    A factor is one column to the right of the factors that act on it, so that influence flows to the right wherever it can.

    Args:
        kinds: The kind of every node.
        links: Directed edges as positions in `kinds`; cycles are allowed.

    >>> columns_of(["goal", "factor", "factor", "decision"], [(1, 2), (2, 0)])
    [3, 1, 2, 0]
    """
    groups = [_GROUPS.get(kind or "", _FACTORS) for kind in kinds]
    chains = [(a, b) for a, b in links if a != b and groups[a] == groups[b] == _FACTORS]
    depths = [0] * len(groups)
    for _ in range(MAX_FACTOR_COLUMNS - 1):  # so that a cycle ends in the last column
        before = depths
        depths = [0] * len(groups)
        for source, target in chains:
            depths[target] = max(depths[target], before[source] + 1)
    places = list(zip(groups, depths, strict=True))
    order = {place: index for index, place in enumerate(sorted(set(places)))}
    return [order[place] for place in places]


@dataclass(frozen=True, slots=True)
class Layout:
    """Heights of the nodes' centres from the top, those of the bends of each link from left to right, and the total height."""

    centres: list[float]
    bends: dict[Link, list[float]]
    height: float


def layered(columns: Sequence[int], extents: Sequence[float], links: Iterable[Link], *, gap: float) -> Layout:
    """Place the nodes of each column below one another, near what they are linked to, without overlaps.

    Args:
        columns: The column of every node.
        extents: The height of every node.
        links: Pairs of nodes, in any direction; those within a column do not affect the layout.
        gap: The least distance between two neighbours of a column.
    """
    across = sorted({(a, b) if columns[a] < columns[b] else (b, a) for a, b in links if columns[a] != columns[b]})
    vertices = [Vertex(index) for index in range(len(columns))]
    for vertex, extent in zip(vertices, extents, strict=True):
        vertex.view = _View(extent)
    edges = [_Edge(vertices[source], vertices[target], data=(source, target)) for source, target in across]
    layout = Layout([0.0] * len(columns), {}, 0.0)
    top = 0.0
    for part in sorted(Graph(vertices, edges).C, key=lambda part: (-len(part.sV), min(v.data for v in part.sV))):
        top = _place(_Columns(part, columns, gap), top, layout) + gap
    return Layout(layout.centres, layout.bends, max(top - gap, 0.0))


class _View:
    """The size and place of a vertex, as the library wants them."""

    def __init__(self, extent: float) -> None:
        self.w = extent
        self.h = 1.0
        self.xy = (0.0, 0.0)


class _Edge(Edge):  # type: ignore[misc]
    """The library keeps edges in sets; hashed by their ends they are iterated in the same order every time."""

    def __hash__(self) -> int:
        return hash(self.data)


class _Columns(SugiyamaLayout):  # type: ignore[misc]
    """The library's layout of one connected part, with columns that are given instead of computed."""

    def __init__(self, part: graph_core, columns: Sequence[int], gap: float) -> None:
        super().__init__(part)
        self.xspace, self.dw = gap, _BEND
        self.alt_e: list[Edge] = []
        vertices = list(part.V())
        ranks = {column: rank for rank, column in enumerate(sorted({columns[vertex.data] for vertex in vertices}))}
        self.layers = [Layer() for _ in ranks]
        for vertex in vertices:
            rank = self.grx[vertex].rank = ranks[columns[vertex.data]]
            self.layers[rank].append(vertex)
        for edge in part.E():
            self.setdummies(edge)
        for layer in self.layers:
            layer.setup(self)

    def spread(self, layer: Layer) -> None:
        """Push apart the vertices that the library left too close, keeping their order and their mean height."""
        items = sorted(layer, key=lambda item: self.grx[item].pos)
        placed: list[float] = []
        for before, item in zip([None, *items], items, strict=False):
            at = item.view.xy[0]
            if before is not None:
                room = 0.0 if self.grx[item].dummy and self.grx[before].dummy else self.xspace
                at = max(at, placed[-1] + (before.view.w + item.view.w) / 2 + room)
            placed.append(at)
        drift = (sum(placed) - sum(item.view.xy[0] for item in items)) / len(items)
        for item, at in zip(items, placed, strict=True):
            item.view.xy = (at - drift, 0.0)


def _place(part: _Columns, top: float, into: Layout) -> float:
    """Lay out one connected part below `top`; returns its lower end."""
    part.draw(_ROUNDS)
    for layer in part.layers:
        part.spread(layer)
    views = [item.view for layer in part.layers for item in layer]
    shift = top - min(view.xy[0] - view.w / 2 for view in views)
    for vertex in part.g.V():
        into.centres[vertex.data] = vertex.view.xy[0] + shift
    for edge in part.g.E():
        passed = part.ctrls.get(edge, {})
        into.bends[edge.data] = [passed[rank].view.xy[0] + shift for rank in sorted(passed)[1:-1]]
    return float(max(view.xy[0] + view.w / 2 for view in views) + shift)
