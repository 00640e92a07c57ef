"""What the options of a graph set, at which levels, and which of them leaves everything as
it is.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from operator import itemgetter

from stages.contracts.graph import Node
from stages.structure.topology import Topology

SAME_LEVEL = 0.00005


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


@dataclass(frozen=True, slots=True)
class Baseline:
    """Where a graph begins, before anything is decided; read once for each graph.

    Attributes:
        options: The options that leave everything as it is, the likeliest status quo first.
        present: The values of the factors today, on the scale of the interventions, where they
            are given.
        levels: The level of each factor that no option sets: what the first of `options` sets,
            else its present value, else 0.
    """

    options: tuple[Node, ...]
    present: Mapping[str, float]
    levels: Mapping[str, float]

    @property
    def status_quo(self) -> Node | None:
        """The first of the options that leave everything as it is; None without any."""
        return next(iter(self.options), None)


def read_baseline(topology: Topology, pattern: str) -> Baseline:
    """The baseline of a graph, of which `pattern` names the status quo."""
    present = _present_levels(topology)
    options = _baseline_options(topology, pattern, present)
    levels = dict.fromkeys(topology.ids_of("factor"), 0.0) | present
    for option in options[:1]:
        levels |= option.interventions
    return Baseline(options, present, levels)


def _present_levels(topology: Topology) -> dict[str, float]:
    levels: dict[str, float] = {}
    for factor in topology.of_kind("factor"):
        if factor.data and factor.data.value is not None:
            levels[factor.id] = factor.data.value
    return levels


def _baseline_options(
    topology: Topology, pattern: str, present: Mapping[str, float]
) -> tuple[Node, ...]:
    """The options that leave everything as it is: that the pattern names (found anywhere in the
    label, in any case), that set nothing, or every lever at its present value.

    First those whose label begins with the pattern, then those that change nothing, then the
    others: "Raise Pro while keeping Basic" has the pattern too.
    """
    ranked: list[tuple[bool, bool, Node]] = []
    for option in topology.of_kind("option"):
        match = re.search(pattern, option.label or "", re.IGNORECASE)
        changes = not _is_at(option, present)
        if match or not changes:
            begins_so = match is not None and match.start() == 0
            ranked.append((not begins_so, changes, option))
    ranked.sort(key=itemgetter(0, 1))
    return tuple(option for _, _, option in ranked)


def _is_at(option: Node, levels: Mapping[str, float]) -> bool:
    """True if an option sets factors to these levels only."""
    interventions = option.interventions
    if not interventions.keys() <= levels.keys():
        return False
    return all(are_same(value, levels[name]) for name, value in interventions.items())


def are_same(first: float, second: float) -> bool:
    """True for levels that are equal at four decimals."""
    return abs(first - second) <= SAME_LEVEL
