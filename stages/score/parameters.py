"""Parameter quality: are the parameters of the causal edges told apart, or left as they come?

Causal edges are directed and neither decision-option nor option-factor. A valid graph has at least one, and each has all of
its parameters. Source: docs/scoring.md.
"""

from stages.contracts.json_text import JsonValue
from stages.contracts.scorecard import SubScore
from stages.contracts.scoring_rules import ScoringRules
from stages.score.evidence import MAX_NAMED, clipped, counted, listed
from stages.score.rounding import rounded
from stages.score.topology import BRIDGES, Topology

_TARGETS = (*BRIDGES, "goal")
_LARGEST = 1.7976931348623157e308  # the largest double: a sum beyond it is shown as this


def param_quality(topology: Topology, rules: ScoringRules) -> tuple[SubScore, ...]:
    """The five sub-scores of a valid graph, in the order in which they are added; each in 0..1, higher is better."""
    effects, edges = topology.effects, topology.graph.edges
    means: list[float] = []
    stds: list[float] = []
    probabilities: list[float] = []
    for index in effects:
        edge = edges[index]
        strength = edge.strength
        means.append(abs(strength.mean))  # type: ignore[union-attr,arg-type]  # given on every causal edge of a valid graph
        stds.append(strength.std)  # type: ignore[union-attr,arg-type]
        probabilities.append(edge.exists_probability)  # type: ignore[arg-type]
    return (
        strength_diversity(means, rules),
        exists_prob_diversity(probabilities, rules),
        std_variation(stds, rules),
        default_takeover(topology, effects, means, stds, rules),
        range_discipline(topology, effects, means, rules),
    )


def strength_diversity(means: list[float], rules: ScoringRules) -> SubScore:
    """How many |mean| differ after rounding to one decimal: `min(distinct / full, 1)`, 0 without edges.

    >>> strength_diversity([0.3, 0.31, 0.6], ScoringRules()).value
    0.6666666666666666
    """
    full = rules.thresholds.strength_full_marks_at
    distinct = sorted({rounded(mean, 10) for mean in means})
    return SubScore(
        name="strength_diversity",
        value=min(len(distinct) / full, 1.0),
        weight=rules.weights.param_quality.strength_diversity,
        counted={"distinct_means": _tenths(distinct), "causal_edges": len(means), "full_marks_at": full},
        message=f"{counted(len(distinct), 'distinct strength')} on {counted(len(means), 'causal edge')}; "
        f"full marks from {full}.",
    )


def exists_prob_diversity(probabilities: list[float], rules: ScoringRules) -> SubScore:
    """How many existence probabilities differ after rounding to one decimal: `min(distinct / full, 1)`, 0 without edges.

    >>> exists_prob_diversity([0.88, 0.92], ScoringRules()).value
    0.5
    """
    full = rules.thresholds.exists_prob_full_marks_at
    distinct = sorted({rounded(probability, 10) for probability in probabilities})
    return SubScore(
        name="exists_prob_diversity",
        value=min(len(distinct) / full, 1.0),
        weight=rules.weights.param_quality.exists_prob_diversity,
        counted={
            "distinct_probabilities": _tenths(distinct),
            "causal_edges": len(probabilities),
            "full_marks_at": full,
        },
        message=f"{counted(len(distinct), 'distinct probability', 'distinct probabilities')} on "
        f"{counted(len(probabilities), 'causal edge')}; full marks from {full}.",
    )


def std_variation(stds: list[float], rules: ScoringRules) -> SubScore:
    """1 when standard deviations differ at all, compared exactly; 0 when all are one, or there is none.

    >>> std_variation([0.1, 0.1], ScoringRules()).value
    0.0
    """
    distinct = len(set(stds))
    return SubScore(
        name="std_variation",
        value=1.0 if distinct > 1 else 0.0,
        weight=rules.weights.param_quality.std_variation,
        counted={"distinct_stds": distinct, "causal_edges": len(stds)},
        message=f"{counted(distinct, 'distinct standard deviation')} on {counted(len(stds), 'causal edge')}.",
    )


def default_takeover(
    topology: Topology, effects: list[int], means: list[float], stds: list[float], rules: ScoringRules
) -> SubScore:
    """How few edges were left at the default: `max(1 - percent / zero_at, 0)`; 1 without edges. `means` are |mean|."""
    thresholds = rules.thresholds
    mean, std = thresholds.default_mean, thresholds.default_std
    left = [
        index
        for index, own_mean, own_std in zip(effects, means, stds, strict=True)
        if own_mean == mean and own_std == std
    ]
    percent = len(left) / len(effects) * 100 if effects else 0.0
    edges = topology.graph.edges
    named: list[JsonValue] = [
        {"index": index, "from": clipped(edges[index].source), "to": clipped(edges[index].target)}
        for index in left[:MAX_NAMED]
    ]
    return SubScore(
        name="default_takeover",
        value=max(1 - percent / thresholds.default_zero_at_percent, 0.0),
        weight=rules.weights.param_quality.default_takeover,
        counted={"default_edges": named, "defaults": len(left), "causal_edges": len(effects), "percent": percent},
        message=f"{len(left)} of {counted(len(effects), 'causal edge')} left at the default strength "
        f"{mean:g} ± {std:g} ({percent:.0f} %).",
    )


def range_discipline(topology: Topology, effects: list[int], means: list[float], rules: ScoringRules) -> SubScore:
    """The share of outcomes, risks and goals whose inbound |mean| add up to the bound at most; 1 where there are none.

    The sums are of doubles, in the order of the edges, compared without tolerance.
    """
    bound = rules.thresholds.max_inbound
    sums = {node.id: 0.0 for kind in _TARGETS for node in topology.by_kind.get(kind, ())}
    edges = topology.graph.edges
    for index, mean in zip(effects, means, strict=True):
        target = edges[index].target
        if target in sums:
            sums[target] += mean
    over = [(name, total) for name, total in sums.items() if total > bound]
    within = len(sums) - len(over)
    named: list[JsonValue] = [
        {"node": clipped(name), "sum": _finite(total), "over_by": _finite(total - bound)}
        for name, total in over[:MAX_NAMED]
    ]
    exceptions = f"; not {listed([name for name, _ in over])}" if over else ""
    return SubScore(
        name="range_discipline",
        value=within / len(sums) if sums else 1.0,
        weight=rules.weights.param_quality.range_discipline,
        counted={"targets": len(sums), "within": within, "over": named, "bound": bound},
        message=f"{within} of {counted(len(sums), 'outcome, risk or goal', 'outcomes, risks and goals')} with inbound "
        f"strengths of at most {bound:g} in total{exceptions}.",
    )


def _tenths(distinct: list[int]) -> list[JsonValue]:
    return [tenths / 10 for tenths in distinct[:MAX_NAMED]]


def _finite(total: float) -> float:
    return min(total, _LARGEST)
