"""A graph as linear equations: what its own numbers say about effects between nodes, and about the
levels that options lead to.

The weight of a directed edge is its mean times its exists_probability; decisions and options have
no value. Where no mean is negative and a direction is, directions give the signs.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from stages.contracts.graph import Edge
from stages.score.topology import Topology

Values = NDArray[np.float64]
"""One number for each of several cases (options, draws), in shapes that fit each other."""


def signed_means(edges: Sequence[Edge]) -> list[float]:
    """The means of edges, missing ones as 0; with the sign of `effect_direction` where means are
    unsigned.
    """
    means = [edge.mean or 0.0 for edge in edges]
    if min(means, default=0.0) < 0:
        return means
    negative = [edge.effect_direction == "negative" for edge in edges]
    return [-mean if turned else mean for mean, turned in zip(means, negative, strict=True)]


@dataclass(frozen=True, slots=True)
class Setting:
    """What several options do to a node: `own` is its value without its causes, `open_to_causes` 1
    where these count and 0 where an option sets it.
    """

    own: Values
    open_to_causes: Values


class CausalModel:
    """The equations of a graph without directed cycles.

    Attributes:
        edges: The causal edges, in the order of the answer.
        means: Their means, with their signs.
        weights: Their weights.
    """

    def __init__(self, topology: Topology) -> None:
        self.topology = topology
        self.edges = topology.causal
        self.means: Values = np.array(signed_means(self.edges))
        existing = np.array([edge.exists_probability or 0.0 for edge in self.edges])
        self.weights: Values = self.means * existing
        self._order = topology.order()
        self._incoming: defaultdict[str, list[tuple[str, int]]] = defaultdict(list)
        for number, edge in enumerate(self.edges):
            self._incoming[edge.target].append((edge.source, number))

    def total_effects(self) -> dict[str, Mapping[str, float]]:
        """For each node the effect on it of each node: the sum over directed paths of the products
        of weights.
        """
        identity = np.eye(len(self._order))
        settings = {
            name: Setting(row, np.ones(1)) for name, row in zip(self._order, identity, strict=True)
        }
        values = self.values(settings, self.weights)
        return {
            name: dict(zip(self._order, effects.tolist(), strict=True))
            for name, effects in values.items()
        }

    def values(self, settings: Mapping[str, Setting], weights: Values) -> dict[str, Values]:
        """The value of every node: its own, and that of its causes times the weights."""
        values: dict[str, Values] = {}
        with np.errstate(over="ignore", invalid="ignore"):  # an answer may hold any double
            for name in self._order:
                setting = settings.get(name, _UNSET)
                caused: Values = np.zeros(1)
                for cause, number in self._incoming[name]:
                    caused = caused + weights[number] * values[cause]
                values[name] = setting.own + setting.open_to_causes * caused
        return values

    def levels(
        self, options: Sequence[Mapping[str, float]], baseline: Mapping[str, float]
    ) -> dict[str, Setting]:
        """What the interventions of options do to the factors; those that one leaves alone are at
        their baseline.
        """
        settings: dict[str, Setting] = {}
        for factor, level in baseline.items():
            own = [interventions.get(factor, level) for interventions in options]
            is_open = [float(factor not in interventions) for interventions in options]
            settings[factor] = Setting(np.array(own), np.array(is_open))
        return settings


_UNSET = Setting(np.zeros(1), np.ones(1))
