"""A graph as linear equations, whose own numbers give effects between nodes and levels."""

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from operator import itemgetter
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from graph_evaluator.graph.topology import Topology
from graph_evaluator.records.graph import Edge, Node

FloatArray = NDArray[np.float64]
Numeric = TypeVar("Numeric", float, FloatArray)

SAME_LEVEL = 0.00005
"""Levels that differ by no more are equal at four decimals."""


class CausalModel:
    """The equations of a graph; without values where there is a directed cycle.

    The weight of a directed edge is its mean times its exists_probability; decisions and options
    have no value. Where no mean is negative and a direction is, directions give the signs.

    Attributes:
        edges: The causal edges, in the order of the answer.
        means: Their means, with their signs.
        baseline: The level at which each factor begins: as the status quo sets it, else its present
            value, else 0.
        status_quo: The likeliest of the options that leave everything as it is; None without any.
    """

    def __init__(self, topology: Topology, status_quo_pattern: str) -> None:
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
        self.baseline = dict.fromkeys(topology.ids_of("factor"), 0.0)
        present: dict[str, float] = {}
        for factor in topology.of_kind("factor"):
            if factor.data and factor.data.value is not None:
                present[factor.id] = factor.data.value
        self.baseline |= present
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
        settings = self.settings_of(option)
        return self.values(self.baseline, settings, self._weights)

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
    negative = [edge.effect_direction == "negative" for edge in edges]
    return [-mean if turned else mean for mean, turned in zip(means, negative, strict=True)]


def _status_quo(options: Sequence[Node], pattern: str, present: Mapping[str, float]) -> Node | None:
    """The likeliest of the options that leave everything as it is: that the pattern names (found
    anywhere in the label, in any case), that set nothing, or every lever at its present value.

    First those whose label begins with the pattern, then those that change nothing, then the
    others: "Raise Pro while keeping Basic" has the pattern too.
    """
    ranked: list[tuple[bool, bool, Node]] = []
    for option in options:
        match = re.search(pattern, option.label or "", re.IGNORECASE)
        changes = not _is_at(option, present)
        if match or not changes:
            begins_so = match is not None and match.start() == 0
            ranked.append((not begins_so, changes, option))
    return min(ranked, key=itemgetter(0, 1))[2] if ranked else None


def _is_at(option: Node, levels: Mapping[str, float]) -> bool:
    """True if an option sets factors to these levels only."""
    interventions = option.interventions
    if not interventions.keys() <= levels.keys():
        return False
    return all(abs(value - levels[name]) <= SAME_LEVEL for name, value in interventions.items())
