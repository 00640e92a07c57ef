"""What is drawn of a graph: boxes, arrows and badges with their places, texts and classes in the style sheet."""

from dataclasses import dataclass

Point = tuple[float, float]


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
