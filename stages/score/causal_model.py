"""A graph as linear equations: what its own numbers say about effects between nodes, and about the
levels that options lead to.

The weight of a directed edge is its mean times its exists_probability; decisions and options have
no value. Where no mean is negative and a direction is, directions give the signs.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence

from stages.shared.records.graph import Edge
from stages.shared.structure.topology import Topology


def signed_means(edges: Sequence[Edge]) -> list[float]:
    """The means of edges, missing ones as 0; with the sign of `effect_direction` where means are
    unsigned.
    """
    means = [edge.mean or 0.0 for edge in edges]
    if min(means, default=0.0) < 0:
        return means
    negative = [edge.effect_direction == "negative" for edge in edges]
    return [-mean if turned else mean for mean, turned in zip(means, negative, strict=True)]


class CausalModel:
    """The equations of a graph, with the levels at which its factors begin.

    Attributes:
        edges: The causal edges, in the order of the answer.
        means: Their means, with their signs.
        weights: Their weights.
        order: The ids, each after its causes; empty with a directed cycle, as all values then are.
        baseline: The level of each factor that no option sets.
    """

    def __init__(self, topology: Topology, baseline: Mapping[str, float]) -> None:
        self.edges = topology.causal
        self.means = signed_means(self.edges)
        self.weights: list[float] = []
        self.order = topology.order()
        self.baseline = baseline
        self._incoming: defaultdict[str, list[tuple[str, int]]] = defaultdict(list)
        for number, (edge, mean) in enumerate(zip(self.edges, self.means, strict=True)):
            self.weights.append(mean * (edge.exists_probability or 0.0))
            self._incoming[edge.target].append((edge.source, number))

    def effects_of(self, cause: str) -> dict[str, float]:
        """The effect of a node on each node: the sum over directed paths of the products of
        weights.
        """
        return self._values({cause: 1.0}, {})

    def levels(self, interventions: Mapping[str, float]) -> dict[str, float]:
        """The value of every node under the interventions of an option, which cut the causes of
        the factors that they set; other factors begin at their baseline.
        """
        cut = {name: level for name, level in interventions.items() if name in self.baseline}
        return self._values({**self.baseline, **cut}, cut)

    def _values(self, own: Mapping[str, float], cut: Mapping[str, float]) -> dict[str, float]:
        values: dict[str, float] = {}
        for name in self.order:
            value = own.get(name, 0.0)
            if name not in cut:
                for cause, number in self._incoming[name]:
                    value += self.weights[number] * values[cause]
            values[name] = value
        return values
