"""Drawings of draft graphs as inline SVG: every node and edge with its place.

A graph that breaks every rule can be drawn too. Edges are arrows: width by strength, + or - and
colour by sign, opacity by the probability that they exist. `graph.svg.j2` draws the parts that are
made here.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from markupsafe import Markup
from rich.cells import cell_len, chop_cells, set_cell_size

from stages.report.drawing.layout import Place, Point, columns_of, lay_out
from stages.shared.present.page import environment
from stages.shared.records.graph import STRUCTURAL, DraftGraph, Edge, Node
from stages.shared.records.scorecard import Finding
from stages.shared.shell.numbers import parameter
from stages.shared.shell.text import clip, visible

MAX_NODES = 150
MAX_EDGES = 300
"""More than these are not drawn: nobody could read them, and an answer must not be able to make
a page huge."""
MAX_LINES = 6
"""Lines of a label; more are shown where the box is pointed at, and below the drawing."""
_KINDS = frozenset({"decision", "option", "factor", "outcome", "risk", "goal"})
_CATEGORIES = frozenset({"controllable", "observable", "external"})
_LINE, _CAPTION_AND_FOOT, _SIDES = 15, 33, 24
_COLUMN = 7
"""Pixels that a letter is wide at most; the script narrows the lines of wider fonts."""
_WIDTH, _WIDTH_IN_CROWD = 150, 200
_CROWD = 14
"""Nodes in one column from which boxes are wide, so that the drawing does not become too tall."""
_LONGEST_LABEL = 6000
_NAME_COLUMNS = 80
_MAX_INTERVENTIONS = 40
_MAX_NUMBERS = 3


@dataclass(frozen=True, slots=True)
class Accent:
    """How a node or an edge is highlighted, and the short text of its badge, empty for none."""

    look: Literal["bad", "added", "removed", "changed"]
    badge: str = ""


@dataclass(frozen=True, slots=True)
class Emphasis:
    """What is highlighted: nodes by their position in the graph or by an id, and edges by their
    place in the answer.
    """

    nodes: Mapping[int | str, Accent] = field(default_factory=dict)
    edges: Mapping[int, Accent] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Sketch:
    """A drawing as one `<svg>` element, empty for an empty graph.

    `name` begins its ids and is unique on its page, `title` describes it; `note` says what is left
    out, empty for nothing; `cut` are the labels that have more lines than the drawing shows.
    """

    name: str
    title: str
    svg: Markup
    note: str
    cut: Sequence[str]


@dataclass(frozen=True, slots=True)
class _Box:
    """A node: its classes, its caption, its label, and all about it for who points at it."""

    look: str
    caption: str
    lines: Sequence[str]
    about: str
    place: Place
    accent: Accent | None


@dataclass(frozen=True, slots=True)
class _Arrow:
    """An edge: the positions of its ends, its classes, and its parameters for who points at it."""

    ends: str
    look: str
    sign: str
    width: float
    exists: float
    about: str
    path: str
    middle: Point
    accent: Accent | None


_PLAIN = Emphasis()


def emphasis_of(findings: Iterable[Finding]) -> Emphasis:
    """The nodes and edges that findings name, with the findings' numbers (from 1) as badges."""
    nodes: defaultdict[int | str, list[int]] = defaultdict(list)
    edges: defaultdict[int, list[int]] = defaultdict(list)
    for number, finding in enumerate(findings, start=1):
        for node in finding.nodes:
            nodes[node].append(number)
        for edge in finding.edges:
            edges[edge.index].append(number)
    return Emphasis(
        {node: _accent(numbers) for node, numbers in nodes.items()},
        {index: _accent(numbers) for index, numbers in edges.items()},
    )


def _accent(numbers: Sequence[int]) -> Accent:
    unique = list(dict.fromkeys(numbers))
    more = "…" if len(unique) > _MAX_NUMBERS else ""
    return Accent("bad", ",".join(map(str, unique[:_MAX_NUMBERS])) + more)


def draw_graph(graph: DraftGraph, name: str, title: str, emphasis: Emphasis = _PLAIN) -> Sketch:
    """Every node and edge of a graph, valid or not, and a box for every end of an edge that is no
    node.
    """
    known = {node.id for node in graph.nodes}
    ends = dict.fromkeys(end for edge in graph.edges for end in (edge.source, edge.target))
    absent = [Node(id=end, kind="") for end in ends if end not in known]
    nodes = [*graph.nodes, *absent][:MAX_NODES]
    positions = {node.id: position for position, node in reversed(list(enumerate(nodes)))}
    drawable = (edge for edge in graph.edges if {edge.source, edge.target} <= positions.keys())
    edges = list(drawable)[:MAX_EDGES]
    links = [(positions[edge.source], positions[edge.target]) for edge in edges]
    directed = [link for link, edge in zip(links, edges, strict=True) if not edge.bidirected]
    columns = columns_of([node.kind for node in nodes], directed)
    crowded = max(Counter(columns).values(), default=0) > _CROWD
    width = _WIDTH_IN_CROWD if crowded else _WIDTH
    labels = [visible(node.label or node.id) or "(no label)" for node in nodes]
    lines = [label_lines(label, (width - _SIDES) // _COLUMN) for label in labels]
    heights = [_CAPTION_AND_FOOT + _LINE * len(lines_of_one) for lines_of_one in lines]
    layout = lay_out(columns, heights, links, width)
    names = {node.id: label for node, label in reversed(list(zip(nodes, labels, strict=True)))}
    boxes = []
    for position, node in enumerate(nodes):
        is_known = position < len(graph.nodes)
        caption = _caption(node) if is_known else "not in the graph"
        box = _Box(
            look=_look(node) if is_known else "absent",
            caption=caption,
            lines=lines[position],
            about=f"{caption}: {clip(labels[position], _LONGEST_LABEL)}\n{_about(node, names)}",
            place=layout.places[position],
            accent=emphasis.nodes.get(node.id) or emphasis.nodes.get(position),
        )
        boxes.append(box)
    arrows = []
    for edge, (source, target), (path, middle) in zip(edges, links, layout.routes, strict=True):
        is_choice = (nodes[source].kind, nodes[target].kind) in STRUCTURAL and not edge.bidirected
        sign = "set" if is_choice else _sign(edge)
        arrow = _Arrow(
            ends=f"{source} {target}",
            look=f"{sign} both" if edge.bidirected else sign,
            sign=sign,
            width=1.5 if is_choice else 1.2 + 4.3 * min(abs(edge.mean or 0.0), 1.0),
            exists=_probability(edge),
            about="" if is_choice else _parameters(edge),
            path=path,
            middle=middle,
            accent=emphasis.edges.get(edge.index),
        )
        arrows.append(arrow)
    template = environment("stages.report.drawing").get_template("graph.svg.j2")
    svg = template.render(name=name, title=title, layout=layout, boxes=boxes, arrows=arrows)
    cut = [label for label, shown in zip(labels, lines, strict=True) if shown[-1].endswith("…")]
    return Sketch(
        name=name,
        title=title,
        # Every text in it is escaped by the template.
        svg=Markup(svg) if nodes else Markup(),  # noqa: S704
        note=_note(graph, len(edges)),
        cut=[clip(label, _LONGEST_LABEL) for label in cut],
    )


def label_lines(text: str, columns: int) -> list[str]:
    """The text in at most `MAX_LINES` lines of so many columns of a terminal, of which a Latin
    letter takes one and an East Asian one two; the last line ends with an ellipsis when not all of
    it fits.

    >>> label_lines("Flour quality grade of the mill", 14)
    ['Flour quality', 'grade of the', 'mill']
    """
    lines = [""]
    for word in text[: MAX_LINES * 200].split():
        for piece in chop_cells(word, columns):
            joined = f"{lines[-1]} {piece}".strip()
            if cell_len(joined) > columns:
                lines.append(piece)
            else:
                lines[-1] = joined
    if len(lines) > MAX_LINES:
        last = set_cell_size(lines[MAX_LINES - 1], columns - 1).rstrip()
        lines[MAX_LINES - 1 :] = [f"{last}…"]
    return lines


def _look(node: Node) -> str:
    look = node.kind if node.kind in _KINDS else "other"
    return f"{look} {node.category}" if node.category in _CATEGORIES else look


def _caption(node: Node) -> str:
    kind = clip(node.kind, 14) or "no kind"
    return f"{kind} · {clip(node.category, 14)}" if node.category else kind


def _about(node: Node, names: Mapping[str, str]) -> str:
    lines = [f"id {clip(node.id, 200)}"]
    threshold = node.goal_threshold
    if threshold is not None:
        shown = clip(threshold, 100) if isinstance(threshold, str) else parameter(threshold)
        lines.append(f"threshold {shown}")
    settings = sorted(node.interventions.items())
    if settings:
        lines.append("sets")
    for factor, value in settings[:_MAX_INTERVENTIONS]:
        lines.append(f"  {clip(names.get(factor, factor), _NAME_COLUMNS)} = {parameter(value)}")
    if len(settings) > _MAX_INTERVENTIONS:
        lines.append(f"  and {len(settings) - _MAX_INTERVENTIONS} more")
    return "\n".join(lines)


def _sign(edge: Edge) -> str:
    mean = edge.mean or 0.0
    if mean == 0:
        return "nil"
    return "pos" if mean > 0 else "neg"


def _probability(edge: Edge) -> float:
    exists = edge.exists_probability
    return 1.0 if exists is None else min(max(exists, 0.0), 1.0)


def _parameters(edge: Edge) -> str:
    """What the script of the pages adds the names of the ends to."""
    return (
        f"strength {parameter(edge.mean)} ± {parameter(edge.std)}, "
        f"exists with probability {parameter(edge.exists_probability)}"
    )


def _note(graph: DraftGraph, edges: int) -> str:
    nodes = min(len(graph.nodes), MAX_NODES)
    if nodes == len(graph.nodes) and edges == len(graph.edges):
        return ""
    return (
        f"The drawing shows {nodes:,} of {len(graph.nodes):,} nodes and {edges:,} of "
        f"{len(graph.edges):,} edges; more could not be read."
    )
