"""Two graphs side by side, in which is highlighted and listed what the other does not have.

Nodes are the same when they have one kind and labels of nearly the same words, edges when they join
the same nodes with the same sign.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from rapidfuzz import fuzz, process, utils

from graph_evaluator.present.table import Entry, Table, listing
from graph_evaluator.records.graph import DraftGraph
from graph_evaluator.report.drawing.sketch import Sketch, draw_graph
from graph_evaluator.report.graph_text import edge_line, labels_of

NEARLY_EQUAL = 75
"""Of the sorted words of two labels, 0 to 100: from it on they name one thing."""


class Drafted(NamedTuple):
    """A graph that is shown next to another: whose it is, and where its page is."""

    name: str
    href: str
    graph: DraftGraph


class GraphPair(NamedTuple):
    """Two drawings, and a table of what only one of the graphs has."""

    sides: Sequence[tuple[Drafted, Sketch]]
    table: Table


class GraphPart(NamedTuple):
    """A node or an edge, with the key by which a drawing highlights it."""

    what: str
    key: str | int
    text: str


def side_by_side(first: Drafted, second: Drafted) -> GraphPair:
    """Two graphs, in which is highlighted and listed what the other does not have."""
    labels = labels_of(first.graph)
    first_parts = _parts_of(first.graph, labels)
    second_parts = _parts_of(second.graph, _labels_as_in(first.graph, second.graph))
    sides, rows = [], []
    for drafted, own, other, look in (
        (first, first_parts, second_parts, "removed"),
        (second, second_parts, first_parts, "added"),
    ):
        looks: dict[str | int, str] = {}
        for key, part in own.items():
            if key not in other:
                looks[part.key] = look
                rows.append((Entry(drafted.name), part.what, part.text))
        sides.append((drafted, draw_graph(drafted.graph, f"pair-{look}", drafted.name, looks)))
    title = f"Differences: {first.name} and {second.name}"
    return GraphPair(sides, listing("differences", title, ("Only in", "Part", "What"), rows))


def _labels_as_in(known: DraftGraph, graph: DraftGraph) -> dict[str, str]:
    """The labels of a graph by id; of a node whose kind the known graph has with nearly the same
    words, the label there.
    """
    labels, known_labels = labels_of(graph), labels_of(known)
    for node in reversed(graph.nodes):
        of_kind = [known_labels[other.id] for other in known.nodes if other.kind == node.kind]
        found = process.extractOne(
            labels[node.id],
            of_kind,
            scorer=fuzz.token_sort_ratio,
            processor=utils.default_process,
            score_cutoff=NEARLY_EQUAL,
        )
        if found:
            labels[node.id] = found[0]
    return labels


def _parts_of(graph: DraftGraph, names: Mapping[str, str]) -> dict[object, GraphPart]:
    """The nodes and edges: nodes by kind and name, edges by the names of their ends and the sign of
    their effect.
    """
    labels = labels_of(graph)
    parts: dict[object, GraphPart] = {}
    for node in graph.nodes:
        parts[node.kind, names[node.id]] = GraphPart(
            "node", node.id, f"{node.kind}: {labels[node.id]}"
        )
    for edge in graph.edges:
        ends = (names.get(edge.source, edge.source), names.get(edge.target, edge.target))
        joined = frozenset(ends) if edge.bidirected else ends
        key = (joined, edge.bidirected, (edge.mean or 0.0) > 0)
        parts[key] = GraphPart("edge", edge.index, edge_line(edge, labels))
    return parts
