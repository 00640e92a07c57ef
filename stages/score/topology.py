"""Who is linked to whom: the graph's nodes by kind and its edges by role, laid out in one pass.

Of nodes that share an id, edges see the last one.
"""

from collections import defaultdict
from typing import Literal

import msgspec

from stages.contracts.graph import BIDIRECTED, DIRECTED, DraftGraph, Node
from stages.score.walks import Neighbours

Role = Literal[0, 1, 2, 3, 4, 5]
"""What a directed edge between two kinds of nodes is."""
STRUCTURAL: Role = 0  # decision to option: no parameters are scored
SETTING: Role = 1  # option to factor: likewise, and it makes the factor controllable
CAUSAL: Role = 2  # an effect of one thing on another, as the format foresees it
LATERAL: Role = 3  # a causal edge between two factors: of all foreseen edges only these can close a cycle
ODD: Role = 4  # not foreseen and not forbidden: counts as causal, with a warning
FORBIDDEN: Role = 5  # makes the graph invalid

KINDS = ("decision", "option", "factor", "outcome", "risk", "goal")
BRIDGES = ("outcome", "risk")

ROLES: dict[tuple[str | None, str | None], Role] = {
    **{(source, target): ODD for source in KINDS for target in KINDS},
    ("decision", "option"): STRUCTURAL,
    ("option", "factor"): SETTING,
    ("factor", "factor"): LATERAL,
    **{("factor", target): CAUSAL for target in BRIDGES},
    **{(source, "goal"): CAUSAL for source in BRIDGES},
    **{("decision", target): FORBIDDEN for target in ("factor", *BRIDGES)},
    **{("option", target): FORBIDDEN for target in (*BRIDGES, "goal")},
    ("factor", "goal"): FORBIDDEN,
    **{(source, target): FORBIDDEN for source in BRIDGES for target in BRIDGES},
}
"""The role of a directed edge by the kinds of its ends; one between other kinds counts as causal."""


class Topology(msgspec.Struct, frozen=True, gc=False):
    """A graph laid out for the rules. Edges are named by their position in `graph.edges`; lists of edges are in that order.

    `effects` are the causal edges, `odd` those of them that the format does not foresee. `dangling` are the edges,
    bidirected ones too, with an end that no node has as its id, and `untyped` those whose type is not of the format.
    `offered` are the ids of options that the decision leads to. `set_by_option` are the ids of factors that a directed
    edge from an option enters, `controllable` those and the factors whose category says so. When `layered` is true, every
    directed edge leads on to a later kind, so that there is no cycle.
    """

    graph: DraftGraph
    kinds: dict[str, str]
    by_kind: dict[str, list[Node]]
    offered: set[str]
    effects: list[int]
    odd: list[int]
    forbidden: list[int]
    dangling: list[int]
    untyped: list[int]
    set_by_option: set[str]
    controllable: set[str]
    successors: Neighbours
    predecessors: Neighbours
    layered: bool


def survey(graph: DraftGraph) -> Topology:
    """Lay a graph out."""
    by_kind: defaultdict[str, list[Node]] = defaultdict(list)
    kinds: dict[str, str] = {}
    for node in graph.nodes:
        kinds[node.id] = kind = node.kind
        by_kind[kind].append(node)
    offered: set[str] = set()
    effects: list[int] = []
    odd: list[int] = []
    forbidden: list[int] = []
    dangling: list[int] = []
    untyped: list[int] = []
    set_by_option: set[str] = set()
    successors: defaultdict[str, list[str]] = defaultdict(list)
    predecessors: defaultdict[str, list[str]] = defaultdict(list)
    layered = True
    kind_of, role_of = kinds.get, ROLES.get
    for index, edge in enumerate(graph.edges):
        source, target, edge_type = edge.source, edge.target, edge.edge_type
        role = role_of((kind_of(source), kind_of(target)))
        if role is None and (source not in kinds or target not in kinds):
            dangling.append(index)
        if edge_type is not None and edge_type != DIRECTED:
            if edge_type == BIDIRECTED:
                continue
            untyped.append(index)
        successors[source].append(target)
        predecessors[target].append(source)
        if role == CAUSAL:
            effects.append(index)
        elif role == SETTING:
            set_by_option.add(target)
        elif role == STRUCTURAL:
            offered.add(target)
        else:
            layered = False
            if role == FORBIDDEN:
                forbidden.append(index)
            else:
                effects.append(index)
                if role == ODD:
                    odd.append(index)
    named = _named_controllable(graph, kinds, by_kind["factor"])
    controllable = set_by_option if named <= set_by_option else set_by_option | named
    return Topology(
        graph, kinds, by_kind, offered, effects, odd, forbidden, dangling, untyped, set_by_option, controllable,
        successors, predecessors, layered,
    )  # fmt: skip


def _named_controllable(graph: DraftGraph, kinds: dict[str, str], factors: list[Node]) -> set[str]:
    if len(kinds) < len(graph.nodes):  # ids repeat: the last node of an id says what it is
        factors = [node for node in {node.id: node for node in graph.nodes}.values() if node.kind == "factor"]
    named: set[str] = set()
    for node in factors:
        if node.category == "controllable":
            named.add(node.id)
    return named
