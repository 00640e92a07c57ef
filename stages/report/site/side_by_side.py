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

Kind = Literal["added", "removed", "changed"]
SideOfPair = Literal["before", "after"]
MAX_DIFFERENCE = 600
"""Columns of the text of a difference."""
MIN_LIKENESS = 60
"""Of two labels with one id, 0 to 100: below it the id has another meaning in the second graph."""
NEARLY_EQUAL = 90
"""Of two labels of one kind, 0 to 100: from it on they name one thing. 100 also where all words of
one label are in the other.
"""
_LOOKS: dict[Kind, str] = {"added": "good", "removed": "bad", "changed": "warn"}


@dataclass(frozen=True, slots=True)
class GraphDifference:
    """One difference in words, at a position in the first graph (`before`) and in the second
    (`after`), None where it is absent.
    """

    kind: Kind
    before: int | None
    after: int | None
    text: str


@dataclass(frozen=True, slots=True)
class GraphDiff:
    """All differences, in the order of the first graph, then of the second, and how many nodes
    and edges are the same.
    """

    nodes: tuple[GraphDifference, ...]
    edges: tuple[GraphDifference, ...]
    same_nodes: int
    same_edges: int


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


def side_by_side(title: str, first: Drafted, second: Drafted) -> GraphPair:
    """Two graphs and every difference."""
    diff = compare_graphs(first.graph, second.graph)
    differences = [*diff.nodes, *diff.edges]
    parts = ["node"] * len(diff.nodes) + ["edge"] * len(diff.edges)
    columns = (Column("Part", choose=True), Column("Difference", choose=True), "What")
    rows = [
        (part, Entry(item.kind, look=_LOOKS[item.kind]), Entry(clip(item.text, MAX_DIFFERENCE)))
        for part, item in zip(parts, differences, strict=True)
    ]
    before = _emphasis(first.graph, diff, "before")
    after = _emphasis(second.graph, diff, "after")
    sketches = (
        draw_graph(first.graph, "pair-a", f"{first.name}, {title}", before),
        draw_graph(second.graph, "pair-b", f"{second.name}, {title}", after),
    )
    return GraphPair(
        title=title,
        summary=_summary(diff),
        sides=((first, sketches[0]), (second, sketches[1])),
        table=listing("differences", f"Differences: {title}", columns, rows),
    )


def _summary(diff: GraphDiff) -> str:
    kinds = [item.kind for item in (*diff.nodes, *diff.edges)]
    counts = ", ".join(f"{kinds.count(kind)} {kind}" for kind in _LOOKS)
    nodes = numbers.counted(diff.same_nodes, "node")
    edges = numbers.counted(diff.same_edges, "edge")
    return f"{nodes} and {edges} are the same; {counts}"


def _emphasis(graph: DraftGraph, diff: GraphDiff, side: SideOfPair) -> Emphasis:
    nodes = _accents(diff.nodes, side)
    edges = _accents(diff.edges, side)
    by_index = {graph.edges[int(place)].index: accent for place, accent in edges.items()}
    return Emphasis(nodes, by_index)


def _accents(differences: Sequence[GraphDifference], side: SideOfPair) -> dict[int | str, Accent]:
    """How the differences are highlighted on a side, by their positions there."""
    accents: dict[int | str, Accent] = {}
    for item in differences:
        place = item.before if side == "before" else item.after
        if place is not None:
            accents[place] = Accent(item.kind)
    return accents


def compare_graphs(before: DraftGraph, after: DraftGraph) -> GraphDiff:
    """What differs from one graph to another; everything is named as in its own graph."""
    nodes = _same_nodes(before, after)
    ends = {node.id: ("only after", node.id) for node in after.nodes}
    for first, second in sorted(nodes.items(), reverse=True):
        ends[after.nodes[second].id] = ("", before.nodes[first].id)
    edges = _partners(
        [_ends(edge, {}) for edge in before.edges], [_ends(edge, ends) for edge in after.edges]
    )
    of_nodes = _differences(nodes, _node_facts(before), _node_facts(after))
    of_edges = _differences(edges, _edge_facts(before), _edge_facts(after))
    changed_nodes, changed_edges = (
        sum(item.kind == "changed" for item in differences) for differences in (of_nodes, of_edges)
    )
    return GraphDiff(of_nodes, of_edges, len(nodes) - changed_nodes, len(edges) - changed_edges)


def _same_nodes(before: DraftGraph, after: DraftGraph) -> dict[int, int]:
    """The positions of nodes with those of the same nodes in the second graph, the surest first."""
    pairs = []
    for (first, old), (second, new) in product(enumerate(before.nodes), enumerate(after.nodes)):
        doubt = _doubt(old, new)
        if doubt is not None:
            pairs.append((doubt, first, second))
    partners: dict[int, int] = {}
    taken: set[int] = set()
    for _, first, second in sorted(pairs):
        if first not in partners and second not in taken:
            partners[first] = second
            taken.add(second)
    return partners


def _doubt(old: Node, new: Node) -> tuple[float, float] | None:
    """How doubtful it is that two nodes are the same, from (0, 0) on; None: they are not."""
    same_id, same_kind = old.id == new.id, old.kind == new.kind
    if not (same_id or same_kind):
        return None
    if not (old.label and new.label):
        return (1, 0) if same_id else None
    if same_kind and _folded(old.label) == _folded(new.label):
        return 0, 0
    likeness = fuzz.token_set_ratio(old.label, new.label, processor=utils.default_process)
    if same_id and likeness >= MIN_LIKENESS:
        return 1, 0
    if same_kind and likeness >= NEARLY_EQUAL:
        return 102 - likeness, -fuzz.token_sort_ratio(old.label, new.label)
    return None


def _folded(label: str) -> str:
    return visible(label).casefold()


def _partners(left: Sequence[Hashable], right: Sequence[Hashable]) -> dict[int, int]:
    """Positions on the left with those on the right that have equal keys."""
    waiting: defaultdict[Hashable, list[int]] = defaultdict(list)
    for place, key in enumerate(right):
        waiting[key].append(place)
    return {place: waiting[key].pop(0) for place, key in enumerate(left) if waiting[key]}


def _ends(edge: Edge, names: Mapping[str, tuple[str, str]]) -> Hashable:
    ends = [names.get(end, ("", end)) for end in (edge.source, edge.target)]
    return (*sorted(ends), True) if edge.bidirected else (*ends, False)


class _Facts(NamedTuple):
    name: str
    values: Mapping[str, float | str | None]


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
) -> tuple[GraphDifference, ...]:
    differences = []
    for place, facts in enumerate(before):
        if place not in partners:
            differences.append(GraphDifference("removed", place, None, facts.name))
            continue
        other = partners[place]
        changes = list(_changes(facts.values, after[other].values))
        if changes:
            text = f"{facts.name}: {', '.join(changes)}"
            differences.append(GraphDifference("changed", place, other, text))
    added = sorted(set(range(len(after))) - set(partners.values()))
    for place in added:
        differences.append(GraphDifference("added", None, place, after[place].name))
    return tuple(differences)


def _changes(
    before: Mapping[str, float | str | None], after: Mapping[str, float | str | None]
) -> Iterator[str]:
    for key in dict.fromkeys([*before, *after]):
        old, new = before.get(key), after.get(key)
        if old != new:
            yield f"{key} {_shown(old)} became {_shown(new)}"


def _shown(value: float | str | None) -> str:
    if value is None:
        return "nothing"
    return f"“{clip(value, 120)}”" if isinstance(value, str) else numbers.parameter(value)
