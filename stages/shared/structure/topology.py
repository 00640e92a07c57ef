"""How a graph's nodes are connected: nodes by kind, edges by role, and reachability along directed
edges. Of nodes that share an id, edges refer to the last one.
"""

from collections import defaultdict
from collections.abc import Iterable

import rustworkx as rx

from stages.shared.records.graph import DraftGraph, Edge, Node

KINDS = ("decision", "option", "factor", "outcome", "risk", "goal")
BRIDGES = ("outcome", "risk")
"""The kinds between factors and the goal."""

FORBIDDEN = frozenset({
    ("option", "outcome"), ("option", "risk"), ("option", "goal"), ("factor", "goal"),
    ("decision", "factor"), ("decision", "outcome"), ("decision", "risk"),
    ("outcome", "outcome"), ("risk", "risk"), ("outcome", "risk"), ("risk", "outcome"),
})  # fmt: skip
"""The kinds of the ends that make a directed edge invalid. Source: docs/scoring.md."""


class Topology:
    """The nodes and edges of a graph as the rules need them, in the order of the answer.

    Attributes:
        graph: The graph.
        kinds: The kind of each id.
        directed: Every edge that is not bidirected.
        causal: Directed edges whose parameters are scored: neither decision to option nor option
            to factor.
        forbidden: Directed edges between kinds that must not be connected.
        dangling: Edges, bidirected ones too, with an end that is the id of no node.
        offered: The targets of directed edges from a decision to an option.
        set_by: For each option the factors that a directed edge leads to from it.
        set_by_option: The factors that any option sets.
        controllable: Factors that an option sets or whose category says so.
    """

    def __init__(self, graph: DraftGraph) -> None:
        self.graph = graph
        self._nodes_by_kind: defaultdict[str, list[Node]] = defaultdict(list)
        for node in graph.nodes:
            self._nodes_by_kind[node.kind].append(node)
        nodes = {node.id: node for node in graph.nodes}
        self.kinds = {name: node.kind for name, node in nodes.items()}
        self.directed = [edge for edge in graph.edges if not edge.bidirected]
        self.causal: list[Edge] = []
        self.forbidden: list[Edge] = []
        self.dangling: list[Edge] = []
        self.offered: set[str] = set()
        self.set_by: defaultdict[str, set[str]] = defaultdict(set)
        for edge in graph.edges:
            if edge.source not in nodes or edge.target not in nodes:
                self.dangling.append(edge)
        for edge in self.directed:
            self._sort(edge)
        self.set_by_option: frozenset[str] = frozenset().union(*self.set_by.values())
        self.controllable = set(self.set_by_option)
        for name, node in nodes.items():
            if node.kind == "factor" and node.category == "controllable":
                self.controllable.add(name)
        self._connect()

    def _sort(self, edge: Edge) -> None:
        ends = (self.kinds.get(edge.source), self.kinds.get(edge.target))
        if ends == ("decision", "option"):
            self.offered.add(edge.target)
        elif ends == ("option", "factor"):
            self.set_by[edge.source].add(edge.target)
        elif ends in FORBIDDEN:
            self.forbidden.append(edge)
        else:
            self.causal.append(edge)

    def _connect(self) -> None:
        names = dict.fromkeys(self.kinds)
        for edge in self.directed:
            names[edge.source] = names[edge.target] = None
        self._names = list(names)
        self._indices = {name: index for index, name in enumerate(self._names)}
        self._digraph: rx.PyDiGraph[None, None] = rx.PyDiGraph()
        self._digraph.add_nodes_from([None] * len(self._names))
        index = self._indices
        arrows = [(index[edge.source], index[edge.target]) for edge in self.directed]
        self._digraph.add_edges_from_no_data(arrows)
        self._reversed = self._digraph.copy()
        self._reversed.reverse()

    def of_kind(self, *kinds: str) -> list[Node]:
        """The nodes of these kinds, in the order of the kinds and of the answer."""
        return [node for kind in kinds for node in self._nodes_by_kind.get(kind, ())]

    def ids_of(self, *kinds: str) -> list[str]:
        """The ids of the nodes of these kinds, in the same order."""
        return [node.id for node in self.of_kind(*kinds)]

    def reachable_from(self, starts: Iterable[str]) -> set[str]:
        """The starts, and every id that a walk along directed edges leads to from one of them."""
        return self._reached(self._digraph, starts)

    def leading_to(self, ends: Iterable[str]) -> set[str]:
        """The ends, and every id from which a walk along directed edges leads to one of them."""
        return self._reached(self._reversed, ends)

    def _reached(self, digraph: "rx.PyDiGraph[None, None]", starts: Iterable[str]) -> set[str]:
        source = digraph.add_node(None)
        digraph.add_edges_from_no_data([(source, self._indices[name]) for name in starts])
        reached = rx.descendants(digraph, source)
        digraph.remove_node(source)
        return {self._names[index] for index in reached}

    def cycle(self) -> list[str]:
        """The ids along one directed cycle, in walking order; empty when there is none."""
        return [self._names[source] for source, _ in rx.digraph_find_cycle(self._digraph)]

    def order(self) -> list[str]:
        """All ids, each after those that a directed edge leads to it from; empty if there is a
        cycle.
        """
        if self.cycle():
            return []
        return [self._names[index] for index in rx.topological_sort(self._digraph)]
