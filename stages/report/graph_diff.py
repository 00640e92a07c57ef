"""Graph diff: what one drafted graph has that another has not, and what both have but differently.

Nodes are the same when their ids are equal, or else when kind and label are; edges when they join the same nodes in the same
way. Of several edges between the same nodes the first is paired with the first, and so on.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Literal, NamedTuple, TypeVar

from stages.contracts.graph import DraftGraph, Edge, Node
from stages.report.drawing.wording import number
from stages.report.visible_text import cut, visible

Kind = Literal["added", "removed", "changed"]
_Part = TypeVar("_Part", Node, Edge)


class Difference(NamedTuple):
    """One difference: what became of a node or an edge from the first graph to the second, and how, in words.

    `before` and `after` are positions in the nodes (or edges) of the first and of the second graph; None where it is absent.
    """

    kind: Kind
    before: int | None
    after: int | None
    text: str


class GraphDiff(NamedTuple):
    """All differences, in the order of the first graph, then of the second, and how many nodes and edges are the same."""

    nodes: tuple[Difference, ...]
    edges: tuple[Difference, ...]
    same_nodes: int
    same_edges: int


def compare(before: DraftGraph, after: DraftGraph) -> GraphDiff:
    """What changed from one graph to another."""
    pairs = _paired_nodes(before.nodes, after.nodes)
    names = _names(before, after)
    nodes = tuple(_differences(pairs, before.nodes, after.nodes, _node_changes, _node_name))
    joins = _paired_edges(before, after, pairs)

    def edge_name(edge: Edge) -> str:
        ends = [names.get(end, visible(end)) for end in (edge.source, edge.target)]
        return f" {'↔' if edge.bidirected else '→'} ".join(ends)

    edges = tuple(_differences(joins, before.edges, after.edges, _edge_changes, edge_name))
    both = [sum(a is not None and b is not None for a, b in found) for found in (pairs, joins)]
    changed = [sum(item.kind == "changed" for item in found) for found in (nodes, edges)]
    return GraphDiff(nodes, edges, both[0] - changed[0], both[1] - changed[1])


_Pair = tuple[int | None, int | None]


def _matched(left: list[object], right: list[object]) -> list[_Pair]:
    """Pairs of positions with equal keys, then what is only left, then what is only right; None keys match nothing."""
    waiting: dict[object, list[int]] = {}
    for place, key in enumerate(right):
        if key is not None:
            waiting.setdefault(key, []).append(place)
    pairs: list[_Pair] = []
    for place, key in enumerate(left):
        partners = waiting.get(key, [])
        pairs.append((place, partners.pop(0) if partners else None))
    taken = {pair[1] for pair in pairs}
    return pairs + [(None, place) for place in range(len(right)) if place not in taken]


def _paired_nodes(before: tuple[Node, ...], after: tuple[Node, ...]) -> list[_Pair]:
    first = _matched([node.id for node in before], [node.id for node in after])
    alone = [pair[0] for pair in first if pair[0] is not None and pair[1] is None]
    left = [pair[1] for pair in first if pair[1] is not None and pair[0] is None]
    second = _matched([_meaning(before[place]) for place in alone], [_meaning(after[place]) for place in left])
    renamed = {alone[a]: left[b] for a, b in second if a is not None and b is not None}
    pairs: list[_Pair] = [(a, b if b is not None else renamed.get(a)) for a, b in first if a is not None]
    taken = set(renamed.values())
    return pairs + [(None, b) for a, b in first if a is None and b not in taken]


def _meaning(node: Node) -> object:
    label = visible(node.label or "").casefold()
    return (node.kind, label) if label else None


def _paired_edges(before: DraftGraph, after: DraftGraph, pairs: list[_Pair]) -> list[_Pair]:
    known: dict[str, str] = {}
    for a, b in pairs:
        if a is not None and b is not None:
            known.setdefault(after.nodes[b].id, before.nodes[a].id)
    own = {node.id for node in before.nodes}

    def ends(edge: Edge, *, second: bool) -> object:
        names = [
            known.get(end, f"2:{end}" if end in own else end) if second else end for end in (edge.source, edge.target)
        ]
        return (*sorted(names), True) if edge.bidirected else (*names, False)

    left: list[object] = [ends(edge, second=False) for edge in before.edges]
    return _matched(left, [ends(edge, second=True) for edge in after.edges])


def _names(before: DraftGraph, after: DraftGraph) -> dict[str, str]:
    names: dict[str, str] = {}
    for graph in (before, after):
        for node in graph.nodes:
            names.setdefault(node.id, visible(node.label or node.id))
    return names


def _node_name(node: Node) -> str:
    return visible(node.label or node.id) or "(no label)"


def _differences(
    pairs: list[_Pair],
    before: Sequence[_Part],
    after: Sequence[_Part],
    changes: Callable[[_Part, _Part], list[str]],
    name: Callable[[_Part], str],
) -> Iterator[Difference]:
    for a, b in pairs:
        if a is None and b is not None:
            yield Difference("added", None, b, name(after[b]))
        elif a is not None and b is None:
            yield Difference("removed", a, None, name(before[a]))
        elif a is not None and b is not None:
            found = changes(before[a], after[b])
            if found:
                yield Difference("changed", a, b, f"{name(before[a])}: {', '.join(found)}")


def _node_changes(before: Node, after: Node) -> list[str]:
    changes = [
        f"{what} {_shown(old)} became {_shown(new)}"
        for what, old, new in (
            ("label", before.label, after.label),
            ("kind", before.kind, after.kind),
            ("category", before.category, after.category),
            ("threshold", before.goal_threshold, after.goal_threshold),
        )
        if old != new
    ]
    old_sets, new_sets = before.interventions, after.interventions
    for key in sorted(old_sets.keys() | new_sets.keys()):
        if old_sets.get(key) != new_sets.get(key):
            changes.append(f"sets {visible(key)} to {_shown(new_sets.get(key))}, was {_shown(old_sets.get(key))}")
    return changes


def _edge_changes(before: Edge, after: Edge) -> list[str]:
    return [
        f"{what} {_shown(old)} became {_shown(new)}"
        for what, old, new in (
            ("mean", before.mean, after.mean),
            ("std", before.std, after.std),
            ("probability", before.exists_probability, after.exists_probability),
        )
        if old != new
    ]


def _shown(value: float | str | None) -> str:
    if value is None:
        return "nothing"
    return f"“{cut(visible(value), 120)}”" if isinstance(value, str) else number(value)
