"""Two graphs side by side, with every difference highlighted and listed.

Nodes are the same when their ids are equal, or else when their kinds and labels are; edges when
they join the same nodes in the same way. Of several edges between the same nodes the first is
paired with the first, and so on.
"""

from collections import defaultdict
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from stages.contracts.graph import DraftGraph, Edge, Node
from stages.present.table import Column, Entry, Table
from stages.report.drawing.sketch import Accent, Emphasis, Sketch, draw_graph
from stages.report.site.table import listing
from stages.shell import numbers
from stages.shell.text import clip, visible

Kind = Literal["added", "removed", "changed"]
SideOfPair = Literal["before", "after"]
MAX_DIFFERENCE = 600
"""Columns of the text of a difference."""
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
    """A graph that is shown beside others: whose it is, and where its page is, empty for
    nowhere.
    """

    name: str
    href: str
    graph: DraftGraph


@dataclass(frozen=True, slots=True)
class GraphPair:
    """Two drawings and their differences, for the macro `pair`."""

    name: str
    title: str
    summary: str
    sides: tuple[tuple[Drafted, Sketch], tuple[Drafted, Sketch]]
    table: Table


def side_by_side(number: int, title: str, first: Drafted, second: Drafted) -> GraphPair:
    """Two graphs and every difference; `number` distinguishes the pairs of a page."""
    diff = compare_graphs(first.graph, second.graph)
    differences = [*diff.nodes, *diff.edges]
    parts = ["node"] * len(diff.nodes) + ["edge"] * len(diff.edges)
    columns = (Column("Part", choose=True), Column("Difference", choose=True), "What")
    rows = [
        (part, Entry(item.kind, look=_LOOKS[item.kind]), Entry(clip(item.text, MAX_DIFFERENCE)))
        for part, item in zip(parts, differences, strict=True)
    ]
    name = f"pair-{number}"
    before = _emphasis(first.graph, diff, "before")
    after = _emphasis(second.graph, diff, "after")
    sketches = (
        draw_graph(first.graph, f"{name}a", f"{first.name}, {title}", before),
        draw_graph(second.graph, f"{name}b", f"{second.name}, {title}", after),
    )
    return GraphPair(
        name=name,
        title=title,
        summary=_summary(diff),
        sides=((first, sketches[0]), (second, sketches[1])),
        table=listing(f"differences-{number}", f"Differences: {title}", columns, rows),
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
    """What differs from one graph to another."""
    by_id = ([node.id for node in before.nodes], [node.id for node in after.nodes])
    by_label = (
        [_meaning(node) for node in before.nodes],
        [_meaning(node) for node in after.nodes],
    )
    nodes = _partners(by_id, by_label)
    first_names = {
        after.nodes[b].id: before.nodes[a].id for a, b in sorted(nodes.items(), reverse=True)
    }
    by_ends = (
        [_ends(edge, {}) for edge in before.edges],
        [_ends(edge, first_names) for edge in after.edges],
    )
    edges = _partners(by_ends)
    all_nodes = (*before.nodes, *after.nodes)
    names = {node.id: visible(node.label or node.id) for node in reversed(all_nodes)}
    of_nodes = _differences(
        nodes,
        [_node_facts(node) for node in before.nodes],
        [_node_facts(node) for node in after.nodes],
    )
    of_edges = _differences(
        edges,
        [_edge_facts(edge, names) for edge in before.edges],
        [_edge_facts(edge, names) for edge in after.edges],
    )
    same_nodes = len(nodes) - _changed(of_nodes)
    same_edges = len(edges) - _changed(of_edges)
    return GraphDiff(of_nodes, of_edges, same_nodes, same_edges)


def _changed(differences: Sequence[GraphDifference]) -> int:
    return sum(item.kind == "changed" for item in differences)


def _partners(*passes: Sequence[Sequence[Hashable]]) -> dict[int, int]:
    """Positions on the left with those on the right that have equal keys, pass by pass; None
    matches nothing.
    """
    partners: dict[int, int] = {}
    for left, right in passes:
        taken = set(partners.values())
        waiting: defaultdict[Hashable, list[int]] = defaultdict(list)
        for place, key in enumerate(right):
            if key is not None and place not in taken:
                waiting[key].append(place)
        for place, key in enumerate(left):
            if place not in partners and waiting[key]:
                partners[place] = waiting[key].pop(0)
    return partners


def _meaning(node: Node) -> Hashable:
    label = visible(node.label or "").casefold()
    return (node.kind, label) if label else None


def _ends(edge: Edge, names: Mapping[str, str]) -> Hashable:
    ends = [names.get(end, end) for end in (edge.source, edge.target)]
    return (*sorted(ends), True) if edge.bidirected else (*ends, False)


class _Facts(NamedTuple):
    name: str
    values: Mapping[str, float | str | None]
    sets: Mapping[str, float]


def _node_facts(node: Node) -> _Facts:
    values = {
        "label": node.label,
        "kind": node.kind,
        "category": node.category,
        "threshold": node.goal_threshold,
    }
    return _Facts(visible(node.label or node.id) or "(no label)", values, node.interventions)


def _edge_facts(edge: Edge, names: Mapping[str, str]) -> _Facts:
    source, target = (names.get(end, visible(end)) for end in (edge.source, edge.target))
    values = {"mean": edge.mean, "std": edge.std, "probability": edge.exists_probability}
    return _Facts(f"{source} {'↔' if edge.bidirected else '→'} {target}", values, {})


def _differences(
    partners: Mapping[int, int], before: Sequence[_Facts], after: Sequence[_Facts]
) -> tuple[GraphDifference, ...]:
    differences = []
    for place, facts in enumerate(before):
        if place not in partners:
            differences.append(GraphDifference("removed", place, None, facts.name))
            continue
        other = partners[place]
        changes = list(_changes(facts, after[other]))
        if changes:
            text = f"{facts.name}: {', '.join(changes)}"
            differences.append(GraphDifference("changed", place, other, text))
    added = sorted(set(range(len(after))) - set(partners.values()))
    for place in added:
        differences.append(GraphDifference("added", None, place, after[place].name))
    return tuple(differences)


def _changes(before: _Facts, after: _Facts) -> Iterator[str]:
    for key, old in before.values.items():
        if old != after.values[key]:
            yield f"{key} {_shown(old)} became {_shown(after.values[key])}"
    for key in sorted(before.sets.keys() | after.sets.keys()):
        old_value, new_value = before.sets.get(key), after.sets.get(key)
        if old_value != new_value:
            yield f"sets {visible(key)} to {_shown(new_value)}, was {_shown(old_value)}"


def _shown(value: float | str | None) -> str:
    if value is None:
        return "nothing"
    return f"“{clip(value, 120)}”" if isinstance(value, str) else numbers.parameter(value)
