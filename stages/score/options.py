"""What the options of a graph set, at which levels, and which of them leaves everything as
it is.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from operator import itemgetter

from stages.shared.records.graph import Node
from stages.shared.structure.topology import Topology

SAME_LEVEL = 0.00005
"""Levels that differ by no more are equal at four decimals."""


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
        status_quo: The likeliest of the options that leave everything as it is; None without any.
        levels: The level of each factor that no option sets: what the status quo sets, else its
            present value, else 0.
    """

    status_quo: Node | None
    levels: Mapping[str, float]


def read_baseline(topology: Topology, pattern: str) -> Baseline:
    """The baseline of a graph, of which `pattern` names the status quo."""
    present = _present_levels(topology)
    status_quo = _status_quo(topology, pattern, present)
    levels = dict.fromkeys(topology.ids_of("factor"), 0.0) | present
    if status_quo is not None:
        levels |= status_quo.interventions
    return Baseline(status_quo, levels)


def _present_levels(topology: Topology) -> dict[str, float]:
    levels: dict[str, float] = {}
    for factor in topology.of_kind("factor"):
        if factor.data and factor.data.value is not None:
            levels[factor.id] = factor.data.value
    return levels


def _status_quo(topology: Topology, pattern: str, present: Mapping[str, float]) -> Node | None:
    """The likeliest of the options that leave everything as it is: that the pattern names (found
    anywhere in the label, in any case), that set nothing, or every lever at its present value.

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
    return ranked[0][2] if ranked else None


def _is_at(option: Node, levels: Mapping[str, float]) -> bool:
    """True if an option sets factors to these levels only."""
    interventions = option.interventions
    if not interventions.keys() <= levels.keys():
        return False
    return all(abs(value - levels[name]) <= SAME_LEVEL for name, value in interventions.items())
