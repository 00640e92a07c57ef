"""Layout: the column of every node, its place within the column, and the path of every edge.

Columns are read from left to right: decision, options, factors, outcomes and risks, goal. Within
the columns the nodes are ordered and placed by the mean height of what they are linked to, in
rounds over all columns. An edge that passes columns has a place in each of them.
"""

import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import pairwise
from statistics import fmean
from typing import NamedTuple, TypeAlias

MAX_FACTOR_COLUMNS = 4
"""Longer chains of factors share the last of these columns."""
GAP = 12.0
"""Pixels between two boxes of a column, and between two edges that pass it, at least."""
_GROUPS = {"decision": 0, "option": 1, "factor": 2, "outcome": 3, "risk": 3, "goal": 4}
_FACTORS = 2
"""The group of factors, and of kinds that nobody knows."""
_MARGIN = 14
_ROUNDS = 8
_CHANNEL, _WIDEST_CHANNEL = 40, 120
"""Pixels between two columns: without edges, one more for each edge, and at most."""
_STEP = 9.0
"""The distance between two arrows at the side of a box, at most."""
_ASIDE = 32
"""How far arrows within a column reach to its right, and the room for them in the last one."""

Link: TypeAlias = tuple[int, int]
"""An edge as the positions of the two nodes that it joins."""
Point: TypeAlias = tuple[float, float]


class Place(NamedTuple):
    """Where a box is, in pixels from the left and from the top."""

    x: int
    y: int
    width: int
    height: int


class Layout(NamedTuple):
    """The place of every node, the path of every edge in the words of SVG, and the size of the
    whole.
    """

    places: list[Place]
    paths: list[str]
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
    """Place the nodes of each column (at least one) below one another, near what they are linked
    to, without overlaps.

    `heights` are those of the boxes, which have one `width`; links within a column do not affect
    the places.
    """
    # The nodes, and behind them a stop for each column that a link passes.
    column_of, height_of = list(columns), list(heights)
    ways: list[list[int]] = []
    for source, target in links:
        step = 1 if columns[source] < columns[target] else -1
        passed = range(columns[source] + step, columns[target], step)
        ways.append([source, *range(len(column_of), len(column_of) + len(passed)), target])
        column_of += passed
        height_of += [0] * len(passed)
    middles = _middles(column_of, height_of, ways)
    # More edges need more room between the columns.
    channel = min(_CHANNEL + len(links), _WIDEST_CHANNEL)
    lefts = [_MARGIN + (width + channel) * column for column in column_of]
    places = [
        Place(left, round(middle - height / 2), width, height)
        for left, middle, height in zip(lefts, middles, heights, strict=False)
    ]
    ends = _ends(ways, lefts, middles, places)
    paths = []
    for way, (start, end) in zip(ways, ends, strict=True):
        points = [start]
        for stop in way[1:-1]:
            left, right = (lefts[stop], middles[stop]), (lefts[stop] + width, middles[stop])
            points += [left, right] if start < end else [right, left]
        paths.append(_path([*points, end]))
    bottom = max(middle + height / 2 for middle, height in zip(middles, height_of, strict=True))
    return Layout(places, paths, max(lefts) + width + _ASIDE, round(bottom) + _MARGIN)


def _middles(
    columns: Sequence[int], heights: Sequence[int], ways: Iterable[Sequence[int]]
) -> list[float]:
    """The height of the centre of every node and stop, from the top of the drawing."""
    linked: defaultdict[int, list[int]] = defaultdict(list)
    for way in ways:
        for one, other in pairwise(way):
            if columns[one] != columns[other]:
                linked[one].append(other)
                linked[other].append(one)
    layers: list[list[int]] = [[] for _ in range(max(columns) + 1)]
    for item, column in enumerate(columns):
        layers[column].append(item)
    neighbours = [linked[item] or [item] for item in range(len(columns))]
    middles = [0.0] * len(columns)
    for number in range(_ROUNDS):
        for layer in layers if number % 2 == 0 else layers[::-1]:
            wanted = [fmean([middles[other] for other in neighbours[item]]) for item in layer]
            drift = fmean(wanted)
            bottom = -math.inf
            for height, item in sorted(zip(wanted, layer, strict=True)):
                middles[item] = max(height, bottom + GAP + heights[item] / 2)
                bottom = middles[item] + heights[item] / 2
            drift -= fmean([middles[item] for item in layer])
            for item in layer:
                middles[item] += drift
    top = min(middle - height / 2 for middle, height in zip(middles, heights, strict=True))
    return [middle - top + _MARGIN for middle in middles]


def _ends(
    ways: Sequence[Sequence[int]],
    lefts: Sequence[int],
    middles: Sequence[float],
    places: Sequence[Place],
) -> list[list[Point]]:
    """Where each arrow leaves and reaches its boxes: the arrows at one side of a box are spread
    over it by the height from which they come.
    """
    sides: defaultdict[tuple[int, bool], list[tuple[float, int, int]]] = defaultdict(list)
    for number, way in enumerate(ways):
        for which, item, neighbour in ((0, way[0], way[1]), (1, way[-1], way[-2])):
            is_right = lefts[item] <= lefts[neighbour]
            sides[item, is_right].append((middles[neighbour], number, which))
    ends = [[(0.0, 0.0), (0.0, 0.0)] for _ in ways]
    for (item, is_right), arrows in sides.items():
        place = places[item]
        x = place.x + place.width if is_right else place.x
        step = min(_STEP, place.height / (len(arrows) + 1))
        y = place.y + (place.height - step * (len(arrows) - 1)) / 2
        for _, number, which in sorted(arrows):
            ends[number][which] = (x, y)
            y += step
    return ends


def _path(points: Sequence[Point]) -> str:
    """A curve that is level at each point; between two boxes of a column it is at their right."""
    path = f"M{points[0][0]:g},{points[0][1]:.0f}"
    for (x, y), (x2, y2) in pairwise(points):
        middle = x + _ASIDE if x == x2 else (x + x2) / 2
        path += f"C{middle:.0f},{y:.0f} {middle:.0f},{y2:.0f} {x2:g},{y2:.0f}"
    return path
