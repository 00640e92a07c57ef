"""Drawings of draft graphs as inline SVG: every node and edge with its place.

A graph that breaks every rule can be drawn too. Edges are arrows: width by strength, + or - and
colour by sign, opacity by the probability that they exist. The style sheet has the colours.
"""

import textwrap
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from typing import NamedTuple

from markupsafe import Markup, escape
from rich.cells import cell_len

from graph_evaluator.records.graph import STRUCTURAL, DraftGraph, Edge, Node
from graph_evaluator.records.scorecard import Finding
from graph_evaluator.report.drawing.layout import Layout, Link, Place, columns_of, lay_out
from graph_evaluator.report.graph_text import labels_of, node_settings
from graph_evaluator.shell.numbers import first_of, parameter
from graph_evaluator.shell.text import clip, visible

MAX_NODES = 150
MAX_EDGES = 300
"""More than these are not drawn: nobody could read them, and an answer must not be able to make
a page huge."""
MAX_LINES = 6
"""Lines of a label; more are shown where the box is pointed at, and below the drawing."""
MAX_SETTINGS = 40
"""Settings of an option that are shown where its box is pointed at."""
_LINE, _CAPTION_AND_FOOT = 15, 33
_WIDTH, _LETTERS = 150, 18
"""Pixels of a box, and letters in a line of it; the script narrows the lines of wider fonts."""
_LONGEST_LABEL = 6000
_KINDS = ("decision", "option", "factor", "outcome", "risk", "goal")
_CATEGORIES = ("controllable", "observable", "external")
_DISC = '<rect x="2" y="1" width="9" height="9" rx="4.5"/>'
_SIGNS = {
    "pos": f'{_DISC}<path class="sign" d="M4,5.5h5M6.5,3v5"/>',
    "neg": f'{_DISC}<path class="sign" d="M4,5.5h5"/>',
    "nil": "",
    "set": "",
}
"""The looks of an arrow, with the sign in its head: raises, lowers, neither; a choice."""


class Sketch(NamedTuple):
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
    pen = _Pen(name, named, nodes, len(graph.nodes), labels_of(graph))
    arrows = map(pen.arrow, edges, links, layout.paths)
    boxes = map(pen.box, count(), labels, lines, layout.places)
    drawing = "\n".join([pen.head(title, layout), *arrows, *boxes, "</svg>"])
    svg = Markup(drawing)  # noqa: S704 (the pen escapes every text in it)
    cut = [label for label, shown in zip(labels, lines, strict=True) if shown[-1].endswith("…")]
    drawn = frozenset(edge.index for edge in edges)
    return Sketch(name, title, svg, _note(graph, len(edges)), cut, drawn)


@dataclass(frozen=True, slots=True)
class _Pen:
    """Writes the elements of the drawing of this `name`, every text in them escaped. `named` are
    the nodes and edges to highlight; the first `known` nodes are in the graph, the others are only
    ends of edges; `labels` are those of the nodes by id.
    """

    name: str
    named: set[str | int]
    nodes: Sequence[Node]
    known: int
    labels: Mapping[str, str]

    def head(self, title: str, layout: Layout) -> str:
        """The begin of the drawing, with a marker for each sign."""
        width, height, said = layout.width, layout.height, escape(visible(title))
        markers = [
            f'<marker id="{self.name}-{sign}" class="{sign}" refX="20" refY="5.5" markerWidth="21"'
            ' markerHeight="11" markerUnits="userSpaceOnUse" orient="auto-start-reverse">'
            f'{marks}<path d="M12,1.5L21,5.5L12,9.5z"/></marker>'
            for sign, marks in _SIGNS.items()
        ]
        return (
            f'<svg class="graph" xmlns="http://www.w3.org/2000/svg" width="{width}"'
            f' height="{height}" viewBox="0 0 {width} {height}" role="img" aria-label="{said}">'
            f"<defs>{''.join(markers)}</defs>"
        )

    def arrow(self, edge: Edge, link: Link, path: str) -> str:
        """An edge; a choice is no effect, so it has no strength."""
        source, target = link
        mean, exists = edge.mean or 0.0, edge.exists_probability
        sign, width = "pos" if mean > 0 else "neg", 1.2 + 4.3 * min(abs(mean), 1)
        about = (
            f"<title>strength {parameter(edge.mean)} ± {parameter(edge.std)}, "
            f"exists with probability {parameter(exists)}</title>"
        )
        if mean == 0:
            sign = "nil"
        kinds = (self.nodes[source].kind, self.nodes[target].kind)
        if kinds in STRUCTURAL and not edge.bidirected:
            sign, width, about = "set", 1.5, ""
        looks, head = f"e {sign}", f"url(#{self.name}-{sign})"
        attributes = f'stroke-width="{width:.2g}" marker-end="{head}"'
        if edge.bidirected:
            looks += " both"
            attributes += f' marker-start="{head}"'
        if edge.index in self.named:
            looks += " bad"
        elif exists is not None and exists < 1:
            attributes += f' stroke-opacity="{0.3 + 0.7 * max(exists, 0):.2g}"'
        return (
            f'<path class="{looks}" id="{self.name}-e{edge.index}" data-ends="{source} {target}"'
            f' d="{path}" {attributes}>{about}</path>'
        )

    def box(self, position: int, label: str, lines: Sequence[str], place: Place) -> str:
        """A node with the lines of its label."""
        node = self.nodes[position]
        looks = node.kind if node.kind in _KINDS else "other"
        caption = clip(node.kind, 14) or "no kind"
        if node.category:
            caption += f" · {clip(node.category, 14)}"
        if node.category in _CATEGORIES:
            looks += f" {node.category}"
        if position >= self.known:
            looks, caption = "absent", "not in the graph"
        if node.id in self.named:
            looks += " bad"
        settings = first_of(node_settings(node, self.labels), MAX_SETTINGS)
        said = escape(f"{caption}: {label}\nid {clip(node.id, 200)}\n{settings}".strip())
        texts = [
            f'<text x="12" y="{33 + _LINE * number}">{escape(line)}</text>'
            for number, line in enumerate(lines)
        ]
        return (
            f'<g class="n {looks}" id="{self.name}-n{position}"'
            f' transform="translate({place.x},{place.y})"><title>{said}</title>\n'
            f'<rect width="{place.width}" height="{place.height}" rx="5"/>'
            f'<path class="bar" d="M3,6v{place.height - 12}"/>'
            f'<svg width="{place.width - 2}" height="{place.height}">'
            f'<text class="c" x="12" y="16">{escape(caption)}</text>{"".join(texts)}</svg></g>'
        )


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
    all_nodes, all_edges = len(graph.nodes), len(graph.edges)
    nodes = min(MAX_NODES, all_nodes)
    if nodes == all_nodes and edges == all_edges:
        return ""
    return (
        f"The drawing shows {nodes} of {all_nodes:,} nodes and {edges} of "
        f"{all_edges:,} edges; more could not be read."
    )
