"""A graph as the rules need it: how its nodes are connected (nodes by kind, edges by role,
reachability along directed edges), and its linear equations, which give effects and levels.

Of nodes that share an id, edges refer to the last one.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from operator import itemgetter
from typing import TypeVar

import numpy as np
import rustworkx as rx
from numpy.typing import NDArray

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
        nodes = {node.id: node for node in graph.nodes}
        self.kinds = {name: node.kind for name, node in nodes.items()}
        self.directed = [edge for edge in graph.edges if not edge.bidirected]
        self.causal = causal_edges(graph)
        self.set_by_option = {
            edge.target for edge in self.directed if self.ends(edge) == ("option", "factor")
        }
        self.controllable = self.set_by_option | {
            node.id
            for node in nodes.values()
            if node.kind == "factor" and node.category == "controllable"
        }
        names = dict.fromkeys(self.kinds)
        for edge in self.directed:
            names |= {edge.source: None, edge.target: None}
        self._digraph: rx.PyDiGraph[str, None] = rx.PyDiGraph()
        self._indices = dict(zip(names, self._digraph.add_nodes_from([*names]), strict=True))
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


FloatArray = NDArray[np.float64]
Numeric = TypeVar("Numeric", float, FloatArray)

SAME_LEVEL = 0.00005
"""Levels that differ by no more are equal at four decimals."""


class CausalModel:
    """The equations of a graph; without values where there is a directed cycle.

    The weight of a directed edge is its mean times its exists_probability; decisions and options
    have no value. Where no mean is negative and a direction is, directions give the signs.

    Attributes:
        topology: The connections of the graph.
        edges: The causal edges, in the order of the answer.
        means: Their means, with their signs.
        baseline: The level at which each factor begins: as the status quo sets it, else its present
            value, else 0.
        status_quo: The likeliest of the options that leave everything as it is; None without any.
    """

    def __init__(self, topology: Topology, status_quo_pattern: str) -> None:
        self.topology = topology
        self.edges = topology.causal
        self.means = _signed_means(self.edges)
        self._weights = [
            mean * (edge.exists_probability or 0.0)
            for edge, mean in zip(self.edges, self.means, strict=True)
        ]
        self._order = topology.order()  # each id after its causes
        self._causes: defaultdict[str, list[tuple[str, int]]] = defaultdict(list)
        for place, edge in enumerate(self.edges):
            self._causes[edge.target].append((edge.source, place))
        present = {
            factor.id: factor.data.value
            for factor in topology.of_kind("factor")
            if factor.data and factor.data.value is not None
        }
        self.baseline = dict.fromkeys(topology.ids_of("factor"), 0.0) | present
        self.status_quo = _status_quo(topology.of_kind("option"), status_quo_pattern, present)
        if self.status_quo:
            self.baseline |= self.status_quo.interventions

    def settings_of(self, option: Node | None) -> dict[str, float]:
        """The factors that an option sets, each with its level; none without an option."""
        interventions = option.interventions.items() if option else ()
        return {name: level for name, level in interventions if name in self.baseline}

    def effects_of(self, cause: str) -> dict[str, float]:
        """The effect of a node on each node: the sum over directed paths of the products of
        weights.
        """
        return self.values({cause: 1.0}, {}, self._weights)

    def levels(self, option: Node | None) -> dict[str, float]:
        """The value of every node under an option, which cuts the causes of the factors that it
        sets; other factors begin at their baseline.
        """
        return self.values(self.baseline, self.settings_of(option), self._weights)

    def values(
        self,
        baseline: Mapping[str, float],
        settings: Mapping[str, float | Numeric],
        weights: Sequence[Numeric],
    ) -> dict[str, float | Numeric]:
        """The value of every node: its setting, else its baseline (0 without one) plus the values
        of its causes, each times the weight of its edge.

        `weights` are in the order of `edges`; arrays of them give arrays of values.
        """
        values: dict[str, float | Numeric] = {}
        for name in self._order:
            if name in settings:
                values[name] = settings[name]
                continue
            value: float | Numeric = baseline.get(name, 0.0)
            for cause, place in self._causes[name]:
                value = value + weights[place] * values[cause]
            values[name] = value
        return values


def _signed_means(edges: Sequence[Edge]) -> list[float]:
    """The means of edges, missing ones as 0; with the sign of `effect_direction` where means are
    unsigned.
    """
    means = [edge.mean or 0.0 for edge in edges]
    if min(means, default=0.0) < 0:
        return means
    return [
        -mean if edge.effect_direction == "negative" else mean
        for edge, mean in zip(edges, means, strict=True)
    ]


def _status_quo(options: Sequence[Node], pattern: str, present: Mapping[str, float]) -> Node | None:
    """The likeliest of the options that leave everything as it is: that the pattern names (found
    anywhere in the label, in any case), that set nothing, or every lever at its present value.

    First those whose label begins with the pattern, then those that change nothing, then the
    others: "Raise Pro while keeping Basic" has the pattern too.
    """
    ranked: list[tuple[bool, bool, Node]] = []
    for option in options:
        match = re.search(pattern, option.label or "", re.IGNORECASE)
        settings = option.interventions
        changes = not settings.keys() <= present.keys() or any(
            abs(level - present[name]) > SAME_LEVEL for name, level in settings.items()
        )
        if match or not changes:
            begins_so = match is not None and match.start() == 0
            ranked.append((not begins_so, changes, option))
    return min(ranked, key=itemgetter(0, 1))[2] if ranked else None
