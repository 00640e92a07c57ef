"""Two graphs side by side, with every difference highlighted and listed.

Nodes are the same when they have one kind or one id, and their labels have nearly the same words.
Edges are the same when they join the same nodes in the same way; of several edges between the same
nodes the first is paired with the first, and so on.
"""

from collections import Counter
from collections.abc import Sequence
from itertools import product
from typing import NamedTuple

from rapidfuzz import fuzz, utils

from stages.report.drawing.sketch import Looks, Sketch, draw_graph
from stages.report.graph_text import edge_line, labels_of, node_line
from stages.shared.present.table import Entry, Table, listing
from stages.shared.records.graph import DraftGraph, Node

NEARLY_EQUAL = 75
"""Of the sorted words of two labels, 0 to 100: from it on they name one thing."""
SAME_ID = 30
"""What one id adds to the likeness of two labels."""
_COLOURS = {"added": "good", "removed": "bad", "changed": "warn"}


class Drafted(NamedTuple):
    """A graph that is shown beside others: whose it is, and where its page is."""

    name: str
    href: str
    graph: DraftGraph


class GraphPair(NamedTuple):
    """Two drawings and their differences."""

    sides: Sequence[tuple[Drafted, Sketch]]
    table: Table


class Part(NamedTuple):
    """A node or an edge: the place by which a drawing highlights it, what it is in words, and what
    is compared of it.
    """

    place: int
    text: str
    facts: object


class Difference(NamedTuple):
    """What a node or an edge is in the first graph and in the second, None where it is absent."""

    what: str
    before: Part | None
    after: Part | None

    @property
    def kind(self) -> str:
        """How the drawings highlight it."""
        if self.before is None:
            return "added"
        return "changed" if self.after else "removed"


def side_by_side(first: Drafted, second: Drafted) -> GraphPair:
    """Two graphs and every difference."""
    differences = compare_graphs(first.graph, second.graph)
    looks = (Looks({}, {}), Looks({}, {}))
    for item in differences:
        for side, part in zip(looks, (item.before, item.after), strict=True):
            if part:
                highlighted = side.nodes if item.what == "node" else side.edges
                highlighted[part.place] = item.kind
    sides = [
        (drafted, draw_graph(drafted.graph, f"pair-{number}", drafted.name, side))
        for number, (drafted, side) in enumerate(zip((first, second), looks, strict=True))
    ]
    rows = [
        (
            item.what,
            Entry(item.kind, look=_COLOURS[item.kind]),
            item.before.text if item.before else "",
            item.after.text if item.after else "",
        )
        for item in differences
    ]
    title = f"Differences: {first.name} and {second.name}"
    columns = ("Part", "Difference", first.name, second.name)
    return GraphPair(sides, listing("differences", title, columns, rows))


def compare_graphs(before: DraftGraph, after: DraftGraph) -> list[Difference]:
    """What differs from one graph to another, nodes and then edges; everything is named as in its
    own graph.
    """
    partners = _same_nodes(before, after)
    keys = (
        list(range(len(before.nodes))),
        [partners.get(place, -1 - place) for place in range(len(after.nodes))],
    )
    differences = []
    for what, parts_of in (("node", _nodes), ("edge", _edges)):
        old, new = parts_of(before, keys[0]), parts_of(after, keys[1])
        for key in {**old, **new}:
            is_equal = key in old and key in new and old[key].facts == new[key].facts
            if not is_equal:
                differences.append(Difference(what, old.get(key), new.get(key)))
    return differences


def _same_nodes(before: DraftGraph, after: DraftGraph) -> dict[int, int]:
    """The positions of nodes of the second graph with those of the same nodes in the first, the
    most alike first.
    """
    pairs = product(enumerate(before.nodes), enumerate(after.nodes))
    likeness = {(first, second): _likeness(old, new) for (first, old), (second, new) in pairs}
    partners: dict[int, int] = {}
    for first, second in sorted(likeness, key=likeness.__getitem__, reverse=True):
        is_alike = likeness[first, second] >= NEARLY_EQUAL
        if is_alike and second not in partners and first not in partners.values():
            partners[second] = first
    return partners


def _likeness(old: Node, new: Node) -> float:
    if old.kind != new.kind and old.id != new.id:
        return 0.0
    labels = (old.label or old.id, new.label or new.id)
    ratio = fuzz.token_sort_ratio(*labels, processor=utils.default_process)
    return ratio + SAME_ID if old.id == new.id else ratio


def _nodes(graph: DraftGraph, keys: Sequence[int]) -> dict[object, Part]:
    labels = labels_of(graph)
    texts = [node_line(node, labels) for node in graph.nodes]
    return {key: Part(place, texts[place], texts[place]) for place, key in enumerate(keys)}


def _edges(graph: DraftGraph, keys: Sequence[int]) -> dict[object, Part]:
    """The edges by what they join: of several edges between the same nodes, by their number."""
    labels = labels_of(graph)
    nodes = {node.id: key for key, node in reversed(list(zip(keys, graph.nodes, strict=True)))}
    parts: dict[object, Part] = {}
    repeated: Counter[object] = Counter()
    for edge in graph.edges:
        ends = (nodes.get(edge.source, edge.source), nodes.get(edge.target, edge.target))
        joined = (frozenset(ends) if edge.bidirected else ends, edge.bidirected)
        repeated[joined] += 1
        facts = (edge.mean, edge.std, edge.exists_probability)
        parts[joined, repeated[joined]] = Part(edge.index, edge_line(edge, labels), facts)
    return parts
