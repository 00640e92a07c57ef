"""What the options of a graph set, at which levels, and which of them leaves everything as it is."""

import re
from operator import itemgetter

from stages.contracts.graph import Node
from stages.score.topology import Topology

LEVEL_DECIMALS = 10_000
"""Levels are equal if they are so at four decimals."""


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
    return frozenset((name, rounded(value, LEVEL_DECIMALS)) for name, value in interventions)


def present_levels(topology: Topology) -> dict[str, float]:
    """The values of the factors today, on the scale of the interventions, where they are given."""
    levels: dict[str, float] = {}
    for factor in topology.of_kind("factor"):
        if factor.data and factor.data.value is not None:
            levels[factor.id] = factor.data.value
    return levels


def baseline_options(topology: Topology, pattern: str) -> list[Node]:
    """The options that leave everything as it is: that the pattern names (found anywhere in the
    label, in any case), that set nothing, or every lever at its present value.

    First those whose label begins with the pattern, then those that change nothing, then the
    others: "Raise Pro while keeping Basic" has the pattern too.
    """
    status_quo = re.compile(pattern, re.IGNORECASE)
    levels = present_levels(topology).items()
    present = frozenset((name, rounded(value, LEVEL_DECIMALS)) for name, value in levels)
    ranked: list[tuple[bool, bool, Node]] = []
    for option in topology.of_kind("option"):
        label = option.label or ""
        changes = not settings_of(option) <= present
        if status_quo.search(label) or not changes:
            ranked.append((not status_quo.match(label), changes, option))
    ranked.sort(key=itemgetter(0, 1))
    return [option for _, _, option in ranked]


def baseline_levels(topology: Topology, pattern: str) -> dict[str, float]:
    """The level of each factor that no option sets: what the first baseline option sets, else its
    present value, else 0.
    """
    levels = dict.fromkeys(topology.ids_of("factor"), 0.0) | present_levels(topology)
    for option in baseline_options(topology, pattern)[:1]:
        levels |= option.interventions
    return levels


def option_levels(topology: Topology, pattern: str) -> dict[str, dict[str, float]]:
    """The level of each factor under each option: what it sets, else the baseline."""
    baseline = baseline_levels(topology, pattern)
    return {option.id: baseline | option.interventions for option in topology.of_kind("option")}
