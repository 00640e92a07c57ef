"""Layout: the column of every node, its place within the column, and the path of every edge.

Columns are read from left to right: decision, options, factors, outcomes and risks, goal. Within the columns the library
`grandalf` orders the nodes for few crossings and aligns them (Sugiyama's method, after Brandes and Köpf). It draws from top
to bottom, so its "x" is our height.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from types import SimpleNamespace

from grandalf.graphs import Edge, Graph, Vertex, graph_core
from grandalf.layouts import Layer, SugiyamaLayout

MAX_FACTOR_COLUMNS = 4
"""Longer chains of factors share the last of these columns."""
_GROUPS = {"decision": 0, "option": 1, "factor": 2, "outcome": 3, "risk": 3, "goal": 4}
_FACTORS = 2
"""The group of factors, and of kinds that nobody knows."""
_MARGIN = 14
_ROUNDS = 2.5
"""Rounds of ordering; more find hardly fewer crossings in graphs of the size that is allowed."""
_BEND = 14.0
"""The height that a passing edge takes in a column."""
_PER_EDGE = 2.5
"""Pixels between two columns for each edge that passes."""
_STEP = 9.0
"""The distance between two arrows at the side of a box, at most."""
_CORNER = 9.0
_REACH = 30.0

Link = tuple[int, int]
"""An edge as the positions of the two nodes that it joins."""
Point = tuple[float, float]
Bends = Sequence[Point]
"""The columns that an edge passes, in its direction: the column's left edge and the height at which it is passed."""
Route = tuple[str, Point]
"""The path of an arrow, in the words of SVG, and the place on it for a badge."""


@dataclass(frozen=True, slots=True)
class Shape:
    """The width of boxes in pixels and in characters, the lines of a label, the gap between boxes and, least and most, between columns."""

    width: int
    columns: int
    lines: int
    gap: float
    channel: tuple[int, int]


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
    """The column of every node, from 0 and without empty columns; `links` are directed edges as positions in `kinds`, cycles allowed.

    A factor is one column to the right of the factors that act on it, so that influence flows to the right wherever it can.

    >>> columns_of(["goal", "factor", "factor", "decision"], [(1, 2), (2, 0)])
    [3, 1, 2, 0]
    """
    groups = [_GROUPS.get(kind, _FACTORS) for kind in kinds]
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


def lay_out(
    columns: Sequence[int], heights: Sequence[int], links: Sequence[Link], shape: Shape
) -> Layout:
    """Place the nodes of each column below one another, near what they are linked to, without overlaps.

    `heights` are those of the boxes, `shape` has their width and the gaps; links within a column do not affect the places.
    """
    centres, bends, total = _layered(columns, heights, links, shape.gap)
    lefts, width = _lefts(columns, links, shape)
    places = [
        Place(lefts[column], round(_MARGIN + centre - height / 2), shape.width, height)
        for column, height, centre in zip(columns, heights, centres, strict=True)
    ]
    passed: list[Bends] = []
    for source, target in links:
        first, last = sorted((columns[source], columns[target]))
        passing = bends.get((source, target)) or bends.get((target, source)) or ()
        found = [
            (lefts[at], _MARGIN + height)
            for at, height in zip(range(first + 1, last), passing, strict=False)
        ]
        passed.append(found if columns[source] <= columns[target] else found[::-1])
    return Layout(places, _routes(links, passed, places), width, round(total) + 2 * _MARGIN)


def _layered(
    columns: Sequence[int], heights: Sequence[int], links: Sequence[Link], gap: float
) -> tuple[list[float], dict[Link, list[float]], float]:
    """Heights of the nodes' centres from the top, those of the bends of each link from left to right, and the total height."""
    across = sorted(
        {
            (a, b) if columns[a] < columns[b] else (b, a)
            for a, b in links
            if columns[a] != columns[b]
        }
    )
    vertices = [Vertex(index) for index in range(len(columns))]
    for vertex, height in zip(vertices, heights, strict=True):
        vertex.view = SimpleNamespace(w=height, h=1.0, xy=(0.0, 0.0))
    edges = [
        _Edge(vertices[source], vertices[target], data=(source, target))
        for source, target in across
    ]
    centres, bends, top = [0.0] * len(columns), {}, 0.0
    for part in sorted(
        Graph(vertices, edges).C, key=lambda part: (-len(part.sV), min(v.data for v in part.sV))
    ):
        columned = _Columns(part, columns, gap)
        columned.draw(_ROUNDS)
        for layer in columned.layers:
            columned.spread(layer)
        views = [item.view for layer in columned.layers for item in layer]
        shift = top - min(view.xy[0] - view.w / 2 for view in views)
        for vertex in part.V():
            centres[vertex.data] = vertex.view.xy[0] + shift
        for edge in part.E():
            passed = columned.ctrls.get(edge, {})
            bends[edge.data] = [passed[rank].view.xy[0] + shift for rank in sorted(passed)[1:-1]]
        top = float(max(view.xy[0] + view.w / 2 for view in views) + shift) + gap
    return centres, bends, max(top - gap, 0.0)


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
        ranks = {
            column: rank
            for rank, column in enumerate(sorted({columns[vertex.data] for vertex in vertices}))
        }
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


def _lefts(columns: Sequence[int], links: Sequence[Link], shape: Shape) -> tuple[list[int], int]:
    last = max(columns, default=0)
    passing: Counter[int] = Counter()
    for source, target in links:
        passing.update(range(*sorted((columns[source], columns[target]))))
    least, most = shape.channel
    lefts = [_MARGIN]
    for column in range(last):
        lefts.append(
            lefts[-1] + shape.width + round(min(max(least, 40 + _PER_EDGE * passing[column]), most))
        )
    within = any(columns[source] == columns[target] == last for source, target in links)
    return lefts, lefts[-1] + shape.width + _MARGIN + (32 if within else 0)


def _routes(links: Sequence[Link], passed: Sequence[Bends], places: Sequence[Place]) -> list[Route]:
    """The arrows, whose ends are spread over the side of the box by the height from which they come."""
    arriving: dict[tuple[int, bool], list[tuple[float, int, int]]] = {}
    for number, ((source, target), bends) in enumerate(zip(links, passed, strict=True)):
        start, end = places[source], places[target]
        towards = (bends[0][1], bends[-1][1]) if bends else (end.middle, start.middle)
        arriving.setdefault((source, start.x <= end.x), []).append((towards[0], number, 0))
        arriving.setdefault((target, start.x >= end.x), []).append((towards[1], number, 1))
    points: dict[tuple[int, int], Point] = {}
    for (index, at_right), ends in arriving.items():
        place = places[index]
        step = min(_STEP, (place.height - 2 * _CORNER) / max(len(ends) - 1, 1))
        for order, (_, number, which) in enumerate(sorted(ends)):
            y = place.middle + (order - (len(ends) - 1) / 2) * step
            points[number, which] = (place.x + place.width if at_right else place.x, y)
    routes = []
    for number, ((source, target), bends) in enumerate(zip(links, passed, strict=True)):
        first, last, way = points[number, 0], points[number, 1], places[target].x - places[source].x
        width = places[source].width
        routes.append(
            _curve(first, last, bends, width if way > 0 else -width)
            if way
            else _aside(first, last, loop=source == target)
        )
    return routes


def _aside(start: Point, end: Point, *, loop: bool) -> Route:
    (x1, y1), (x2, y2) = start, end
    y1, y2 = (y1 - 8, y2 + 8) if loop else (y1, y2)
    reach = _REACH if loop else min(_REACH + abs(y2 - y1) / 12, 60)
    path = f"M{x1:g},{y1:.0f}C{x1 + reach:.0f},{y1:.0f} {x2 + reach:.0f},{y2:.0f} {x2:g},{y2:.0f}"
    return path, (x1 + reach * 0.75, (y1 + y2) / 2)


def _curve(start: Point, end: Point, bends: Bends, width: int) -> Route:
    """An arrow between columns, level where it passes a column; `width` is a column's, negative for an arrow to the left."""
    (x, y), (x2, y2) = start, end
    text = [f"M{x:g},{y:.0f}"]
    for left, height in bends:
        near, far = (left, left + width) if width > 0 else (left - width, left)
        middle = (x + near) / 2
        text.append(
            f"C{middle:.0f},{y:.0f} {middle:.0f},{height:.0f} {near:g},{height:.0f}H{far:g}"
        )
        x, y = far, height
    middle = (x + x2) / 2
    text.append(f"C{middle:.0f},{y:.0f} {middle:.0f},{y2:.0f} {x2:g},{y2:.0f}")
    return "".join(text), (middle - (10 if width > 0 else -10), (y + y2) / 2)
