"""What is drawn of a graph: boxes, arrows and badges with their places, and what of them is highlighted."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

from stages.contracts.graph import DraftGraph
from stages.contracts.scorecard import Finding

Point = tuple[float, float]
Look = Literal["bad", "added", "removed", "changed"]
_MAX_NUMBERS = 3


@dataclass(frozen=True, slots=True)
class Box:
    """A node.

    `node` is its position in the graph's nodes, None for a node that edges name but the graph lacks; `about` is all about it,
    for whoever points at it.
    """

    key: str
    node: int | None
    x: int
    y: int
    width: int
    height: int
    look: str
    caption: str
    lines: tuple[str, ...]
    about: str


@dataclass(frozen=True, slots=True)
class Arrow:
    """An edge.

    `edge` is its position in the graph's edges, `opacity` is empty for opaque, `head` is the class of its head, `middle` is the
    place for a badge.
    """

    edge: int
    look: str
    path: str
    width: str
    opacity: str
    head: str
    both_ways: bool
    about: str
    middle: Point


@dataclass(frozen=True, slots=True)
class Badge:
    """A small text beside something that is highlighted: its centre and half its width."""

    look: str
    x: float
    y: float
    half: int
    text: str


@dataclass(frozen=True, slots=True)
class Sketch:
    """Everything that is drawn, without boxes for an empty graph; `note` says what is left out, empty for nothing."""

    boxes: tuple[Box, ...]
    arrows: tuple[Arrow, ...]
    width: int
    height: int
    note: str
    badges: tuple[Badge, ...] = ()


@dataclass(frozen=True, slots=True)
class Accent:
    """How one node or edge is highlighted, and the short text of its badge, empty for none."""

    look: Look
    badge: str = ""


@dataclass(frozen=True, slots=True)
class Emphasis:
    """What is highlighted: nodes and edges by position in the graph, absent nodes by the id with which edges name them."""

    nodes: Mapping[int, Accent]
    edges: Mapping[int, Accent]
    absent: Mapping[str, Accent] = field(default_factory=dict)


def emphasis_of(graph: DraftGraph, findings: Iterable[Finding]) -> Emphasis:
    """The nodes and edges that findings name, with the findings' numbers (from 1) as badges."""
    by_node: dict[str, list[int]] = {}
    by_place: dict[int, list[int]] = {}
    for number, finding in enumerate(findings, start=1):
        for node in finding.nodes:
            by_node.setdefault(node, []).append(number)
        for edge in finding.edges:
            by_place.setdefault(edge.index, []).append(number)
    return Emphasis(
        nodes={at: _accent(by_node[node.id]) for at, node in enumerate(graph.nodes) if node.id in by_node},
        edges={at: _accent(by_place[edge.index]) for at, edge in enumerate(graph.edges) if edge.index in by_place},
        absent={node: _accent(numbers) for node, numbers in by_node.items()},
    )


def highlighted(sketch: Sketch, emphasis: Emphasis) -> Sketch:
    """The sketch with its emphasis and the badges."""
    on_boxes = [
        emphasis.absent.get(box.key) if box.node is None else emphasis.nodes.get(box.node) for box in sketch.boxes
    ]
    on_arrows = [emphasis.edges.get(arrow.edge) for arrow in sketch.arrows]
    boxes = list(map(_box, sketch.boxes, on_boxes))
    arrows = list(map(_arrow, sketch.arrows, on_arrows))
    corners: list[Point] = [(box.x + box.width - 6, box.y + 2) for box in boxes]
    middles = [arrow.middle for arrow in arrows]
    badges = _badges(zip([*middles, *corners], [*on_arrows, *on_boxes], strict=True))
    return replace(sketch, boxes=tuple(boxes), arrows=tuple(arrows), badges=tuple(badges))


def _accent(numbers: list[int]) -> Accent:
    unique = sorted(set(numbers))
    text = ",".join(map(str, unique[:_MAX_NUMBERS]))
    return Accent("bad", text + ("…" if len(unique) > _MAX_NUMBERS else ""))


def _box(box: Box, accent: Accent | None) -> Box:
    return replace(box, look=f"{box.look} {accent.look}") if accent else box


def _arrow(arrow: Arrow, accent: Accent | None) -> Arrow:
    if accent is None:
        return arrow
    head = "bad" if accent.look == "bad" else arrow.head
    return replace(arrow, look=f"{arrow.look} {accent.look}", opacity="", head=head)


def _badges(places: Iterable[tuple[Point, Accent | None]]) -> Iterator[Badge]:
    for (x, y), accent in places:
        if accent and accent.badge:
            yield Badge(accent.look, x, y, 8 + 3 * (len(accent.badge) - 1), accent.badge)
