"""Parameter quality: do the parameters of the causal edges differ, or were they left at their defaults?

Causal edges are directed and neither decision-option nor option-factor. A valid graph has at least one, and each has all of
its parameters. Source: docs/scoring.md.
"""

from collections.abc import Iterable, Sequence

from stages.contracts.graph import Edge
from stages.contracts.json_text import JsonValue
from stages.contracts.params import ScoringRules
from stages.contracts.scorecard import SubScore
from stages.score.evidence import MAX_NAMED, clipped, counted, listed
from stages.score.topology import BRIDGES, Topology

_LARGEST = 1.7976931348623157e308  # the largest double: a larger sum is shown as this


def param_quality(topology: Topology, rules: ScoringRules) -> tuple[SubScore, ...]:
    """The five sub-scores of a valid graph, in the order in which they are added; each in 0..1, higher is better."""
    weights, thresholds = rules.weights.param_quality, rules.thresholds
    edges = topology.causal
    return (
        strength_diversity(edges, thresholds.strength_full_marks_at, weights.strength_diversity),
        exists_prob_diversity(edges, thresholds.exists_prob_full_marks_at, weights.exists_prob_diversity),
        std_variation(edges, weights.std_variation),
        default_takeover(edges, rules),
        range_discipline(topology, thresholds.max_inbound, weights.range_discipline),
    )


def rounded(value: float, scale: int) -> int:
    """`value * scale` as the nearest integer, half away from zero, on the exact value of the double.

    >>> [rounded(value, 10) for value in (0.25, 0.35, -0.25, 0.45)]  # the double 0.35 is below the tie
    [3, 3, -3, 5]
    """
    numerator, denominator = value.as_integer_ratio()
    magnitude = (2 * abs(numerator) * scale + denominator) // (2 * denominator)
    return magnitude if numerator >= 0 else -magnitude


def _distinct_tenths(values: Iterable[float | None]) -> list[int]:
    return sorted({rounded(value, 10) for value in values if value is not None})


def _decimals(tenths: Sequence[int]) -> list[JsonValue]:
    return [number / 10 for number in tenths[:MAX_NAMED]]


def strength_diversity(edges: Sequence[Edge], full: int, weight: float) -> SubScore:
    """How many |mean| differ after rounding to one decimal: `min(distinct / full, 1)`, 0 without edges."""
    tenths = _distinct_tenths(abs(edge.mean) for edge in edges if edge.mean is not None)
    strengths, of_edges = counted(len(tenths), "distinct strength"), counted(len(edges), "causal edge")
    return SubScore(
        name="strength_diversity",
        value=min(len(tenths) / full, 1.0),
        weight=weight,
        counted={"distinct_means": _decimals(tenths), "causal_edges": len(edges), "full_marks_at": full},
        message=f"{strengths} on {of_edges}; full marks from {full}.",
    )


def exists_prob_diversity(edges: Sequence[Edge], full: int, weight: float) -> SubScore:
    """How many existence probabilities differ after rounding to one decimal: `min(distinct / full, 1)`, 0 without edges."""
    tenths = _distinct_tenths(edge.exists_probability for edge in edges)
    distinct = counted(len(tenths), "distinct probability", "distinct probabilities")
    return SubScore(
        name="exists_prob_diversity",
        value=min(len(tenths) / full, 1.0),
        weight=weight,
        counted={"distinct_probabilities": _decimals(tenths), "causal_edges": len(edges), "full_marks_at": full},
        message=f"{distinct} on {counted(len(edges), 'causal edge')}; full marks from {full}.",
    )


def std_variation(edges: Sequence[Edge], weight: float) -> SubScore:
    """1 when standard deviations differ at all, compared exactly; 0 when all are equal, or there is none."""
    distinct = len({edge.std for edge in edges})
    return SubScore(
        name="std_variation",
        value=1.0 if distinct > 1 else 0.0,
        weight=weight,
        counted={"distinct_stds": distinct, "causal_edges": len(edges)},
        message=f"{counted(distinct, 'distinct standard deviation')} on {counted(len(edges), 'causal edge')}.",
    )


def default_takeover(edges: Sequence[Edge], rules: ScoringRules) -> SubScore:
    """How few of the causal edges were left at the default: `max(1 - percent / zero_at, 0)`; 1 without edges."""
    mean, std = rules.thresholds.default_mean, rules.thresholds.default_std
    defaults = [edge for edge in edges if edge.mean is not None and abs(edge.mean) == mean and edge.std == std]
    percent = len(defaults) / len(edges) * 100 if edges else 0.0
    named: list[JsonValue] = [
        {"index": edge.index, "from": clipped(edge.source), "to": clipped(edge.target)} for edge in defaults[:MAX_NAMED]
    ]
    return SubScore(
        name="default_takeover",
        value=max(1 - percent / rules.thresholds.default_zero_at_percent, 0.0),
        weight=rules.weights.param_quality.default_takeover,
        counted={
            "default_edges": named, "defaults": len(defaults), "causal_edges": len(edges), "percent": percent,
        },
        message=f"{len(defaults)} of {counted(len(edges), 'causal edge')} left at the default strength "
        f"{mean:g} ± {std:g} ({percent:.0f} %).",
    )  # fmt: skip


def range_discipline(topology: Topology, bound: float, weight: float) -> SubScore:
    """The share of outcomes, risks and goals whose inbound |mean| add up to the bound at most; 1 where there are none.

    The sums are of doubles, added in the order of the edges and compared without tolerance.
    """
    sums = {node.id: 0.0 for node in topology.of_kind(*BRIDGES, "goal")}
    for edge in topology.causal:
        if edge.target in sums and edge.mean is not None:
            sums[edge.target] += abs(edge.mean)
    over = [name for name, total in sums.items() if total > bound]
    within = len(sums) - len(over)
    named: list[JsonValue] = [
        {"node": clipped(name), "sum": min(sums[name], _LARGEST), "over_by": min(sums[name], _LARGEST) - bound}
        for name in over[:MAX_NAMED]
    ]
    message = f"{within} of {len(sums)} outcomes, risks and goals with inbound strengths of at most {bound:g} in total"
    return SubScore(
        name="range_discipline",
        value=within / len(sums) if sums else 1.0,
        weight=weight,
        counted={"targets": len(sums), "within": within, "over": named, "bound": bound},
        message=message + (f"; not {listed(over)}." if over else "."),
    )
