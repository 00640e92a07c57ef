"""Two graphs side by side, with every difference highlighted and listed.

Nodes are the same when their kinds and labels are equal, or else when their ids are and their
labels are alike, or else when their kinds are and their labels have nearly the same words. Edges
are the same when they join the same nodes in the same way. Of several edges between the same nodes
the first is paired with the first, and so on.
"""

from collections import defaultdict
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Literal, NamedTuple, TypeAlias

from rapidfuzz import fuzz, utils

from stages.report.drawing.sketch import Accent, Emphasis, Sketch, draw_graph
from stages.report.site.table import listing
from stages.shared.present.table import Column, Entry, Table
from stages.shared.records.graph import DraftGraph, Edge, Node
from stages.shared.shell import numbers
from stages.shared.shell.text import clip, visible

Kind: TypeAlias = Literal["added", "removed", "changed"]
MAX_DIFFERENCE = 600
"""Columns of the text of a difference."""
MIN_LIKENESS = 60
"""Of two labels with one id, 0 to 100: below it the id has another meaning in the second graph."""
NEARLY_EQUAL = 90
"""Of two labels of one kind, 0 to 100: from it on they name one thing. 100 also where all words of
one label are in the other.
"""
_LOOKS = {"added": "good", "removed": "bad", "changed": "warn"}


@dataclass(frozen=True, slots=True)
class Difference:
    """One node or edge in words, at a position in the first graph (`before`) and in the second
    (`after`), None where it is absent.
    """

    kind: Kind
    before: int | None
    after: int | None
    text: str


@dataclass(frozen=True, slots=True)
class Drafted:
    """A graph that is shown beside others: whose it is, and where its page is."""

    name: str
    href: str
    graph: DraftGraph


@dataclass(frozen=True, slots=True)
class GraphPair:
    """Two drawings and their differences, for the macro `pair`."""

    title: str
    summary: str
    sides: tuple[tuple[Drafted, Sketch], tuple[Drafted, Sketch]]
    table: Table


class _Facts(NamedTuple):
    """The name of a node or an edge, and its values by what they mean."""

    name: str
    values: Mapping[str, float | str | None]


def side_by_side(title: str, first: Drafted, second: Drafted) -> GraphPair:
    """Two graphs and every difference."""
    nodes, edges = compare_graphs(first.graph, second.graph)
    before = _emphasis(
        first.graph,
        {item.before: item.kind for item in nodes},
        {item.before: item.kind for item in edges},
    )
    after = _emphasis(
        second.graph,
        {item.after: item.kind for item in nodes},
        {item.after: item.kind for item in edges},
    )
    columns = (Column("Part", choose=True), Column("Difference", choose=True), "What")
    rows = [
        (part, Entry(item.kind, look=_LOOKS[item.kind]), clip(item.text, MAX_DIFFERENCE))
        for part, items in (("node", nodes), ("edge", edges))
        for item in items
    ]
    kinds: list[str] = [item.kind for item in (*nodes, *edges)]
    left = draw_graph(first.graph, "pair-a", f"{first.name}, {title}", before)
    right = draw_graph(second.graph, "pair-b", f"{second.name}, {title}", after)
    return GraphPair(
        title=title,
        summary=", ".join(f"{kinds.count(kind)} {kind}" for kind in _LOOKS),
        sides=((first, left), (second, right)),
        table=listing("differences", f"Differences: {title}", columns, rows),
    )


def _emphasis(
    graph: DraftGraph, nodes: Mapping[int | None, Kind], edges: Mapping[int | None, Kind]
) -> Emphasis:
    """What differs on a side, by position; None for what is not there."""
    return Emphasis(
        {place: Accent(kind) for place, kind in nodes.items() if place is not None},
        {
            graph.edges[place].index: Accent(kind)
            for place, kind in edges.items()
            if place is not None
        },
    )


def compare_graphs(
    before: DraftGraph, after: DraftGraph
) -> tuple[list[Difference], list[Difference]]:
    """What differs from one graph to another, nodes and edges; everything is named as in its own
    graph.
    """
    nodes = _same_nodes(before, after)
    ends = {node.id: ("only after", node.id) for node in after.nodes}
    for first, second in sorted(nodes.items(), reverse=True):
        ends[after.nodes[second].id] = ("", before.nodes[first].id)
    edges = _partners(
        [_ends(edge, {}) for edge in before.edges], [_ends(edge, ends) for edge in after.edges]
    )
    old_nodes, old_edges = _facts(before)
    new_nodes, new_edges = _facts(after)
    of_nodes = list(_differences(nodes, old_nodes, new_nodes))
    return of_nodes, list(_differences(edges, old_edges, new_edges))


def _same_nodes(before: DraftGraph, after: DraftGraph) -> dict[int, int]:
    """The positions of nodes with those of the same nodes in the second graph, the surest first."""
    pairs = []
    for (first, old), (second, new) in product(enumerate(before.nodes), enumerate(after.nodes)):
        doubt = _doubt(old, new)
        if doubt is not None:
            pairs.append((doubt, first, second))
    partners: dict[int, int] = {}
    for _, first, second in sorted(pairs):
        if first not in partners and second not in partners.values():
            partners[first] = second
    return partners


def _doubt(old: Node, new: Node) -> tuple[bool, bool, float] | None:
    """How doubtful it is that two nodes are the same, least first; None: they are not."""
    same_id, same_kind = old.id == new.id, old.kind == new.kind
    labels = [visible(node.label or "") for node in (old, new)]
    if not all(labels):
        return (True, False, 0.0) if same_id else None
    if same_kind and labels[0].casefold() == labels[1].casefold():
        return False, not same_id, 0.0
    least = MIN_LIKENESS if same_id else NEARLY_EQUAL
    alike = fuzz.token_set_ratio(*labels, processor=utils.default_process) >= least
    if not alike or not (same_id or same_kind):
        return None
    return True, not same_id, -fuzz.token_sort_ratio(*labels)


def _partners(left: Sequence[Hashable], right: Sequence[Hashable]) -> dict[int, int]:
    """Positions on the left with those on the right that have equal keys."""
    waiting: defaultdict[Hashable, list[int]] = defaultdict(list)
    for place, key in enumerate(right):
        waiting[key].append(place)
    return {place: waiting[key].pop(0) for place, key in enumerate(left) if waiting[key]}


def _ends(edge: Edge, names: Mapping[str, tuple[str, str]]) -> Hashable:
    ends = [names.get(end, ("", end)) for end in (edge.source, edge.target)]
    return (*sorted(ends), True) if edge.bidirected else (*ends, False)


def _facts(graph: DraftGraph) -> tuple[list[_Facts], list[_Facts]]:
    """Those of the nodes and of the edges; of several nodes with one id the first names it."""
    names = {node.id: visible(node.label or node.id) for node in reversed(graph.nodes)}
    nodes, edges = [], []
    for node in graph.nodes:
        values = {
            "label": node.label,
            "kind": node.kind,
            "category": node.category,
            "threshold": node.goal_threshold,
        }
        for factor, value in node.interventions.items():
            values[f"setting of {names.get(factor, visible(factor))}"] = value
        nodes.append(_Facts(visible(node.label or node.id) or "(no label)", values))
    for edge in graph.edges:
        source, target = (names.get(end, visible(end)) for end in (edge.source, edge.target))
        values = {"mean": edge.mean, "std": edge.std, "probability": edge.exists_probability}
        edges.append(_Facts(f"{source} {'↔' if edge.bidirected else '→'} {target}", values))
    return nodes, edges


def _differences(
    partners: Mapping[int, int], before: Sequence[_Facts], after: Sequence[_Facts]
) -> Iterator[Difference]:
    for place, facts in enumerate(before):
        if place not in partners:
            yield Difference("removed", place, None, facts.name)
            continue
        other = after[partners[place]].values
        changes = [
            f"{key} {_shown(facts.values.get(key))} became {_shown(other.get(key))}"
            for key in dict.fromkeys([*facts.values, *other])
            if facts.values.get(key) != other.get(key)
        ]
        if changes:
            text = f"{facts.name}: {', '.join(changes)}"
            yield Difference("changed", place, partners[place], text)
    for place in sorted(set(range(len(after))) - set(partners.values())):
        yield Difference("added", None, place, after[place].name)


def _shown(value: float | str | None) -> str:
    if value is None:
        return "nothing"
    return f"“{clip(value, 120)}”" if isinstance(value, str) else numbers.parameter(value)
