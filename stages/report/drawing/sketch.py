"""Drawings of draft graphs as inline SVG: every node and edge with its place.

A graph that breaks every rule can be drawn too. Edges are arrows: width by strength, + or - and
colour by sign, opacity by the probability that they exist.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from markupsafe import Markup, escape

from stages.report.drawing.label import label_lines
from stages.report.drawing.layout import Layout, Place, Point, Shape, columns_of, lay_out
from stages.shared.records.graph import STRUCTURAL, DraftGraph, Edge, Node
from stages.shared.records.scorecard import Finding
from stages.shared.shell.numbers import parameter
from stages.shared.shell.text import clip, visible

MAX_NODES = 150
MAX_EDGES = 300
"""More than these are not drawn: nobody could read them, and an answer must not be able to make
a page huge."""
_KINDS = frozenset({"decision", "option", "factor", "outcome", "risk", "goal"})
_CATEGORIES = frozenset({"controllable", "observable", "external"})
_LINE = 15
_CAPTION = 24
_FOOT = 9
_LONGEST_LABEL = 6000
_NAME_COLUMNS = 80
_MAX_INTERVENTIONS = 40
_MAX_NUMBERS = 3
_FONT = 12
_LEFT = 12
"""Where text begins in a box, whose right margin is the same."""
_USUAL = Shape(140, 4, 12.0, (40, 96))
_CROWDED = Shape(192, 2, 9.0, (64, 180))
_CROWD = 14
"""Nodes in one column from which boxes are low and wide, so that the drawing does not become too
tall."""
_SIGNS = {"pos": "M4,5.5h5M6.5,3v5", "neg": "M4,5.5h5", "nil": "", "set": ""}
"""What is written into the circle beside the head of an arrow, none for an empty path."""
_HEAD = (
    '<marker id="{name}-{sign}" class="{sign}" refX="20" refY="5.5" markerWidth="21" '
    'markerHeight="11" markerUnits="userSpaceOnUse" orient="auto-start-reverse">'
    '{circle}<path d="M12,1.5L21,5.5L12,9.5z"/></marker>'
)
_CIRCLE = '<rect x="2" y="1" width="9" height="9" rx="4.5"/><path class="sign" d="{}"/>'


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

    `name` begins its ids and is unique on its page, `title` describes it, `width` is in pixels;
    `note` says what is left out, empty for nothing.
    """

    name: str
    title: str
    svg: Markup
    width: int
    note: str


@dataclass(frozen=True, slots=True)
class _Facts:
    """What a box says: its classes, its caption, and all about the node for who points at it."""

    look: str
    caption: str
    about: str


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
    """Every node and edge of a graph, valid or not."""
    known = graph.nodes[:MAX_NODES]
    edges = _shown_edges(graph)
    nodes = [*known, *_absent(known, edges)]
    positions = {node.id: position for position, node in reversed(list(enumerate(nodes)))}
    edges = [edge for edge in edges if edge.source in positions and edge.target in positions]
    links = [(positions[edge.source], positions[edge.target]) for edge in edges]
    directed = [link for link, edge in zip(links, edges, strict=True) if not edge.bidirected]
    columns = columns_of([node.kind for node in nodes], directed)
    shape = _CROWDED if max(Counter(columns).values(), default=0) > _CROWD else _USUAL
    labels = [_label_lines(node, shape) for node in nodes]
    heights = [_CAPTION + _LINE * len(lines) + _FOOT for lines in labels]
    layout = lay_out(tuple(columns), tuple(heights), tuple(links), shape)
    names = {node.id: node.label or node.id for node in reversed(graph.nodes)}
    arrows, boxes, badges = [], [], []
    for edge, (path, middle), (source, target) in zip(edges, layout.routes, links, strict=True):
        accent = emphasis.edges.get(edge.index)
        choice = (nodes[source].kind, nodes[target].kind) in STRUCTURAL
        ends = f'data-ends="{source} {target}"'
        arrows.append(_arrow(edge, f'{ends} d="{path}"', name, accent, choice=choice))
        badges.append(_badge(accent, middle))
    for position, node in enumerate(nodes):
        place = layout.places[position]
        accent = emphasis.nodes.get(node.id)
        facts = _facts_of_absent(node)
        if position < len(known):
            accent = accent or emphasis.nodes.get(position)
            facts = _facts(node, names)
        boxes.append(_box(f"{name}-n{position}", place, labels[position], facts, accent))
        badges.append(_badge(accent, (place.x + place.width - 6, place.y + 2)))
    parts = (_opening(name, title, layout), *arrows, *boxes, *badges, "</svg>")
    return Sketch(
        name=name,
        title=title,
        # Every text in it is escaped.
        svg=Markup("".join(parts)) if nodes else Markup(),  # noqa: S704
        width=layout.width,
        note=_note(graph, len(known), len(edges)),
    )


def _label_lines(node: Node, shape: Shape) -> tuple[str, ...]:
    ems = (shape.width - 2 * _LEFT) / _FONT
    return label_lines(node.label or node.id, ems, shape.lines) or ("(no label)",)


def _shown_edges(graph: DraftGraph) -> list[Edge]:
    """The first edges that do not end at a node that is left out."""
    known = {node.id for node in graph.nodes[:MAX_NODES]}
    hidden = {node.id for node in graph.nodes[MAX_NODES:]} - known
    edges = [edge for edge in graph.edges if not {edge.source, edge.target} & hidden]
    return edges[:MAX_EDGES]


def _absent(known: Sequence[Node], edges: Sequence[Edge]) -> list[Node]:
    """A node for every end of an edge that is not in the graph."""
    ids = {node.id for node in known}
    ends = dict.fromkeys(end for edge in edges for end in (edge.source, edge.target))
    absent = [end for end in ends if end not in ids]
    room = max(2 * MAX_NODES - len(known), 0)
    return [Node(id=end, kind="") for end in absent[:room]]


def _opening(name: str, title: str, layout: Layout) -> str:
    size = f'width="{layout.width}" height="{layout.height}"'
    room = f'viewBox="0 0 {layout.width} {layout.height}"'
    circles = {sign: _CIRCLE.format(path) if path else "" for sign, path in _SIGNS.items()}
    heads = "".join(
        _HEAD.format(name=name, sign=sign, circle=circle) for sign, circle in circles.items()
    )
    return (
        f'<svg class="graph" xmlns="http://www.w3.org/2000/svg" {size} {room} role="img" '
        f'aria-label="{escape(visible(title))}"><defs>{heads}</defs>'
    )


def _box(
    box_id: str, place: Place, lines: Iterable[str], facts: _Facts, accent: Accent | None
) -> str:
    texts = [
        f'<text x="{_LEFT}" y="{33 + _LINE * number}">{escape(line)}</text>'
        for number, line in enumerate(lines)
    ]
    return (
        f'<g class="{_accented(facts.look, accent)}" id="{box_id}" '
        f'transform="translate({place.x},{place.y})"><title>{escape(facts.about)}</title>'
        f'<rect width="{place.width}" height="{place.height}" rx="5"/>'
        f'<path class="bar" d="M3,6v{place.height - 12}"/>'
        f'<svg width="{place.width - 2}" height="{place.height}">'
        f'<text class="c" x="{_LEFT}" y="16">{escape(facts.caption)}</text>'
        f"{''.join(texts)}</svg></g>"
    )


def _badge(accent: Accent | None, at: Point) -> str:
    if accent is None or not accent.badge:
        return ""
    x, y = at
    half = 5 + 3 * len(accent.badge)
    return (
        f'<g class="badge {accent.look}"><rect x="{x - half}" y="{y - 8}" width="{2 * half}" '
        f'height="16" rx="8"/><text x="{x}" y="{y + 4}">{escape(accent.badge)}</text></g>'
    )


def _facts_of_absent(node: Node) -> _Facts:
    caption = "not in the graph"
    about = f"{caption}: {clip(node.id, 200)}\nedges name it, but there is no such node"
    return _Facts("n absent", caption, about)


def _look(node: Node) -> str:
    look = f"n {node.kind}" if node.kind in _KINDS else "n other"
    return f"{look} {node.category}" if node.category in _CATEGORIES else look


def _accented(look: str, accent: Accent | None) -> str:
    return f"{look} {accent.look}" if accent else look


def _caption(node: Node) -> str:
    kind = clip(node.kind, 14) or "no kind"
    return f"{kind} · {clip(node.category, 14)}" if node.category else kind


def _facts(node: Node, names: Mapping[str, str]) -> _Facts:
    caption = _caption(node)
    label = clip(node.label or "", _LONGEST_LABEL) or "(no label)"
    lines = [f"{caption}: {label}", f"id {clip(node.id, 200)}"]
    threshold = node.goal_threshold
    if isinstance(threshold, str):
        lines.append(f"threshold {clip(threshold, 100)}")
    elif threshold is not None:
        lines.append(f"threshold {parameter(threshold)}")
    settings = sorted(node.interventions.items())
    if settings:
        lines.append("sets")
    for factor, value in settings[:_MAX_INTERVENTIONS]:
        lines.append(f"  {_name(factor, names)} = {parameter(value)}")
    if len(settings) > _MAX_INTERVENTIONS:
        lines.append(f"  and {len(settings) - _MAX_INTERVENTIONS} more")
    return _Facts(_look(node), caption, "\n".join(lines))


def _name(node_id: str, names: Mapping[str, str]) -> str:
    return clip(names.get(node_id, ""), _NAME_COLUMNS) or clip(node_id, _NAME_COLUMNS)


def _arrow(edge: Edge, shape: str, name: str, accent: Accent | None, *, choice: bool) -> str:
    """An arrow; the script of the pages adds the names of its ends to what is said about it."""
    sign = _sign(edge, choice=choice)
    strength = f"{1.2 + 4.3 * min(abs(edge.mean or 0.0), 1.0):.2g}"
    width = "1.5" if sign == "set" else strength
    exists = 1.0 if edge.exists_probability is None else edge.exists_probability
    opacity = 0.3 + 0.7 * min(max(exists, 0.0), 1.0)
    opaque = opacity >= 1 or accent is not None
    paleness = "" if opaque else f' stroke-opacity="{opacity:.2g}"'
    head = f"url(#{name}-{sign})"
    look, start = f"e {sign}", ""
    if edge.bidirected:
        look, start = f"e {sign} both", f' marker-start="{head}"'
    about = (
        f"strength {parameter(edge.mean)} ± {parameter(edge.std)}, "
        f"exists with probability {parameter(edge.exists_probability)}"
    )
    title = "" if sign == "set" else f"<title>{escape(about)}</title>"
    return (
        f'<path class="{_accented(look, accent)}" {shape} stroke-width="{width}"{paleness}'
        f'{start} marker-end="{head}">{title}</path>'
    )


def _sign(edge: Edge, *, choice: bool) -> str:
    if choice and not edge.bidirected:
        return "set"
    mean = edge.mean or 0.0
    if mean == 0:
        return "nil"
    return "pos" if mean > 0 else "neg"


def _note(graph: DraftGraph, nodes: int, edges: int) -> str:
    if nodes == len(graph.nodes) and edges == len(graph.edges):
        return ""
    return (
        f"The drawing shows {nodes:,} of {len(graph.nodes):,} nodes and {edges:,} of "
        f"{len(graph.edges):,} edges; more could not be read."
    )
