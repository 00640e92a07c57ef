"""A draft graph as a sketch: a place for everything. A graph that breaks every rule can be drawn too.

Edges are arrows: width by strength, colour by sign, opacity by the probability that they exist.
"""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from stages.contracts.graph import STRUCTURAL, DraftGraph, Edge, Node
from stages.report.drawing.layout import Layout, Link, columns_of, layered
from stages.report.drawing.sketch import Arrow, Box, Point, Sketch
from stages.shell.numbers import parameter
from stages.shell.text import clip, visible, wrap

MAX_NODES = 150
MAX_EDGES = 300
"""More than these are not drawn: nobody could read them, and an answer must not be able to make a page huge."""
_KINDS = frozenset({"decision", "option", "factor", "outcome", "risk", "goal"})
_CATEGORIES = frozenset({"controllable", "observable", "external"})
_MARGIN = 14
_LINE = 15
_CAPTION = 24
_FOOT = 9
_LONGEST_LABEL = 6000
_MAX_INTERVENTIONS = 40
_STEP = 9.0
"""The distance between two arrows at the side of a box, at most."""
_CORNER = 9.0
_REACH = 30.0

Bends = Sequence[tuple[int, float]]
"""The columns that an edge passes, in its direction: the column's left edge and the height at which it is passed."""


@dataclass(frozen=True, slots=True)
class _Shape:
    """The width of boxes in pixels and in characters, the lines of a label, the gap between boxes and, least and most, between columns."""

    width: int
    columns: int
    lines: int
    gap: float
    channel: tuple[int, int]


_ROOMY = _Shape(156, 21, 3, 16.0, (64, 180))
_CROWDED = _Shape(192, 26, 2, 9.0, (64, 180))
_COMPACT = _Shape(128, 17, 4, 12.0, (36, 90))
_CROWD = 14
"""Nodes in one column from which boxes are low and wide, so that the drawing does not become too tall."""
_PER_EDGE = 2.5
"""Pixels between two columns for each edge that passes."""


def draw_graph(graph: DraftGraph, *, compact: bool = False) -> Sketch:
    """A place for every node and edge of a graph, valid or not.

    Args:
        graph: What to draw.
        compact: Narrow boxes, for two drawings beside each other.
    """
    nodes, edges = graph.nodes[:MAX_NODES], _shown_edges(graph)
    absent = _absent(nodes, edges)
    keys = [*(node.id for node in nodes), *absent]
    position = {key: place for place, key in reversed(list(enumerate(keys)))}
    drawn = [(place, edge) for place, edge in edges if {edge.source, edge.target} <= position.keys()]
    links = [(position[edge.source], position[edge.target]) for _, edge in drawn]
    kinds = [*(node.kind for node in nodes), *("" for _ in absent)]
    columns = columns_of(kinds, (link for link, (_, edge) in zip(links, drawn, strict=True) if not edge.bidirected))
    shape = _CROWDED if max(Counter(columns).values(), default=0) > _CROWD else _COMPACT if compact else _ROOMY
    labels = [*(node.label or node.id for node in nodes), *absent]
    lines = [wrap(label, shape.columns, shape.lines) or ("(no label)",) for label in labels]
    heights = [_CAPTION + _LINE * len(text) + _FOOT for text in lines]
    layout = layered(columns, heights, links, gap=shape.gap)
    lefts, width = _lefts(columns, links, shape)
    names = {node.id: visible(node.label or node.id) for node in reversed(graph.nodes)}
    boxes = []
    for place, (key, column, height, centre) in enumerate(zip(keys, columns, heights, layout.centres, strict=True)):
        node = nodes[place] if place < len(nodes) else None
        boxes.append(
            Box(
                key=key,
                node=place if node else None,
                x=lefts[column],
                y=round(_MARGIN + centre - height / 2),
                width=shape.width,
                height=height,
                look=_look(node),
                caption=_caption(node) if node else "not in the graph",
                lines=lines[place],
                about=_about(node, names) if node else f"{clip(key, 200)}: edges name it, but there is no such node",
            )
        )
    passed = [_passed(link, columns, lefts, layout) for link in links]
    arrows = [
        arrow_of(
            place,
            edge,
            ends,
            bends,
            names,
            loop=link[0] == link[1],
            choice=(kinds[link[0]], kinds[link[1]]) in STRUCTURAL,
        )
        for (place, edge), link, bends, ends in zip(drawn, links, passed, ends_of(links, passed, boxes), strict=True)
    ]
    return Sketch(
        boxes=tuple(boxes),
        arrows=tuple(arrows),
        width=width,
        height=round(layout.height) + 2 * _MARGIN,
        note=_note(graph, len(nodes), len(drawn)),
    )


def _shown_edges(graph: DraftGraph) -> list[tuple[int, Edge]]:
    """The first edges that join drawn nodes (or absent ones), with their positions."""
    hidden = {node.id for node in graph.nodes[MAX_NODES:]} - {node.id for node in graph.nodes[:MAX_NODES]}
    shown = [(place, edge) for place, edge in enumerate(graph.edges) if not {edge.source, edge.target} & hidden]
    return shown[:MAX_EDGES]


def _absent(nodes: Sequence[Node], edges: Sequence[tuple[int, Edge]]) -> list[str]:
    """The ids that edges name although there is no such node."""
    there = {node.id for node in nodes}
    ends = dict.fromkeys(end for _, edge in edges for end in (edge.source, edge.target) if end not in there)
    return list(ends)[: max(2 * MAX_NODES - len(nodes), 0)]


def _lefts(columns: Sequence[int], links: Sequence[Link], shape: _Shape) -> tuple[list[int], int]:
    """The left edge of every column, and the total width, with room at the right for edges within the last column."""
    last = max(columns, default=0)
    passing: Counter[int] = Counter()
    for source, target in links:
        passing.update(range(*sorted((columns[source], columns[target]))))
    least, most = shape.channel
    lefts = [_MARGIN]
    for column in range(last):
        lefts.append(lefts[-1] + shape.width + round(min(max(least, 40 + _PER_EDGE * passing[column]), most)))
    within = any(columns[source] == columns[target] == last for source, target in links)
    return lefts, lefts[-1] + shape.width + _MARGIN + (32 if within else 0)


def _passed(link: Link, columns: Sequence[int], lefts: Sequence[int], layout: Layout) -> list[tuple[int, float]]:
    """The columns that an edge passes on its way, in its direction: their left edges and the height there."""
    source, target = link
    first, last = sorted((columns[source], columns[target]))
    heights = layout.bends.get(link) or layout.bends.get((target, source)) or ()
    bends = [(lefts[column], _MARGIN + height) for column, height in zip(range(first + 1, last), heights, strict=False)]
    return bends if columns[source] <= columns[target] else bends[::-1]


def _look(node: Node | None) -> str:
    if node is None:
        return "n absent"
    kind = node.kind if node.kind in _KINDS else "other"
    return f"n {kind} {node.category}" if node.category in _CATEGORIES else f"n {kind}"


def _caption(node: Node) -> str:
    kind = clip(node.kind, 14) or "no kind"
    return f"{kind} · {clip(node.category, 14)}" if node.category else kind


def _about(node: Node, names: Mapping[str, str]) -> str:
    """The whole label, the id, the threshold of a goal, and what an option sets."""
    text = [f"{_caption(node)}: {clip(node.label or '', _LONGEST_LABEL) or '(no label)'}", f"id {clip(node.id, 200)}"]
    threshold = node.goal_threshold
    if threshold is not None:
        text.append(f"threshold {clip(threshold, 100) if isinstance(threshold, str) else parameter(threshold)}")
    if node.interventions:
        settings = sorted(node.interventions.items())
        text.append("sets")
        text += [
            f"  {clip(names.get(key) or key, 80)} = {parameter(value)}" for key, value in settings[:_MAX_INTERVENTIONS]
        ]
        if len(settings) > _MAX_INTERVENTIONS:
            text.append(f"  and {len(settings) - _MAX_INTERVENTIONS} more")
    return "\n".join(text)


def _note(graph: DraftGraph, nodes: int, edges: int) -> str:
    if nodes == len(graph.nodes) and edges == len(graph.edges):
        return ""
    return (
        f"The drawing shows {nodes:,} of {len(graph.nodes):,} nodes and {edges:,} of {len(graph.edges):,} edges; "
        "more could not be read."
    )


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
        about=_about_edge(edge, names),
        middle=middle,
    )


def _about_edge(edge: Edge, names: Mapping[str, str]) -> str:
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
