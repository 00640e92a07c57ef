"""Parameter quality: are the parameters of the causal edges told apart, or left as they come?

Causal edges are directed and neither decision-option nor option-factor. A valid graph has at least one, and each has all of
its parameters. Source: docs/scoring.md. Sub-scores of equal counts are one record, made once.
"""

from functools import lru_cache

from stages.contracts.json_text import JsonValue
from stages.contracts.scorecard import SubScore
from stages.contracts.scoring_rules import ScoringRules
from stages.score.diversity import exists_prob_diversity, std_variation, strength_diversity
from stages.score.evidence import MAX_NAMED, clipped, counted, listed
from stages.score.rounding import TENTHS
from stages.score.topology import BRIDGES, Topology

_TARGETS = (*BRIDGES, "goal")
_LARGEST = 1.7976931348623157e308  # the largest double: a sum beyond it is shown as this


def param_quality(topology: Topology, rules: ScoringRules) -> tuple[SubScore, ...]:
    """The five sub-scores of a valid graph, in the order in which they are added; each in 0..1, higher is better."""
    weights, thresholds = rules.weights.param_quality, rules.thresholds
    effects, edges = topology.effects, topology.graph.edges
    own_mean, own_std = thresholds.default_mean, thresholds.default_std
    sums: dict[str, float] = {}
    for kind in _TARGETS:
        for node in topology.by_kind[kind]:
            sums[node.id] = 0.0
    tenths: set[int] = set()
    likelihoods: set[int] = set()
    stds: set[float] = set()
    defaults: list[int] = []
    for index in effects:
        edge = edges[index]
        strength = edge.strength
        mean = abs(strength.mean)  # type: ignore[union-attr,arg-type]  # given on every causal edge of a valid graph
        std: float = strength.std  # type: ignore[assignment,union-attr]
        tenths.add(TENTHS[mean])
        likelihoods.add(TENTHS[edge.exists_probability])  # type: ignore[index]
        stds.add(std)
        if mean == own_mean and std == own_std:
            defaults.append(index)
        if edge.target in sums:
            sums[edge.target] += mean
    count = len(effects)
    return (
        strength_diversity(frozenset(tenths), count, thresholds.strength_full_marks_at, weights.strength_diversity),
        exists_prob_diversity(
            frozenset(likelihoods), count, thresholds.exists_prob_full_marks_at, weights.exists_prob_diversity
        ),
        std_variation(len(stds), count, weights.std_variation),
        default_takeover(topology, defaults, count, rules),
        range_discipline(sums, thresholds.max_inbound, weights.range_discipline),
    )


def default_takeover(topology: Topology, defaults: list[int], edges: int, rules: ScoringRules) -> SubScore:
    """How few of the causal edges were left at the default: `max(1 - percent / zero_at, 0)`; 1 without edges."""
    thresholds, weight = rules.thresholds, rules.weights.param_quality.default_takeover
    if not defaults:
        return _no_defaults(edges, thresholds.default_mean, thresholds.default_std, weight)
    percent = len(defaults) / edges * 100
    all_edges = topology.graph.edges
    named: list[JsonValue] = [
        {"index": index, "from": clipped(all_edges[index].source), "to": clipped(all_edges[index].target)}
        for index in defaults[:MAX_NAMED]
    ]
    return SubScore(
        name="default_takeover",
        value=max(1 - percent / thresholds.default_zero_at_percent, 0.0),
        weight=weight,
        counted={"default_edges": named, "defaults": len(defaults), "causal_edges": edges, "percent": percent},
        message=f"{len(defaults)} of {counted(edges, 'causal edge')} left at the default strength "
        f"{thresholds.default_mean:g} ± {thresholds.default_std:g} ({percent:.0f} %).",
    )


@lru_cache(maxsize=4096)
def _no_defaults(edges: int, mean: float, std: float, weight: float) -> SubScore:
    return SubScore(
        name="default_takeover",
        value=1.0,
        weight=weight,
        counted={"default_edges": [], "defaults": 0, "causal_edges": edges, "percent": 0.0},
        message=f"0 of {counted(edges, 'causal edge')} left at the default strength {mean:g} ± {std:g} (0 %).",
    )


def range_discipline(sums: dict[str, float], bound: float, weight: float) -> SubScore:
    """The share of outcomes, risks and goals whose inbound |mean| add up to the bound at most; 1 where there are none.

    `sums` are the sums per node, of doubles added in the order of the edges, compared without tolerance.

    >>> range_discipline({"out_a": 1.0, "goal": 1.2}, bound=1.0, weight=0.15).value
    0.5
    """
    over = [name for name, total in sums.items() if total > bound]
    if not over:
        return _all_in_range(len(sums), bound, weight)
    within = len(sums) - len(over)
    named: list[JsonValue] = []
    for name in over[:MAX_NAMED]:
        total = sums[name] if sums[name] < _LARGEST else _LARGEST
        named.append({"node": clipped(name), "sum": total, "over_by": total - bound})
    return SubScore(
        name="range_discipline",
        value=within / len(sums),
        weight=weight,
        counted={"targets": len(sums), "within": within, "over": named, "bound": bound},
        message=f"{within} of {len(sums)} outcomes, risks and goals with inbound strengths of at most {bound:g} in total; "
        f"not {listed(over)}.",
    )


@lru_cache(maxsize=4096)
def _all_in_range(targets: int, bound: float, weight: float) -> SubScore:
    return SubScore(
        name="range_discipline",
        value=1.0,
        weight=weight,
        counted={"targets": targets, "within": targets, "over": [], "bound": bound},
        message=f"{targets} of {targets} outcomes, risks and goals with inbound strengths of at most {bound:g} in total.",
    )
