"""Ports: where on the side of a box each arrow leaves or arrives, so that arrows do not run into one another."""

from typing import Literal

from stages.report.drawing.sketch import Box, Sketch

Side = Literal["left", "right"]
_STEP = 9.0
_CORNER = 9.0

Ends = tuple[float, float, Side, float, float, Side]
"""Start x, y and side, end x, y and side."""


def ports(sketch: Sketch) -> tuple[Ends, ...]:
    """The two ends of every arrow, in the order of the arrows: spread over the side of the box by where they come from."""
    wanted: dict[tuple[int, Side], list[tuple[float, int, int]]] = {}
    sides: list[tuple[Side, Side]] = []
    boxes = sketch.boxes
    for number, arrow in enumerate(sketch.arrows):
        source, target = boxes[arrow.source], boxes[arrow.target]
        if source.x == target.x:
            side: tuple[Side, Side] = ("right", "right")
        else:
            side = ("right", "left") if source.x < target.x else ("left", "right")
        sides.append(side)
        first = arrow.bends[0].y if arrow.bends else target.y + target.height / 2
        last = arrow.bends[-1].y if arrow.bends else source.y + source.height / 2
        wanted.setdefault((arrow.source, side[0]), []).append((first, number, 0))
        wanted.setdefault((arrow.target, side[1]), []).append((last, number, 1))
    heights: dict[tuple[int, int], float] = {}
    for (index, _), ends in wanted.items():
        box = boxes[index]
        step = min(_STEP, (box.height - 2 * _CORNER) / max(len(ends) - 1, 1))
        middle = box.y + box.height / 2
        for place, (_, number, end) in enumerate(sorted(ends)):
            heights[number, end] = middle + (place - (len(ends) - 1) / 2) * step
    return tuple(
        (
            _x(boxes[arrow.source], sides[number][0]), heights[number, 0], sides[number][0],
            _x(boxes[arrow.target], sides[number][1]), heights[number, 1], sides[number][1],
        )
        for number, arrow in enumerate(sketch.arrows)
    )  # fmt: skip


def _x(box: Box, side: Side) -> float:
    return box.x if side == "left" else box.x + box.width
