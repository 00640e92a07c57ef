"""Who is linked to whom: the graph's nodes by kind, its edges by role, and walks along directed edges.

Everything is linear in nodes + edges. Of nodes that share an id, edges see the last one.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Literal

import msgspec

from stages.contracts.graph import BIDIRECTED, DraftGraph, Node

Role = Literal[0, 1, 2, 3, 4]
"""What a directed edge between two kinds of nodes is, as an index into lists of edges."""
STRUCTURAL: Role = 0  # decision to option: no parameters are scored
SETTING: Role = 1  # option to factor: likewise, and it makes the factor controllable
CAUSAL: Role = 2  # an effect of one thing on another, as the format foresees it
ODD: Role = 3  # not foreseen and not forbidden: counts as causal, with a warning
FORBIDDEN: Role = 4  # makes the graph invalid

KINDS = ("decision", "option", "factor", "outcome", "risk", "goal")
BRIDGES = ("outcome", "risk")

ROLES: dict[tuple[str | None, str | None], Role] = {
    **{(source, target): ODD for source in KINDS for target in KINDS},
    ("decision", "option"): STRUCTURAL,
    ("option", "factor"): SETTING,
    **{("factor", target): CAUSAL for target in ("factor", *BRIDGES)},
    **{(source, "goal"): CAUSAL for source in BRIDGES},
    **{("decision", target): FORBIDDEN for target in ("factor", *BRIDGES)},
    **{("option", target): FORBIDDEN for target in (*BRIDGES, "goal")},
    ("factor", "goal"): FORBIDDEN,
    **{(source, target): FORBIDDEN for source in BRIDGES for target in BRIDGES},
}
"""The role of a directed edge by the kinds of its ends; a pair with an unknown kind counts as causal."""

Neighbours = Mapping[str, list[str]]


class Topology(msgspec.Struct, frozen=True, gc=False):
    """A graph laid out for the rules. Edges are named by their position in `graph.edges`; `by_role` holds directed ones.

    `set_by_option` are the ids of factors that a directed edge from an option enters, `controllable` those and the factors
    whose category says so. `dangling` are the edges, bidirected ones too, with an end that no node has as its id.
    """

    graph: DraftGraph
    kinds: dict[str, str]
    by_kind: dict[str, list[Node]]
    by_role: tuple[list[int], ...]
    dangling: list[int]
    set_by_option: set[str]
    controllable: set[str]
    successors: Neighbours
    predecessors: Neighbours

    @property
    def effects(self) -> list[int]:
        """The causal edges, odd ones among them, in the order of the answer."""
        causal, odd = self.by_role[CAUSAL], self.by_role[ODD]
        return sorted(causal + odd) if odd else causal


def survey(graph: DraftGraph) -> Topology:
    """Lay a graph out."""
    by_kind: defaultdict[str, list[Node]] = defaultdict(list)
    kinds: dict[str, str] = {}
    for node in graph.nodes:
        kinds[node.id] = kind = node.kind
        by_kind[kind].append(node)
    by_role: tuple[list[int], ...] = ([], [], [], [], [])
    dangling: list[int] = []
    set_by_option: set[str] = set()
    successors: defaultdict[str, list[str]] = defaultdict(list)
    predecessors: defaultdict[str, list[str]] = defaultdict(list)
    kind_of = kinds.get
    for index, edge in enumerate(graph.edges):
        source, target = edge.source, edge.target
        role = ROLES.get((kind_of(source), kind_of(target)), CAUSAL)
        if role == CAUSAL and (source not in kinds or target not in kinds):
            dangling.append(index)
        if edge.edge_type == BIDIRECTED:
            continue
        successors[source].append(target)
        predecessors[target].append(source)
        by_role[role].append(index)
        if role == SETTING:
            set_by_option.add(target)
    named = _named_controllable(graph, kinds, by_kind["factor"])
    controllable = set_by_option if named <= set_by_option else set_by_option | named
    return Topology(graph, kinds, by_kind, by_role, dangling, set_by_option, controllable, successors, predecessors)


def _named_controllable(graph: DraftGraph, kinds: dict[str, str], factors: list[Node]) -> set[str]:
    if len(kinds) < len(graph.nodes):  # ids repeat: the last node of an id says what it is
        factors = [node for node in {node.id: node for node in graph.nodes}.values() if node.kind == "factor"]
    return {node.id for node in factors if node.category == "controllable"}


def reach(starts: Iterable[str], neighbours: Neighbours) -> set[str]:
    """The ids that a walk of any length, none included, leads to.

    >>> sorted(reach(["a"], {"a": ["b"], "b": ["a"], "c": ["a"]}))
    ['a', 'b']
    """
    seen = set(starts)
    todo = list(seen)
    while todo:
        for neighbour in neighbours.get(todo.pop(), ()):
            if neighbour not in seen:
                seen.add(neighbour)
                todo.append(neighbour)
    return seen


def find_cycle(successors: Neighbours, predecessors: Neighbours) -> list[str]:
    """The ids along one directed cycle, in walking order, or an empty list when there is none (Kahn, 1962).

    >>> find_cycle({"a": ["b"], "b": ["c"], "c": ["b"]}, {"b": ["a", "c"], "c": ["b"]})
    ['b', 'c']
    """
    waiting = {node: len(sources) for node, sources in predecessors.items()}
    free = [node for node in successors if node not in waiting]
    while free:
        for follower in successors.get(free.pop(), ()):
            waiting[follower] -= 1
            if not waiting[follower]:
                del waiting[follower]
                free.append(follower)
    if not waiting:
        return []
    # Every node that still waits has a predecessor that waits too: walking backwards must come round.
    node = next(iter(waiting))
    walked: dict[str, None] = {}
    while node not in walked:
        walked[node] = None
        node = next(source for source in predecessors[node] if source in waiting)
    backwards = list(walked)
    return backwards[backwards.index(node) :][::-1]
