"""Drawings of draft graphs as inline SVG: every node and edge with its place.

A graph that breaks every rule can be drawn too. Edges are arrows: width by strength, + or - and
colour by sign, opacity by the probability that they exist. `graph.svg.j2` has the shapes.
"""

import textwrap
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from markupsafe import Markup
from rich.cells import cell_len

from graph_evaluator.present.page import environment
from graph_evaluator.records.graph import STRUCTURAL, DraftGraph, Node
from graph_evaluator.records.scorecard import Finding
from graph_evaluator.report.drawing.layout import columns_of, lay_out
from graph_evaluator.shell.text import clip

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
class Sketch:
    """A drawing as one `<svg>` element, empty for an empty graph.

    `name` begins its ids and is unique on its page, `title` describes it; `note` says what is left
    out, empty for nothing; `cut` are the labels that have more lines than the drawing shows;
    `edges` are the places of the drawn edges in the answer.
    """

    name: str
    title: str
    svg: Markup
    note: str = ""
    cut: Sequence[str] = ()
    edges: frozenset[int] = frozenset()


def draw_graph(
    graph: DraftGraph, name: str, title: str, findings: Iterable[Finding] = ()
) -> Sketch:
    """Every node and edge of a graph, valid or not, and a box for every end of an edge that is no
    node. What findings name is highlighted.
    """
    named: set[str | int] = set()
    for finding in findings:
        named.update(finding.nodes, (edge.index for edge in finding.edges))
    known = {node.id for node in graph.nodes}
    ends = dict.fromkeys(end for edge in graph.edges for end in (edge.source, edge.target))
    absent = [Node(id=end, kind="") for end in ends if end not in known]
    nodes = [*graph.nodes, *absent][:MAX_NODES]
    if not nodes:
        return Sketch(name, title, Markup())
    positions = {node.id: position for position, node in reversed(list(enumerate(nodes)))}
    drawable = (edge for edge in graph.edges if {edge.source, edge.target} <= positions.keys())
    edges = list(drawable)[:MAX_EDGES]
    links = [(positions[edge.source], positions[edge.target]) for edge in edges]
    directed = [link for link, edge in zip(links, edges, strict=True) if not edge.bidirected]
    labels = [clip(node.label or node.id, _LONGEST_LABEL) or "(no label)" for node in nodes]
    lines = list(map(label_lines, labels))
    heights = [_CAPTION_AND_FOOT + _LINE * len(lines_of_one) for lines_of_one in lines]
    layout = lay_out(columns_of([node.kind for node in nodes], directed), heights, links, _WIDTH)
    template = environment("graph_evaluator.report.drawing").get_template("graph.svg.j2")
    drawing = template.render(
        name=name,
        title=title,
        layout=layout,
        named=named,
        boxes=list(zip(range(len(nodes)), nodes, labels, lines, layout.places, strict=True)),
        arrows=list(zip(edges, links, layout.paths, strict=True)),
        known=len(graph.nodes),
        labels={node.id: label for node, label in zip(nodes[::-1], labels[::-1], strict=True)},
        structural=STRUCTURAL,
    )
    svg = Markup(drawing)  # noqa: S704 (every text in it is escaped by the template)
    cut = [label for label, shown in zip(labels, lines, strict=True) if shown[-1].endswith("…")]
    drawn = frozenset(edge.index for edge in edges)
    return Sketch(name, title, svg, _note(graph, len(edges)), cut, drawn)


def label_lines(text: str) -> list[str]:
    """The text in at most `MAX_LINES` lines, in whose width an East Asian letter takes the room of
    two Latin ones; the last line ends with an ellipsis when not all of it fits.

    >>> label_lines("Flour quality grade of the mill")
    ['Flour quality', 'grade of the mill']
    """
    begin = text[: MAX_LINES * 200]
    letters = max(_LETTERS * len(begin) // max(cell_len(begin), 1), 1)
    return textwrap.wrap(begin, letters, max_lines=MAX_LINES, placeholder="…") or [""]


def _note(graph: DraftGraph, edges: int) -> str:
    nodes = min(len(graph.nodes), MAX_NODES)
    if nodes == len(graph.nodes) and edges == len(graph.edges):
        return ""
    return (
        f"The drawing shows {nodes:,} of {len(graph.nodes):,} nodes and {edges:,} of "
        f"{len(graph.edges):,} edges; more could not be read."
    )
