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
from typing import Literal, NamedTuple

from rapidfuzz import fuzz, utils

from stages.report.drawing.sketch import Accent, Emphasis, Sketch, draw_graph
from stages.report.site.table import listing
from stages.shared.present.table import Column, Entry, Table
from stages.shared.records.graph import DraftGraph, Edge, Node
from stages.shared.shell import numbers
from stages.shared.shell.text import clip, visible

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

    kind: Literal["added", "removed", "changed"]
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
    before = Emphasis(
        {item.before: Accent(item.kind) for item in nodes if item.before is not None},
        {
            first.graph.edges[item.before].index: Accent(item.kind)
            for item in edges
            if item.before is not None
        },
    )
    after = Emphasis(
        {item.after: Accent(item.kind) for item in nodes if item.after is not None},
        {
            second.graph.edges[item.after].index: Accent(item.kind)
            for item in edges
            if item.after is not None
        },
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
    return (
        list(_differences(nodes, _node_facts(before), _node_facts(after))),
        list(_differences(edges, _edge_facts(before), _edge_facts(after))),
    )


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


def _names(graph: DraftGraph) -> dict[str, str]:
    """The label of every id, of several nodes with one id the first one's."""
    return {node.id: visible(node.label or node.id) for node in reversed(graph.nodes)}


def _node_facts(graph: DraftGraph) -> list[_Facts]:
    names = _names(graph)
    facts = []
    for node in graph.nodes:
        values = {
            "label": node.label,
            "kind": node.kind,
            "category": node.category,
            "threshold": node.goal_threshold,
        }
        for factor, value in node.interventions.items():
            values[f"setting of {names.get(factor, visible(factor))}"] = value
        facts.append(_Facts(visible(node.label or node.id) or "(no label)", values))
    return facts


def _edge_facts(graph: DraftGraph) -> list[_Facts]:
    names = _names(graph)
    facts = []
    for edge in graph.edges:
        source, target = (names.get(end, visible(end)) for end in (edge.source, edge.target))
        values = {"mean": edge.mean, "std": edge.std, "probability": edge.exists_probability}
        facts.append(_Facts(f"{source} {'↔' if edge.bidirected else '→'} {target}", values))
    return facts


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
