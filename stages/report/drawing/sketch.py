"""Drawings of draft graphs as inline SVG: every node and edge with its place.

A graph that breaks every rule can be drawn too. Edges are arrows: width by strength, + or - and
colour by sign, opacity by the probability that they exist. `graph.svg.j2` has the shapes.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from markupsafe import Markup
from rich.cells import cell_len, chop_cells, set_cell_size

from stages.report.drawing.layout import columns_of, lay_out
from stages.shared.present.page import environment
from stages.shared.records.graph import STRUCTURAL, DraftGraph, Node
from stages.shared.records.scorecard import Finding
from stages.shared.shell.text import clip

MAX_NODES = 150
MAX_EDGES = 300
"""More than these are not drawn: nobody could read them, and an answer must not be able to make
a page huge."""
MAX_LINES = 6
"""Lines of a label; more are shown where the box is pointed at, and below the drawing."""
_LINE, _CAPTION_AND_FOOT = 15, 33
_WIDTH, _LETTERS = 150, 18
"""Pixels of a box, and letters in a line of it; the script narrows the lines of wider fonts."""
_LONGEST_LABEL = 6000


@dataclass(frozen=True, slots=True)
class Looks:
    """What is highlighted, and how (bad, added, removed, changed): nodes by their position in the
    graph or by an id, and edges by their place in the answer.
    """

    nodes: dict[int | str, str] = field(default_factory=dict)
    edges: dict[int, str] = field(default_factory=dict)


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


_PLAIN = Looks()


def looks_of(findings: Iterable[Finding]) -> Looks:
    """The nodes and edges that findings name, as bad."""
    found = list(findings)
    return Looks(
        {node: "bad" for finding in found for node in finding.nodes},
        {edge.index: "bad" for finding in found for edge in finding.edges},
    )


def draw_graph(graph: DraftGraph, name: str, title: str, looks: Looks = _PLAIN) -> Sketch:
    """Every node and edge of a graph, valid or not, and a box for every end of an edge that is no
    node.
    """
    known = {node.id for node in graph.nodes}
    ends = dict.fromkeys(end for edge in graph.edges for end in (edge.source, edge.target))
    absent = [Node(id=end, kind="") for end in ends if end not in known]
    nodes = [*graph.nodes, *absent][:MAX_NODES]
    if not nodes:
        return Sketch(name, title, Markup(), "", [])
    positions = {node.id: position for position, node in reversed(list(enumerate(nodes)))}
    drawable = (edge for edge in graph.edges if {edge.source, edge.target} <= positions.keys())
    edges = list(drawable)[:MAX_EDGES]
    links = [(positions[edge.source], positions[edge.target]) for edge in edges]
    directed = [link for link, edge in zip(links, edges, strict=True) if not edge.bidirected]
    labels = [clip(node.label or node.id, _LONGEST_LABEL) or "(no label)" for node in nodes]
    lines = [label_lines(label, _LETTERS) for label in labels]
    heights = [_CAPTION_AND_FOOT + _LINE * len(lines_of_one) for lines_of_one in lines]
    layout = lay_out(columns_of([node.kind for node in nodes], directed), heights, links, _WIDTH)
    drawing = (
        environment("stages.report.drawing")
        .get_template("graph.svg.j2")
        .render(
            name=name,
            title=title,
            layout=layout,
            looks=looks,
            boxes=list(zip(range(len(nodes)), nodes, labels, lines, layout.places, strict=True)),
            arrows=list(zip(edges, links, layout.paths, strict=True)),
            known=len(graph.nodes),
            labels={
                node.id: label for node, label in reversed(list(zip(nodes, labels, strict=True)))
            },
            structural=STRUCTURAL,
        )
    )
    svg = Markup(drawing)  # noqa: S704 (every text in it is escaped by the template)
    cut = [label for label, shown in zip(labels, lines, strict=True) if shown[-1].endswith("…")]
    return Sketch(name, title, svg, _note(graph, len(edges)), cut)


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


def _note(graph: DraftGraph, edges: int) -> str:
    nodes = min(len(graph.nodes), MAX_NODES)
    if nodes == len(graph.nodes) and edges == len(graph.edges):
        return ""
    return (
        f"The drawing shows {nodes:,} of {len(graph.nodes):,} nodes and {edges:,} of "
        f"{len(graph.edges):,} edges; more could not be read."
    )
