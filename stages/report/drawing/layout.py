"""Layout: the column of every node, its place within the column, and the path of every edge.

Columns are read from left to right: decision, options, factors, outcomes and risks, goal. Within
the columns the library `grandalf` orders the nodes for few crossings and aligns them (Sugiyama's
method, after Brandes and Köpf). It draws from top to bottom, so its "x" is our height.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache, reduce
from operator import add
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
_ASIDE = 32
"""Room at the right of the last column for arrows within it."""

Link = tuple[int, int]
"""An edge as the positions of the two nodes that it joins."""
Point = tuple[float, float]
Bends = Sequence[Point]
"""The columns that an edge passes, in its direction: the column's left edge and the height at
which it is passed."""
Route = tuple[str, Point]
"""The path of an arrow, in the words of SVG, and the place on it for a badge."""


@dataclass(frozen=True, slots=True)
class Shape:
    """The width of boxes in pixels, the lines of a label, the gap between boxes and, least and
    most, between columns.
    """

    width: int
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
    """The column of every node, from 0 and without empty columns.

    `links` are directed edges as positions in `kinds`, cycles allowed. A factor is one column to
    the right of the factors that act on it, so that influence flows to the right wherever it can.

    >>> columns_of(["goal", "factor", "factor", "decision"], [(1, 2), (2, 0)])
    [3, 1, 2, 0]
    """
    groups = [_GROUPS.get(kind, _FACTORS) for kind in kinds]
    depths = _factor_depths(groups, links)
    places = list(zip(groups, depths, strict=True))
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


@lru_cache(maxsize=100)  # the best graphs of a brief are on its page and on their own
def lay_out(
    columns: Sequence[int], heights: Sequence[int], links: Sequence[Link], shape: Shape
) -> Layout:
    """Place the nodes of each column below one another, near what they are linked to, without
    overlaps.

    `heights` are those of the boxes, `shape` has their width and the gaps; links within a column do
    not affect the places.
    """
    layers = _layered(columns, heights, links, shape.gap)
    lefts = _lefts(columns, links, shape)
    places = []
    for column, height, centre in zip(columns, heights, layers.centres, strict=True):
        top = round(_MARGIN + centre - height / 2)
        places.append(Place(lefts[column], top, shape.width, height))
    bends = [_bends_of(link, columns, lefts, layers) for link in links]
    last = max(columns, default=0)
    within_last = any(columns[source] == columns[target] == last for source, target in links)
    width = lefts[-1] + shape.width + _MARGIN + (_ASIDE if within_last else 0)
    return Layout(places, _routes(links, bends, places), width, round(layers.height) + 2 * _MARGIN)


def _lefts(columns: Sequence[int], links: Sequence[Link], shape: Shape) -> list[int]:
    """The left edge of every column; more edges between two columns need more room."""
    passing: Counter[int] = Counter()
    for source, target in links:
        first, last = sorted((columns[source], columns[target]))
        passing.update(range(first, last))
    least, most = shape.channel
    lefts = [_MARGIN]
    for column in range(max(columns, default=0)):
        channel = min(max(least, 40 + _PER_EDGE * passing[column]), most)
        lefts.append(lefts[-1] + shape.width + round(channel))
    return lefts


def _bends_of(link: Link, columns: Sequence[int], lefts: Sequence[int], layers: "_Layers") -> Bends:
    """Where a link passes the columns between its ends, in its direction."""
    source, target = link
    first, last = sorted((columns[source], columns[target]))
    heights = layers.bends.get((source, target)) or layers.bends.get((target, source)) or ()
    between = range(first + 1, last)
    bends = [(lefts[at], _MARGIN + height) for at, height in zip(between, heights, strict=False)]
    return bends if columns[source] <= columns[target] else bends[::-1]


@dataclass(slots=True)
class _Layers:
    """Heights from the top: of the nodes' centres, of each link's bends from left to right, and
    of the whole.
    """

    centres: list[float]
    bends: dict[Link, list[float]]
    height: float = 0.0


def _layered(
    columns: Sequence[int], heights: Sequence[int], links: Sequence[Link], gap: float
) -> _Layers:
    """The heights of all connected parts, the largest at the top."""
    vertices = [Vertex(index) for index in range(len(columns))]
    for vertex, height in zip(vertices, heights, strict=True):
        vertex.view = SimpleNamespace(w=height, h=1.0, xy=(0.0, 0.0))
    edges = [
        _Edge(vertices[left], vertices[right], data=(left, right))
        for left, right in _across(columns, links)
    ]
    parts = sorted(Graph(vertices, edges).C, key=_largest_first)
    layers = _Layers([0.0] * len(columns), {})
    for part in parts:
        top = layers.height + gap if part is not parts[0] else 0.0
        _place_part(part, columns, gap, top, layers)
    return layers


def _across(columns: Sequence[int], links: Sequence[Link]) -> list[Link]:
    """The links between columns, each once and from left to right."""
    across = set()
    for source, target in links:
        if columns[source] < columns[target]:
            across.add((source, target))
        if columns[source] > columns[target]:
            across.add((target, source))
    return sorted(across)


def _largest_first(part: graph_core) -> tuple[int, int]:
    return -len(part.sV), min(vertex.data for vertex in part.sV)


def _place_part(
    part: graph_core, columns: Sequence[int], gap: float, top: float, layers: _Layers
) -> None:
    """Lay out a connected part below `top` and record its heights in `layers`."""
    layout = _Columns(part, columns, gap)
    layout.draw(_ROUNDS)
    for layer in layout.layers:
        layout.spread(layer)
    views = [item.view for layer in layout.layers for item in layer]
    shift = top - min(view.xy[0] - view.w / 2 for view in views)
    for vertex in part.V():
        layers.centres[vertex.data] = vertex.view.xy[0] + shift
    for edge in part.E():
        passed = layout.ctrls.get(edge, {})
        between = sorted(passed)[1:-1]
        layers.bends[edge.data] = [passed[rank].view.xy[0] + shift for rank in between]
    layers.height = float(max(view.xy[0] + view.w / 2 for view in views) + shift)


class _Edge(Edge):  # type: ignore[misc]
    """The library keeps edges in sets; hashed by their ends they are iterated in the same order
    every time.
    """

    def __hash__(self) -> int:
        return hash(self.data)


class _Layer(Layer):  # type: ignore[misc]
    """The library's layer, with the same means on every version of Python."""

    def _meanvalueattr(self, vertex: Vertex) -> float:
        places = self.layout.grx
        if not self.prevlayer():
            return float(places[vertex].bar)
        neighbours = [places[neighbour].bar for neighbour in self._neighbors(vertex)]
        if not neighbours:
            return float(places[vertex].bar)
        return add_up(neighbours) / len(neighbours)


class _Columns(SugiyamaLayout):  # type: ignore[misc]
    """The library's layout of one connected part, with columns that are given instead of
    computed.
    """

    def __init__(self, part: graph_core, columns: Sequence[int], gap: float) -> None:
        super().__init__(part)
        self.xspace, self.dw = gap, _BEND
        self.alt_e: list[Edge] = []
        vertices = list(part.V())
        present = sorted({columns[vertex.data] for vertex in vertices})
        self.layers = [_Layer() for _ in present]
        for vertex in vertices:
            rank = present.index(columns[vertex.data])
            self.grx[vertex].rank = rank
            self.layers[rank].append(vertex)
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
        drift = (add_up(placed) - add_up(heights)) / len(items)
        for item, height in zip(items, placed, strict=True):
            item.view.xy = (height - drift, 0.0)


def add_up(values: Iterable[float]) -> float:
    """The sum, rounded at each step from left to right: `sum` rounds otherwise from Python 3.12
    on.
    """
    return reduce(add, values, 0.0)


def _routes(links: Sequence[Link], bends: Sequence[Bends], places: Sequence[Place]) -> list[Route]:
    """The arrows, whose ends are spread over the side of the box by the height from which they
    come.
    """
    ends = _ends(links, bends, places)
    routes = []
    for number, (source, target) in enumerate(links):
        start, end = ends[number, 0], ends[number, 1]
        way = places[target].x - places[source].x
        width = places[source].width
        if way == 0:
            routes.append(_aside(start, end, loop=source == target))
        else:
            routes.append(_curve(start, end, bends[number], width if way > 0 else -width))
    return routes


def _ends(
    links: Sequence[Link], bends: Sequence[Bends], places: Sequence[Place]
) -> dict[tuple[int, int], Point]:
    """Where each link leaves its source (number of the link, 0) and reaches its target (number,
    1).
    """
    sides: dict[tuple[int, bool], list[tuple[float, int, int]]] = {}
    for number, ((source, target), passed) in enumerate(zip(links, bends, strict=True)):
        start, end = places[source], places[target]
        leaves_for = passed[0][1] if passed else end.middle
        comes_from = passed[-1][1] if passed else start.middle
        sides.setdefault((source, start.x <= end.x), []).append((leaves_for, number, 0))
        sides.setdefault((target, start.x >= end.x), []).append((comes_from, number, 1))
    points: dict[tuple[int, int], Point] = {}
    for (index, at_right), arrows in sides.items():
        place = places[index]
        x = place.x + place.width if at_right else place.x
        step = min(_STEP, (place.height - 2 * _CORNER) / max(len(arrows) - 1, 1))
        for order, (_, number, which) in enumerate(sorted(arrows)):
            points[number, which] = (x, place.middle + (order - (len(arrows) - 1) / 2) * step)
    return points


def _aside(start: Point, end: Point, *, loop: bool) -> Route:
    """An arrow within a column, or from a node to itself, to the right of the boxes."""
    (x1, y1), (x2, y2) = start, end
    reach = min(_REACH + abs(y2 - y1) / 12, 60)
    if loop:
        y1, y2, reach = y1 - 8, y2 + 8, _REACH
    first, second = f"{x1 + reach:.0f},{y1:.0f}", f"{x2 + reach:.0f},{y2:.0f}"
    path = f"M{x1:g},{y1:.0f}C{first} {second} {x2:g},{y2:.0f}"
    return path, (x1 + reach * 0.75, (y1 + y2) / 2)


def _curve(start: Point, end: Point, bends: Bends, width: int) -> Route:
    """An arrow between columns, level where it passes a column; `width` is a column's, negative
    for an arrow to the left.
    """
    (x, y), (x2, y2) = start, end
    path = [f"M{x:g},{y:.0f}"]
    for left, height in bends:
        near, far = (left, left + width) if width > 0 else (left - width, left)
        middle = (x + near) / 2
        controls = f"{middle:.0f},{y:.0f} {middle:.0f},{height:.0f}"
        path.append(f"C{controls} {near:g},{height:.0f}H{far:g}")
        x, y = far, height
    middle = (x + x2) / 2
    path.append(f"C{middle:.0f},{y:.0f} {middle:.0f},{y2:.0f} {x2:g},{y2:.0f}")
    aside = 10 if width > 0 else -10
    return "".join(path), (middle - aside, (y + y2) / 2)
