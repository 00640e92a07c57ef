"""Two graphs side by side, with every difference highlighted and listed.

Nodes are the same when their ids are equal, or else when their kinds and labels are; edges when they join the same nodes in
the same way. Of several edges between the same nodes the first is paired with the first, and so on.
"""

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeVar

from stages.contracts.graph import DraftGraph, Edge, Node
from stages.report.drawing import Accent, Emphasis, Sketch, draw_graph, highlighted
from stages.report.site.table import Column, Entry, Table, listing
from stages.shell import numbers
from stages.shell.text import clip, visible

Kind = Literal["added", "removed", "changed"]
_Part = TypeVar("_Part", Node, Edge)
_Pair = tuple[int | None, int | None]
_LOOKS: dict[Kind, str] = {"added": "good", "removed": "bad", "changed": "warn"}


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

    def count(self, kind: Kind) -> int:
        """How many nodes and edges differ in this way."""
        return sum(item.kind == kind for item in (*self.nodes, *self.edges))


def compare_graphs(before: DraftGraph, after: DraftGraph) -> GraphDiff:
    """What differs from one graph to another."""
    node_pairs = _paired_nodes(before.nodes, after.nodes)
    edge_pairs = _paired_edges(before, after, node_pairs)
    names = {node.id: visible(node.label or node.id) for node in reversed((*before.nodes, *after.nodes))}

    def edge_name(edge: Edge) -> str:
        source, target = (names.get(end, visible(end)) for end in (edge.source, edge.target))
        return f"{source} {'↔' if edge.bidirected else '→'} {target}"

    nodes = tuple(_differences(node_pairs, before.nodes, after.nodes, _node_changes, _node_name))
    edges = tuple(_differences(edge_pairs, before.edges, after.edges, _edge_changes, edge_name))
    return GraphDiff(nodes, edges, _same(node_pairs, nodes), _same(edge_pairs, edges))


def _same(pairs: Sequence[_Pair], found: Sequence[GraphDifference]) -> int:
    return sum(None not in pair for pair in pairs) - sum(item.kind == "changed" for item in found)


def _matched(left: Sequence[Hashable], right: Sequence[Hashable]) -> list[_Pair]:
    """Pairs of positions with equal keys, then what is only right; None keys match nothing."""
    waiting: dict[Hashable, list[int]] = {}
    for place, key in enumerate(right):
        if key is not None:
            waiting.setdefault(key, []).append(place)
    pairs: list[_Pair] = [(place, waiting[key].pop(0) if waiting.get(key) else None) for place, key in enumerate(left)]
    taken = {pair[1] for pair in pairs}
    return pairs + [(None, place) for place in range(len(right)) if place not in taken]


def _paired_nodes(before: Sequence[Node], after: Sequence[Node]) -> list[_Pair]:
    """Pairs by id; what is left over by kind and label."""
    by_id = _matched([node.id for node in before], [node.id for node in after])
    first = [a for a, b in by_id if a is not None and b is None]
    second = [b for a, b in by_id if b is not None and a is None]
    by_label = _matched([_meaning(before[place]) for place in first], [_meaning(after[place]) for place in second])
    renamed = {first[a]: second[b] for a, b in by_label if a is not None and b is not None}
    pairs: list[_Pair] = [(a, renamed.get(a) if b is None else b) for a, b in by_id if a is not None]
    return pairs + [(None, b) for b in second if b not in renamed.values()]


def _meaning(node: Node) -> Hashable:
    label = visible(node.label or "").casefold()
    return (node.kind, label) if label else None


def _paired_edges(before: DraftGraph, after: DraftGraph, nodes: Sequence[_Pair]) -> list[_Pair]:
    known = {after.nodes[b].id: before.nodes[a].id for a, b in reversed(nodes) if a is not None and b is not None}
    own = {node.id for node in before.nodes}
    in_first = {node.id: known.get(node.id, f"2:{node.id}") for node in after.nodes if node.id in known.keys() | own}

    def ends(edge: Edge, names: Mapping[str, str]) -> Hashable:
        joined = [names.get(end, end) for end in (edge.source, edge.target)]
        return (*sorted(joined), True) if edge.bidirected else (*joined, False)

    return _matched([ends(edge, {}) for edge in before.edges], [ends(edge, in_first) for edge in after.edges])


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


def _node_name(node: Node) -> str:
    return visible(node.label or node.id) or "(no label)"


def _node_changes(before: Node, after: Node) -> Iterator[str]:
    yield from _changed("label", before.label, after.label)
    yield from _changed("kind", before.kind, after.kind)
    yield from _changed("category", before.category, after.category)
    yield from _changed("threshold", before.goal_threshold, after.goal_threshold)
    for key in sorted(before.interventions.keys() | after.interventions.keys()):
        old, new = before.interventions.get(key), after.interventions.get(key)
        if old != new:
            yield f"sets {visible(key)} to {_shown(new)}, was {_shown(old)}"


def _edge_changes(before: Edge, after: Edge) -> Iterator[str]:
    yield from _changed("mean", before.mean, after.mean)
    yield from _changed("std", before.std, after.std)
    yield from _changed("probability", before.exists_probability, after.exists_probability)


def _changed(what: str, old: float | str | None, new: float | str | None) -> Iterator[str]:
    if old != new:
        yield f"{what} {_shown(old)} became {_shown(new)}"


def _shown(value: float | str | None) -> str:
    if value is None:
        return "nothing"
    return f"“{clip(value, 120)}”" if isinstance(value, str) else numbers.parameter(value)


@dataclass(frozen=True, slots=True)
class Drafted:
    """A graph with its sketch, whose it is, and where its page is, empty for nowhere."""

    name: str
    href: str
    graph: DraftGraph
    sketch: Sketch


def drafted(name: str, href: str, graph: DraftGraph) -> Drafted:
    """A graph that is to be shown beside others."""
    return Drafted(name, href, graph, draw_graph(graph, compact=True))


@dataclass(frozen=True, slots=True)
class GraphPair:
    """Two drawings and their differences, for the macro `pair`."""

    name: str
    title: str
    summary: str
    sides: tuple[Drafted, Drafted]
    table: Table


def side_by_side(number: int, title: str, first: Drafted, second: Drafted) -> GraphPair:
    """Two graphs and every difference; `number` distinguishes the pairs of a page."""
    diff = compare_graphs(first.graph, second.graph)
    same = f"{numbers.counted(diff.same_nodes, 'node')} and {numbers.counted(diff.same_edges, 'edge')} are the same"
    counts = ", ".join(f"{diff.count(kind)} {kind}" for kind in _LOOKS)
    left = replace(first, sketch=highlighted(first.sketch, _emphasis(diff, after=False)))
    right = replace(second, sketch=highlighted(second.sketch, _emphasis(diff, after=True)))
    return GraphPair(
        name=f"pair-{number}",
        title=title,
        summary=f"{same}; {counts}",
        sides=(left, right),
        table=_table(number, f"Differences: {title}", diff),
    )


def _emphasis(diff: GraphDiff, *, after: bool) -> Emphasis:
    def accents(found: Sequence[GraphDifference]) -> dict[int, Accent]:
        places = ((item.after if after else item.before, item.kind) for item in found)
        return {place: Accent(kind) for place, kind in places if place is not None}

    return Emphasis(accents(diff.nodes), accents(diff.edges))


def _table(number: int, caption: str, diff: GraphDiff) -> Table:
    found = [("node", item) for item in diff.nodes] + [("edge", item) for item in diff.edges]
    rows = [(part, Entry(item.kind, look=_LOOKS[item.kind]), Entry(clip(item.text, 600))) for part, item in found]
    columns = (Column("Part", choose=True), Column("Difference", choose=True), "What")
    return listing(f"differences-{number}", caption, columns, rows)
