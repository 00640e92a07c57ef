"""Two graphs side by side, with every difference highlighted and listed.

Nodes are the same when their ids are equal, or else when their kinds and labels are; edges when they join the same nodes in
the same way. Of several edges between the same nodes the first is paired with the first, and so on.
"""

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeVar

from stages.contracts.graph import DraftGraph, Edge, Node
from stages.report.drawing import Accent, Emphasis, Sketch, draw_graph
from stages.report.site.table import Column, Entry, Table, listing
from stages.shell import numbers
from stages.shell.text import clip, visible

Kind = Literal["added", "removed", "changed"]
_Part = TypeVar("_Part", Node, Edge)
_Pair = tuple[int | None, int | None]
_LOOKS: dict[Kind, str] = {"added": "good", "removed": "bad", "changed": "warn"}
_OF_NODES = {"label": "label", "kind": "kind", "category": "category", "threshold": "goal_threshold"}
_OF_EDGES = {"mean": "mean", "std": "std", "probability": "exists_probability"}
"""What is compared of nodes and of edges: the name that is shown, and the attribute."""


@dataclass(frozen=True, slots=True)
class GraphDifference:
    """One difference from the first graph to the second, in words.

    `before` and `after` are positions in the nodes (or edges) of the first and of the second graph; None where it is absent.
    """

    kind: Kind
    before: int | None
    after: int | None
    text: str


@dataclass(frozen=True, slots=True)
class GraphDiff:
    """All differences, in the order of the first graph, then of the second, and how many nodes and edges are the same."""

    nodes: tuple[GraphDifference, ...]
    edges: tuple[GraphDifference, ...]
    same_nodes: int
    same_edges: int


@dataclass(frozen=True, slots=True)
class Drafted:
    """A graph that is shown beside others: whose it is, and where its page is, empty for nowhere."""

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
    found = [("node", item) for item in diff.nodes] + [("edge", item) for item in diff.edges]
    kinds = [item.kind for _, item in found]
    same = f"{numbers.counted(diff.same_nodes, 'node')} and {numbers.counted(diff.same_edges, 'edge')} are the same"
    return GraphPair(
        name=f"pair-{number}",
        title=title,
        summary=f"{same}; {', '.join(f'{kinds.count(kind)} {kind}' for kind in _LOOKS)}",
        sides=((first, _sketch(first.graph, diff, "before")), (second, _sketch(second.graph, diff, "after"))),
        table=listing(
            f"differences-{number}",
            f"Differences: {title}",
            (Column("Part", choose=True), Column("Difference", choose=True), "What"),
            [(part, Entry(item.kind, look=_LOOKS[item.kind]), Entry(clip(item.text, 600))) for part, item in found],
        ),
    )


def _sketch(graph: DraftGraph, diff: GraphDiff, side: Literal["before", "after"]) -> Sketch:
    nodes, edges = (
        {place: Accent(item.kind) for item in found if (place := getattr(item, side)) is not None}
        for found in (diff.nodes, diff.edges)
    )
    by_index = {graph.edges[place].index: accent for place, accent in edges.items()}
    return draw_graph(graph, Emphasis(nodes, by_index), compact=True)


def compare_graphs(before: DraftGraph, after: DraftGraph) -> GraphDiff:
    """What differs from one graph to another."""
    ids = [[node.id for node in graph.nodes] for graph in (before, after)]
    node_pairs = _paired(ids, [[_meaning(node) for node in graph.nodes] for graph in (before, after)])
    in_first = {
        after.nodes[b].id: before.nodes[a].id for a, b in reversed(node_pairs) if a is not None and b is not None
    }
    edge_pairs = _paired(([_ends(edge, {}) for edge in before.edges], [_ends(edge, in_first) for edge in after.edges]))
    names = {node.id: _name(node) for node in reversed((*before.nodes, *after.nodes))}

    def edge_name(edge: Edge) -> str:
        source, target = (names.get(end, visible(end)) for end in (edge.source, edge.target))
        return f"{source} {'↔' if edge.bidirected else '→'} {target}"

    nodes = tuple(
        _differences(node_pairs, before.nodes, after.nodes, _node_changes, lambda node: _name(node) or "(no label)")
    )
    edges = tuple(_differences(edge_pairs, before.edges, after.edges, _edge_changes, edge_name))
    return GraphDiff(nodes, edges, _same(node_pairs, nodes), _same(edge_pairs, edges))


def _same(pairs: Sequence[_Pair], found: Sequence[GraphDifference]) -> int:
    return sum(None not in pair for pair in pairs) - sum(item.kind == "changed" for item in found)


def _paired(*passes: Sequence[Sequence[Hashable]]) -> list[_Pair]:
    """Pairs of positions with equal keys, by the keys of each pass what the passes before left; then what is only right.

    Each pass has the keys of the left and of the right; None matches nothing.
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
    left, right = passes[0]
    only_right = sorted(set(range(len(right))) - set(partners.values()))
    return [*((place, partners.get(place)) for place in range(len(left))), *((None, place) for place in only_right)]


def _meaning(node: Node) -> Hashable:
    label = visible(node.label or "").casefold()
    return (node.kind, label) if label else None


def _ends(edge: Edge, names: Mapping[str, str]) -> Hashable:
    ends = [names.get(end, end) for end in (edge.source, edge.target)]
    return (*sorted(ends), True) if edge.bidirected else (*ends, False)


def _differences(
    pairs: Sequence[_Pair],
    before: Sequence[_Part],
    after: Sequence[_Part],
    changes: Callable[[_Part, _Part], Iterator[str]],
    name: Callable[[_Part], str],
) -> Iterator[GraphDifference]:
    for a, b in pairs:
        if a is None and b is not None:
            yield GraphDifference("added", None, b, name(after[b]))
        elif a is not None and b is None:
            yield GraphDifference("removed", a, None, name(before[a]))
        elif a is not None and b is not None and (found := list(changes(before[a], after[b]))):
            yield GraphDifference("changed", a, b, f"{name(before[a])}: {', '.join(found)}")


def _name(node: Node) -> str:
    return visible(node.label or node.id)


def _node_changes(before: Node, after: Node) -> Iterator[str]:
    yield from _changed(before, after, _OF_NODES)
    for key in sorted(before.interventions.keys() | after.interventions.keys()):
        old, new = before.interventions.get(key), after.interventions.get(key)
        if old != new:
            yield f"sets {visible(key)} to {_shown(new)}, was {_shown(old)}"


def _edge_changes(before: Edge, after: Edge) -> Iterator[str]:
    return _changed(before, after, _OF_EDGES)


def _changed(before: _Part, after: _Part, names: Mapping[str, str]) -> Iterator[str]:
    for shown, attribute in names.items():
        old, new = getattr(before, attribute), getattr(after, attribute)
        if old != new:
            yield f"{shown} {_shown(old)} became {_shown(new)}"


def _shown(value: float | str | None) -> str:
    if value is None:
        return "nothing"
    return f"“{clip(value, 120)}”" if isinstance(value, str) else numbers.parameter(value)
