"""Layout: the column of every node, its place within the column, and the path of every edge.

Columns are read from left to right: decision, options, factors, outcomes and risks, goal. Within
the columns the library `grandalf` orders the nodes for few crossings and aligns them (Sugiyama's
method, after Brandes and Köpf). It draws from top to bottom, so its "x" is our height.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from types import SimpleNamespace
from typing import TypeAlias

from grandalf.graphs import Edge, Graph, Vertex, graph_core
from grandalf.layouts import Layer, SugiyamaLayout

MAX_FACTOR_COLUMNS = 4
"""Longer chains of factors share the last of these columns."""
GAP = 12.0
"""Pixels between two boxes of a column, at least."""
_GROUPS = {"decision": 0, "option": 1, "factor": 2, "outcome": 3, "risk": 3, "goal": 4}
_FACTORS = 2
"""The group of factors, and of kinds that nobody knows."""
_MARGIN = 14
_ROUNDS = 2.5
"""Rounds of ordering; more find hardly fewer crossings in graphs of the size that is allowed."""
_BEND = 14.0
"""The height that a passing edge takes in a column."""
_CHANNEL, _WIDEST_CHANNEL = 40, 120
"""Pixels between two columns: without edges, one more for each edge, and at most."""
_STEP = 9.0
"""The distance between two arrows at the side of a box, at most."""
_CORNER = 9.0
_ASIDE = 32
"""How far arrows within a column reach to its right, and the room for them in the last one."""

Link: TypeAlias = tuple[int, int]
"""An edge as the positions of the two nodes that it joins."""
Point: TypeAlias = tuple[float, float]
Route: TypeAlias = tuple[str, Point]
"""The path of an arrow, in the words of SVG, and the place on it for a badge."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a box is, in pixels from the left and from the top."""

    x: int
    y: int
    width: int
    height: int

    @property
    def middle(self) -> float:
        """The height of its centre."""
        return self.y + self.height / 2


@dataclass(frozen=True, slots=True)
class Layout:
    """The place of every node, the route of every edge, and the size of the whole."""

    places: list[Place]
    routes: list[Route]
    width: int
    height: int


def columns_of(kinds: Sequence[str], links: Iterable[Link]) -> list[int]:
    """The column of every node, from 0 and without empty columns.

    `links` are directed edges as positions in `kinds`, cycles allowed. A factor is one column to
    the right of the factors that act on it, so that influence flows to the right wherever it can.

    >>> columns_of(["goal", "factor", "factor", "decision"], [(1, 2), (2, 0)])
    [3, 1, 2, 0]
    """
    groups = [_GROUPS.get(kind, _FACTORS) for kind in kinds]
    places = list(zip(groups, _factor_depths(groups, links), strict=True))
    columns = {place: column for column, place in enumerate(sorted(set(places)))}
    return [columns[place] for place in places]


def _factor_depths(groups: Sequence[int], links: Iterable[Link]) -> list[int]:
    """How many factors act on a factor one after another; in a cycle, the most that is allowed."""
    chains = [(a, b) for a, b in links if a != b and groups[a] == groups[b] == _FACTORS]
    depths = [0] * len(groups)
    for _ in range(MAX_FACTOR_COLUMNS - 1):
        before = depths
        depths = [0] * len(groups)
        for source, target in chains:
            depths[target] = max(depths[target], before[source] + 1)
    return depths


def lay_out(
    columns: Sequence[int], heights: Sequence[int], links: Sequence[Link], width: int
) -> Layout:
    """Place the nodes of each column below one another, near what they are linked to, without
    overlaps.

    `heights` are those of the boxes, which have one `width`; links within a column do not affect
    the places.
    """
    centres, bends = _heights_of(columns, heights, links)
    # More edges need more room between the columns.
    channel = min(_CHANNEL + len(links), _WIDEST_CHANNEL)
    lefts = [_MARGIN + (width + channel) * column for column in range(max(columns, default=0) + 1)]
    places = []
    for column, height, centre in zip(columns, heights, centres, strict=True):
        top = round(_MARGIN + centre - height / 2)
        places.append(Place(lefts[column], top, width, height))
    passed = [_passed(link, columns, lefts, bends) for link in links]
    bottom = max((place.y + place.height for place in places), default=0)
    size = lefts[-1] + width + _ASIDE, bottom + _MARGIN
    return Layout(places, _routes(links, passed, places), *size)


def _passed(
    link: Link, columns: Sequence[int], lefts: Sequence[int], bends: Mapping[Link, Sequence[float]]
) -> Sequence[Point]:
    """Where a link passes the columns between its ends, in its direction: the column's left edge
    and the height.
    """
    left, right = sorted(link, key=columns.__getitem__)
    between = lefts[columns[left] + 1 : columns[right]]
    heights = bends.get((left, right), ())
    points = [(x, _MARGIN + height) for x, height in zip(between, heights, strict=True)]
    return points if link[0] == left else points[::-1]


def _heights_of(
    columns: Sequence[int], heights: Sequence[int], links: Sequence[Link]
) -> tuple[list[float], dict[Link, list[float]]]:
    """The heights, from the top, of the centres of all boxes, and those at which links pass columns
    from left to right. Connected parts are below one another, the largest at the top.
    """
    vertices = [Vertex(index) for index in range(len(columns))]
    for vertex, height in zip(vertices, heights, strict=True):
        vertex.view = SimpleNamespace(w=height, h=1.0, xy=(0.0, 0.0))
    across = {
        tuple(sorted((source, target), key=columns.__getitem__))
        for source, target in links
        if columns[source] != columns[target]
    }
    edges = [
        _Edge(vertices[left], vertices[right], data=(left, right)) for left, right in sorted(across)
    ]
    bends = {}
    top = 0.0
    for part in sorted(Graph(vertices, edges).C, key=lambda part: -len(part.sV)):
        layout = _Columns(part, columns)
        layout.draw(_ROUNDS)
        for layer in layout.layers:
            layout.spread(layer)
        views = [item.view for layer in layout.layers for item in layer]
        shift = top - min(view.xy[0] - view.w / 2 for view in views)
        for view in views:
            view.xy = (view.xy[0] + shift, 0.0)
        for edge in part.E():
            passed = layout.ctrls.get(edge, {})
            bends[edge.data] = [passed[rank].view.xy[0] for rank in sorted(passed)[1:-1]]
        top = max(view.xy[0] + view.w / 2 for view in views) + GAP
    return [vertex.view.xy[0] for vertex in vertices], bends


class _Edge(Edge):  # type: ignore[misc]
    """The library keeps edges in sets; hashed by their ends they are iterated in the same order
    every time.
    """

    def __hash__(self) -> int:
        return hash(self.data)


class _Layer(Layer):  # type: ignore[misc]
    """The library's layer, with the same means on every version of Python."""

    def _meanvalueattr(self, vertex: Vertex) -> float:
        neighbours = self._neighbors(vertex) if self.prevlayer() else ()
        return fmean(self.layout.grx[item].bar for item in neighbours or [vertex])


class _Columns(SugiyamaLayout):  # type: ignore[misc]
    """The library's layout of one connected part, with columns that are given instead of
    computed.
    """

    def __init__(self, part: graph_core, columns: Sequence[int]) -> None:
        super().__init__(part)
        self.xspace, self.dw = GAP, _BEND
        self.alt_e: list[Edge] = []
        ranks = {vertex: columns[vertex.data] for vertex in part.V()}
        first, last = min(ranks.values()), max(ranks.values())
        self.layers = [_Layer() for _ in range(first, last + 1)]
        for vertex, column in ranks.items():
            self.grx[vertex].rank = column - first
            self.layers[column - first].append(vertex)
        for edge in part.E():
            self.setdummies(edge)
        for layer in self.layers:
            layer.setup(self)

    def spread(self, layer: Layer) -> None:
        """Push apart the vertices that the library left too close, keeping their order and their
        mean height.
        """
        items = sorted(layer, key=lambda item: self.grx[item].pos)
        heights = [item.view.xy[0] for item in items]
        placed = heights[:1]
        for before, item, height in zip(items, items[1:], heights[1:], strict=False):
            both_bends = self.grx[item].dummy and self.grx[before].dummy
            room = 0.0 if both_bends else self.xspace
            placed.append(max(height, placed[-1] + (before.view.w + item.view.w) / 2 + room))
        drift = fmean(placed) - fmean(heights)
        for item, height in zip(items, placed, strict=True):
            item.view.xy = (height - drift, 0.0)


def _routes(
    links: Sequence[Link], passed: Sequence[Sequence[Point]], places: Sequence[Place]
) -> list[Route]:
    """The arrows, whose ends are spread over the side of the box by the height from which they
    come.
    """
    sides: dict[tuple[int, bool], list[tuple[float, int, int]]] = {}
    for number, ((source, target), points) in enumerate(zip(links, passed, strict=True)):
        start, end = places[source], places[target]
        leaves_for = points[0][1] if points else end.middle
        comes_from = points[-1][1] if points else start.middle
        sides.setdefault((source, start.x <= end.x), []).append((leaves_for, number, 0))
        sides.setdefault((target, start.x >= end.x), []).append((comes_from, number, 1))
    ends: dict[tuple[int, int], Point] = {}
    for (index, at_right), arrows in sides.items():
        place = places[index]
        x = place.x + place.width if at_right else place.x
        step = min(_STEP, (place.height - 2 * _CORNER) / max(len(arrows) - 1, 1))
        for order, (_, number, which) in enumerate(sorted(arrows)):
            ends[number, which] = (x, place.middle + (order - (len(arrows) - 1) / 2) * step)
    return [
        _route(ends[number, 0], points, ends[number, 1], places[0].width)
        for number, points in enumerate(passed)
    ]


def _route(start: Point, passed: Sequence[Point], end: Point, width: int) -> Route:
    """An arrow between columns, level where it passes a column of that width; or within a column,
    to the right of the boxes.
    """
    (x, y), (x2, y2) = start, end
    path = [f"M{x:g},{y:.0f}"]
    if x == x2:
        beyond = x + _ASIDE
        path.append(f"C{beyond:g},{y:.0f} {beyond:g},{y2:.0f} {x2:g},{y2:.0f}")
        return "".join(path), (x + _ASIDE * 0.75, (y + y2) / 2)
    for left, height in passed:
        near, far = (left, left + width) if x < x2 else (left + width, left)
        path.append(f"{_bow(x, y, near, height)}H{far:g}")
        x, y = far, height
    path.append(_bow(x, y, x2, y2))
    return "".join(path), ((x + x2) / 2, (y + y2) / 2)


def _bow(x: float, y: float, x2: float, y2: float) -> str:
    middle = (x + x2) / 2
    return f"C{middle:.0f},{y:.0f} {middle:.0f},{y2:.0f} {x2:g},{y2:.0f}"
