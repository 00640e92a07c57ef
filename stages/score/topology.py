"""Who is linked to whom: the graph's nodes by kind and its edges by role, laid out in one pass.

Of nodes that share an id, edges see the last one.
"""

from collections import defaultdict
from typing import Literal

import msgspec

from stages.contracts.graph import BIDIRECTED, DIRECTED, DraftGraph, Node
from stages.score.walks import Neighbours

Role = Literal[0, 1, 2, 3, 4, 5, 6]
"""What a directed edge between two kinds of nodes is."""
STRUCTURAL: Role = 0  # decision to option: no parameters are scored
SETTING: Role = 1  # option to factor: likewise, and it makes the factor controllable
CAUSAL: Role = 2  # an effect of one thing on another, as the format foresees it
LATERAL: Role = 3  # a causal edge between two factors: of all foreseen edges only these can close a cycle
ODD: Role = 4  # not foreseen and not forbidden: counts as causal, with a warning
FORBIDDEN: Role = 5  # makes the graph invalid
UNKNOWN: Role = 6  # between other kinds, or none: counts as causal

KINDS = ("decision", "option", "factor", "outcome", "risk", "goal")
BRIDGES = ("outcome", "risk")

_Targets = dict[str, Role]
_CAUSES: _Targets = dict.fromkeys(BRIDGES, CAUSAL)
_NOT_INTO_BRIDGES: _Targets = dict.fromkeys(BRIDGES, FORBIDDEN)
_ODD: _Targets = dict.fromkeys(KINDS, ODD)
ROLES: dict[str, _Targets] = {
    "decision": {**_ODD, **_NOT_INTO_BRIDGES, "factor": FORBIDDEN, "option": STRUCTURAL},
    "option": {**_ODD, **_NOT_INTO_BRIDGES, "factor": SETTING, "goal": FORBIDDEN},
    "factor": {**_ODD, **_CAUSES, "factor": LATERAL, "goal": FORBIDDEN},
    "outcome": {**_ODD, **_NOT_INTO_BRIDGES, "goal": CAUSAL},
    "risk": {**_ODD, **_NOT_INTO_BRIDGES, "goal": CAUSAL},
    "goal": {**_ODD},
}
"""The role of a directed edge by the kinds of its ends, source first."""


class Topology(msgspec.Struct, frozen=True, gc=False):
    """A graph laid out for the rules. Edges are named by their position in `graph.edges`; lists of edges are in that order.

    `by_kind` has a list for every kind, empty for one that the graph has not. `effects` are the causal
    edges, `odd` those of them that the format does not foresee. `dangling` are the edges, bidirected ones too, with an end
    that no node has as its id, and `untyped` those whose type is not of the format. `offered` are the ids of options that
    the decision leads to. `set_by` are the ids of options that a directed edge leads from to a factor, each with those
    factors, `set_by_option` all such factors, `controllable` those and the factors whose category says so. `leading` are
    the ids that a directed edge leads from. When `layered` is true, every directed edge leads on to a later kind, so that
    there is no cycle.
    """

    graph: DraftGraph
    kinds: dict[str, str]
    by_kind: defaultdict[str, list[Node]]
    offered: set[str]
    effects: list[int]
    odd: list[int]
    forbidden: list[int]
    dangling: list[int]
    untyped: list[int]
    set_by: dict[str, set[str]]
    set_by_option: set[str]
    controllable: set[str]
    leading: set[str]
    layered: bool


def survey(graph: DraftGraph) -> Topology:
    """Lay a graph out."""
    kinds: dict[str, str] = {}
    by_kind: defaultdict[str, list[Node]] = defaultdict(list)
    for node in graph.nodes:
        kinds[node.id] = kind = node.kind
        by_kind[kind].append(node)
    offered: set[str] = set()
    effects: list[int] = []
    odd: list[int] = []
    forbidden: list[int] = []
    dangling: list[int] = []
    untyped: list[int] = []
    set_by: defaultdict[str, set[str]] = defaultdict(set)
    leading: set[str] = set()
    layered = True
    for index, edge in enumerate(graph.edges):
        source, target, edge_type = edge.source, edge.target, edge.edge_type
        try:
            role = ROLES[kinds[source]][kinds[target]]
        except KeyError:  # an end that is no node, or of a kind outside the format
            role = UNKNOWN
            if source not in kinds or target not in kinds:
                dangling.append(index)
        if edge_type is not None and edge_type != DIRECTED:
            if edge_type == BIDIRECTED:
                continue
            untyped.append(index)
        leading.add(source)
        if role == CAUSAL:
            effects.append(index)
        elif role == SETTING:
            set_by[source].add(target)
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
    set_by_option: set[str] = set()
    set_by_option.update(*set_by.values())
    named = _named_controllable(graph, kinds, by_kind["factor"])
    controllable = set_by_option if named <= set_by_option else set_by_option | named
    return Topology(
        graph, kinds, by_kind, offered, effects, odd, forbidden, dangling, untyped, set_by, set_by_option, controllable,
        leading, layered,
    )  # fmt: skip


def directed_links(graph: DraftGraph) -> tuple[Neighbours, Neighbours]:
    """For each id the ids that directed edges lead to from it, and those that they lead from to it, once per edge."""
    successors: defaultdict[str, list[str]] = defaultdict(list)
    predecessors: defaultdict[str, list[str]] = defaultdict(list)
    for edge in graph.edges:
        if edge.edge_type != BIDIRECTED:
            successors[edge.source].append(edge.target)
            predecessors[edge.target].append(edge.source)
    return successors, predecessors


def _named_controllable(graph: DraftGraph, kinds: dict[str, str], factors: list[Node]) -> set[str]:
    if len(kinds) < len(graph.nodes):  # ids repeat: the last node of an id says what it is
        factors = [node for node in {node.id: node for node in graph.nodes}.values() if node.kind == "factor"]
    named: set[str] = set()
    for node in factors:
        if node.category == "controllable":
            named.add(node.id)
    return named
