"""Edges as arrows: width by strength, colour by sign, opacity by the probability that they exist."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from stages.contracts.graph import Edge
from stages.report.drawing.layout import Link
from stages.report.drawing.sketch import Arrow, Box, Point
from stages.shell.numbers import parameter
from stages.shell.text import clip

_STEP = 9.0
"""The distance between two arrows at the side of a box, at most."""
_CORNER = 9.0
_REACH = 30.0

Bends = Sequence[tuple[int, float]]
"""The columns that an edge passes, in its direction: the column's left edge and the height at which it is passed."""


@dataclass(frozen=True, slots=True)
class Ends:
    """Where an arrow leaves and arrives, whether each is at a right side, and the width of the columns that it passes."""

    start: Point
    end: Point
    leaves_right: bool
    arrives_right: bool
    column: int


def ends_of(links: Sequence[Link], passed: Sequence[Bends], boxes: Sequence[Box]) -> list[Ends]:
    """The two ends of every arrow, spread over the side of the box by the height from which they come."""
    wanted: dict[tuple[int, bool], list[tuple[float, int, int]]] = {}
    sides: list[tuple[bool, bool]] = []
    for number, ((source, target), bends) in enumerate(zip(links, passed, strict=True)):
        left, right = boxes[source].x, boxes[target].x
        sides.append((left <= right, left >= right))
        centres = [boxes[end].y + boxes[end].height / 2 for end in (target, source)]
        towards = (bends[0][1], bends[-1][1]) if bends else centres
        for end, place in enumerate((source, target)):
            wanted.setdefault((place, sides[-1][end]), []).append((towards[end], number, end))
    points: dict[tuple[int, int], Point] = {}
    for (place, right_side), arriving in wanted.items():
        box = boxes[place]
        step = min(_STEP, (box.height - 2 * _CORNER) / max(len(arriving) - 1, 1))
        for order, (_, number, end) in enumerate(sorted(arriving)):
            y = box.y + box.height / 2 + (order - (len(arriving) - 1) / 2) * step
            points[number, end] = (box.x + box.width if right_side else box.x, y)
    width = boxes[0].width if boxes else 0
    return [Ends(points[number, 0], points[number, 1], *side, width) for number, side in enumerate(sides)]


def arrow_of(
    place: int, edge: Edge, ends: Ends, bends: Bends, names: Mapping[str, str], *, loop: bool, choice: bool
) -> Arrow:
    """An edge as an arrow.

    Args:
        place: Its position in the graph's edges.
        edge: The edge.
        ends: Where it leaves and arrives.
        bends: The columns that it passes.
        names: The labels of the nodes by id.
        loop: It leads from a box to itself.
        choice: It says what can be chosen or set and is no effect.
    """
    sign = "set" if choice and not edge.bidirected else _sign(edge.mean)
    width = 1.5 if sign == "set" else 1.2 + 4.3 * _within_unit(abs(edge.mean or 0.0), 0.0)
    opacity = 0.3 + 0.7 * _within_unit(edge.exists_probability, 1.0)
    path, middle = _aside(ends, loop=loop) if ends.leaves_right == ends.arrives_right else _curve(ends, bends)
    return Arrow(
        edge=place,
        look=f"e {sign} both" if edge.bidirected else f"e {sign}",
        path=path,
        width=f"{width:.2g}",
        opacity="" if opacity >= 1 else f"{opacity:.2g}",
        head=sign,
        both_ways=edge.bidirected,
        about=_about(edge, names),
        middle=middle,
    )


def _about(edge: Edge, names: Mapping[str, str]) -> str:
    source, target = (clip(names.get(key) or key, 80) for key in (edge.source, edge.target))
    return (
        f"{source} {'↔' if edge.bidirected else '→'} {target}\n"
        f"strength {parameter(edge.mean)} ± {parameter(edge.std)}, exists with probability {parameter(edge.exists_probability)}"
    )


def _sign(mean: float | None) -> str:
    if mean is None or mean == 0 or math.isnan(mean):
        return "nil"
    return "pos" if mean > 0 else "neg"


def _within_unit(value: float | None, otherwise: float) -> float:
    return otherwise if value is None or math.isnan(value) else min(max(value, 0.0), 1.0)


def _aside(ends: Ends, *, loop: bool) -> tuple[str, Point]:
    """An arrow between boxes of one column, or from a box to itself."""
    (x1, y1), (x2, y2) = ends.start, ends.end
    y1, y2 = (y1 - 8, y2 + 8) if loop else (y1, y2)
    reach = _REACH if loop else min(_REACH + abs(y2 - y1) / 12, 60)
    path = f"M{x1:g},{y1:.0f}C{x1 + reach:.0f},{y1:.0f} {x2 + reach:.0f},{y2:.0f} {x2:g},{y2:.0f}"
    return path, (x1 + reach * 0.75, (y1 + y2) / 2)


def _curve(ends: Ends, bends: Bends) -> tuple[str, Point]:
    """An arrow between columns, level where it passes a column."""
    (x, y), (x2, y2) = ends.start, ends.end
    text = [f"M{x:g},{y:.0f}"]
    for left, height in bends:
        near, far = (left, left + ends.column) if ends.leaves_right else (left + ends.column, left)
        middle = (x + near) / 2
        text.append(f"C{middle:.0f},{y:.0f} {middle:.0f},{height:.0f} {near:g},{height:.0f}H{far:g}")
        x, y = far, height
    middle = (x + x2) / 2
    text.append(f"C{middle:.0f},{y:.0f} {middle:.0f},{y2:.0f} {x2:g},{y2:.0f}")
    return "".join(text), (middle - (10 if ends.leaves_right else -10), (y + y2) / 2)
