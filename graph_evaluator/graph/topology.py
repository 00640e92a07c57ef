"""How a graph's nodes are connected: nodes by kind, edges by role, and reachability along directed
edges. Of nodes that share an id, edges refer to the last one.
"""

from collections.abc import Iterable

import rustworkx as rx

from graph_evaluator.records.graph import DraftGraph, Edge, Node, causal_edges

KINDS = ("decision", "option", "factor", "outcome", "risk", "goal")
MAX_EDGES = 100
"""A valid graph has no more."""
BRIDGES = ("outcome", "risk")
"""The kinds between factors and the goal."""


class Topology:
    """The nodes and edges of a graph as the rules need them, in the order of the answer.

    Attributes:
        graph: The graph.
        kinds: The kind of each id.
        directed: Every edge that is not bidirected.
        causal: Directed edges whose parameters are scored: neither decision to option nor option
            to factor.
        set_by_option: The factors that a directed edge leads to from any option.
        controllable: Factors that an option sets or whose category says so.
    """

    def __init__(self, graph: DraftGraph) -> None:
        self.graph = graph
        self.kinds = {node.id: node.kind for node in graph.nodes}
        self.directed = [edge for edge in graph.edges if not edge.bidirected]
        self.causal = causal_edges(graph)
        set_by_option = [edge for edge in self.directed if self.ends(edge) == ("option", "factor")]
        self.set_by_option = {edge.target for edge in set_by_option}
        called_so = {node.id: node.category == "controllable" for node in graph.nodes}
        self.controllable = self.set_by_option | {
            name for name, kind in self.kinds.items() if kind == "factor" and called_so[name]
        }
        self._digraph: rx.PyDiGraph[str, None] = rx.PyDiGraph()
        self._connect()

    def _connect(self) -> None:
        names = dict.fromkeys(self.kinds)
        for edge in self.directed:
            names |= {edge.source: None, edge.target: None}
        indices = self._digraph.add_nodes_from([*names])
        self._indices = dict(zip(names, indices, strict=True))
        steps = [(self._indices[edge.source], self._indices[edge.target]) for edge in self.directed]
        self._digraph.add_edges_from_no_data(steps)
        self._reversed = self._digraph.copy()
        self._reversed.reverse()

    def ends(self, edge: Edge) -> tuple[str | None, str | None]:
        """The kinds of the ends of an edge; None for an id that no node has."""
        return self.kinds.get(edge.source), self.kinds.get(edge.target)

    def of_kind(self, *kinds: str) -> list[Node]:
        """The nodes of these kinds, in the order of the kinds and of the answer."""
        return [node for kind in kinds for node in self.graph.nodes if node.kind == kind]

    def ids_of(self, *kinds: str) -> list[str]:
        """The ids of the nodes of these kinds, in the same order."""
        return [node.id for node in self.of_kind(*kinds)]

    def reachable_from(self, starts: Iterable[str]) -> set[str]:
        """The starts, and every id that a walk along directed edges leads to from one of them."""
        return self._reached(self._digraph, starts)

    def leading_to(self, ends: Iterable[str]) -> set[str]:
        """The ends, and every id from which a walk along directed edges leads to one of them."""
        return self._reached(self._reversed, ends)

    def _reached(self, digraph: "rx.PyDiGraph[str, None]", starts: Iterable[str]) -> set[str]:
        layers = rx.bfs_layers(digraph, [self._indices[name] for name in starts])
        return {digraph[index] for layer in layers for index in layer}

    def cycle(self) -> list[str]:
        """The ids along one directed cycle, in walking order; empty when there is none."""
        return [self._digraph[source] for source, _ in rx.digraph_find_cycle(self._digraph)]

    def order(self) -> list[str]:
        """All ids, each after those that a directed edge leads to it from; empty if there is a
        cycle.
        """
        if self.cycle():
            return []
        return [self._digraph[index] for index in rx.topological_sort(self._digraph)]


def rounded(value: float, scale: int) -> int:
    """`value * scale` as the nearest integer, half away from zero, on the exact value of the
    double.

    >>> [rounded(value, 10) for value in (0.25, 0.35, -0.25, 0.45)]  # 0.35 is below the tie
    [3, 3, -3, 5]
    """
    numerator, denominator = value.as_integer_ratio()
    magnitude = (2 * abs(numerator) * scale + denominator) // (2 * denominator)
    return magnitude if numerator >= 0 else -magnitude


def settings_of(option: Node) -> frozenset[tuple[str, int]]:
    """Which factors an option sets, each with its value at four decimals: equal for options that
    set the same. No map is the same as an empty one.
    """
    interventions = option.interventions.items()
    return frozenset((name, rounded(value, 10_000)) for name, value in interventions)
