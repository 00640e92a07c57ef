"""The sub-scores of a valid graph, by dimension. Source: docs/scoring.md.

Each function measures one thing: it returns a value in 0..1 (higher is better), what was counted, and a sentence that states it.
"""

import re
from collections.abc import Iterable, Mapping, Sequence

from stages.contracts.brief import Expectations
from stages.contracts.graph import Coaching, Edge, Node
from stages.contracts.json_text import JsonValue
from stages.contracts.params import ScoringRules, Thresholds
from stages.contracts.scorecard import Dimension, SubScore
from stages.score.evidence import MAX_NAMED, clipped, listed
from stages.score.topology import BRIDGES, Topology
from stages.shell.numbers import counted

Counts = dict[str, JsonValue]
Measurement = tuple[float, Counts, str]
"""The value, what was counted, and the sentence."""

_LARGEST = 1.7976931348623157e308  # the largest double: a larger sum is shown as this


def sub_scores(
    topology: Topology, expectations: Expectations, rules: ScoringRules
) -> dict[Dimension, tuple[SubScore, ...]]:
    """The sub-scores of each dimension, in the order in which they are added.

    Parameter quality: do the parameters of the causal edges differ, or were they left at their defaults? A valid graph has at
    least one such edge, and each has all of its parameters. Option differentiation: do the options differ in what they change?
    Completeness: does the graph have what a decision graph should have beyond its structure?
    """
    edges, options, factors = (
        topology.causal,
        topology.of_kind("option"),
        topology.of_kind("factor"),
    )
    targets = topology.of_kind(*BRIDGES, "goal")
    thresholds = rules.thresholds
    measured: dict[Dimension, dict[str, Measurement]] = {
        "param_quality": {
            "strength_diversity": strength_diversity(edges, thresholds.strength_full_marks_at),
            "exists_prob_diversity": exists_prob_diversity(
                edges, thresholds.exists_prob_full_marks_at
            ),
            "std_variation": std_variation(edges),
            "default_takeover": default_takeover(edges, thresholds),
            "range_discipline": range_discipline(targets, edges, thresholds.max_inbound),
        },
        "option_diff": {
            "status_quo_present": status_quo_present(
                options, expectations.expect_status_quo, rules.status_quo_pattern
            ),
            "no_identical_interventions": no_identical_interventions(options),
            "each_option_sets_factor": each_option_sets_factor(options),
            "unique_factor_per_option": unique_factor_per_option(options),
        },
        "completeness": {
            "external_factor_present": external_factor_present(factors),
            "coaching_populated": coaching_populated(topology.graph.coaching),
            "goal_threshold": goal_threshold(
                topology.of_kind("goal"), expectations.has_numeric_target
            ),
            "factor_label_specificity": factor_label_specificity(factors, rules.generic_labels),
            "readability_band": readability_band(len(topology.graph.nodes), thresholds),
        },
    }
    return {
        dimension: _weighted(parts, getattr(rules.weights, dimension))
        for dimension, parts in measured.items()
    }


def _weighted(parts: Mapping[str, Measurement], weights: object) -> tuple[SubScore, ...]:
    return tuple(
        SubScore(
            name=name, value=value, weight=getattr(weights, name), counted=counts, message=message
        )
        for name, (value, counts, message) in parts.items()
    )


def rounded(value: float, scale: int) -> int:
    """`value * scale` as the nearest integer, half away from zero, on the exact value of the double.

    >>> [rounded(value, 10) for value in (0.25, 0.35, -0.25, 0.45)]  # the double 0.35 is below the tie
    [3, 3, -3, 5]
    """
    numerator, denominator = value.as_integer_ratio()
    magnitude = (2 * abs(numerator) * scale + denominator) // (2 * denominator)
    return magnitude if numerator >= 0 else -magnitude


def _distinct_tenths(values: Iterable[float | None]) -> list[float]:
    return [
        tenths / 10
        for tenths in sorted({rounded(value, 10) for value in values if value is not None})
    ]


def strength_diversity(edges: Sequence[Edge], full: int) -> Measurement:
    """How many |mean| differ after rounding to one decimal: `min(distinct / full, 1)`, 0 without edges."""
    means = _distinct_tenths(abs(edge.mean) for edge in edges if edge.mean is not None)
    counts: Counts = {
        "distinct_means": [*means[:MAX_NAMED]],
        "causal_edges": len(edges),
        "full_marks_at": full,
    }
    message = (
        f"{counted(len(means), 'distinct strength')} on {_causal(edges)}; full marks from {full}."
    )
    return min(len(means) / full, 1.0), counts, message


def exists_prob_diversity(edges: Sequence[Edge], full: int) -> Measurement:
    """How many existence probabilities differ after rounding to one decimal: `min(distinct / full, 1)`, 0 without edges."""
    found = _distinct_tenths(edge.exists_probability for edge in edges)
    counts: Counts = {
        "distinct_probabilities": [*found[:MAX_NAMED]],
        "causal_edges": len(edges),
        "full_marks_at": full,
    }
    distinct = counted(len(found), "distinct probability", "distinct probabilities")
    return (
        min(len(found) / full, 1.0),
        counts,
        f"{distinct} on {_causal(edges)}; full marks from {full}.",
    )


def std_variation(edges: Sequence[Edge]) -> Measurement:
    """1 when standard deviations differ at all, compared exactly; 0 when all are equal, or there is none."""
    distinct = len({edge.std for edge in edges})
    message = f"{counted(distinct, 'distinct standard deviation')} on {_causal(edges)}."
    return float(distinct > 1), {"distinct_stds": distinct, "causal_edges": len(edges)}, message


def default_takeover(edges: Sequence[Edge], thresholds: Thresholds) -> Measurement:
    """How few of the causal edges were left at the default: `max(1 - percent / zero_at, 0)`; 1 without edges."""
    mean, std = thresholds.default_mean, thresholds.default_std
    defaults = [
        edge
        for edge in edges
        if edge.mean is not None and abs(edge.mean) == mean and edge.std == std
    ]
    percent = len(defaults) / len(edges) * 100 if edges else 0.0
    named: list[JsonValue] = [
        {"index": edge.index, "from": clipped(edge.source), "to": clipped(edge.target)}
        for edge in defaults[:MAX_NAMED]
    ]
    left = f"{len(defaults)} of {_causal(edges)} left at the default strength {mean:g} ± {std:g} ({percent:.0f} %)."
    counts: Counts = {
        "default_edges": named,
        "defaults": len(defaults),
        "causal_edges": len(edges),
        "percent": percent,
    }
    return max(1 - percent / thresholds.default_zero_at_percent, 0.0), counts, left


def _causal(edges: Sequence[Edge]) -> str:
    return counted(len(edges), "causal edge")


def range_discipline(targets: Sequence[Node], edges: Sequence[Edge], bound: float) -> Measurement:
    """The share of outcomes, risks and goals whose inbound |mean| add up, as doubles, to the bound at most; 1 where there are none."""
    sums = {node.id: 0.0 for node in targets}
    for edge in edges:
        if edge.target in sums and edge.mean is not None:
            sums[edge.target] += abs(edge.mean)
    over = [name for name, total in sums.items() if total > bound]
    within = len(sums) - len(over)
    named: list[JsonValue] = [
        {
            "node": clipped(name),
            "sum": min(sums[name], _LARGEST),
            "over_by": min(sums[name], _LARGEST) - bound,
        }
        for name in over[:MAX_NAMED]
    ]
    message = f"{within} of {len(sums)} outcomes, risks and goals with inbound strengths of at most {bound:g} in total"
    counts: Counts = {"targets": len(sums), "within": within, "over": named, "bound": bound}
    return (
        within / len(sums) if sums else 1.0,
        counts,
        message + (f"; not {listed(over)}." if over else "."),
    )


def status_quo_present(options: Sequence[Node], expected: bool, pattern: str) -> Measurement:
    """1 when the pattern is found in an option's label (anywhere, in any case), or the brief expects no status quo; else 0."""
    found = [
        node.id
        for node in options
        if node.label is not None and re.search(pattern, node.label, re.IGNORECASE)
    ]
    if found:
        message = f"The status quo is among the options: {listed(found)}."
    elif expected:
        message = "No option is the status quo, which the brief expects."
    else:
        message = "No option is the status quo; the brief expects none."
    return (
        float(bool(found) or not expected),
        {"expected": expected, "options": _ids(found)},
        message,
    )


def no_identical_interventions(options: Sequence[Node]) -> Measurement:
    """1 when no two options set the same factors to the same values at four decimals; else 0. No map equals an empty one."""
    groups: dict[frozenset[tuple[str, int]], list[str]] = {}
    for node in options:
        at_four_decimals = frozenset(
            (factor, rounded(value, 10_000)) for factor, value in node.interventions.items()
        )
        groups.setdefault(at_four_decimals, []).append(node.id)
    identical = [group for group in groups.values() if len(group) > 1]
    message = "No two options have the same interventions."
    if identical:
        message = f"The same interventions: {'; '.join(listed(group) for group in identical[:3])}."
    return (
        float(not identical),
        {"shared": [_ids(group) for group in identical[:MAX_NAMED]]},
        message,
    )


def each_option_sets_factor(options: Sequence[Node]) -> Measurement:
    """1 when every option has interventions; else 0."""
    without = [node.id for node in options if not node.interventions]
    message = (
        f"Without interventions: {listed(without)}." if without else "Every option sets a factor."
    )
    return float(not without), {"options": len(options), "without": _ids(without)}, message


def unique_factor_per_option(options: Sequence[Node]) -> Measurement:
    """1 when every option sets a factor that not all options set; else 0. Only the keys of the interventions matter."""
    keys = [node.interventions.keys() for node in options]
    common = set(keys[0]).intersection(*keys[1:]) if keys else set[str]()
    without = [node.id for node in options if node.interventions.keys() <= common]
    message = "Every option sets a factor that not every option sets."
    if without:
        message = f"Sets no factor that not every option sets: {listed(without)}."
    return (
        float(not without),
        {"set_by_all": _ids(sorted(common)), "without": _ids(without)},
        message,
    )


def external_factor_present(factors: Sequence[Node]) -> Measurement:
    """1 when a factor has the category `external`; else 0."""
    external = [node.id for node in factors if node.category == "external"]
    message = f"External: {listed(external)}." if external else "No factor is external."
    return float(bool(external)), {"external_factors": _ids(external)}, message


def coaching_populated(coaching: Coaching | None) -> Measurement:
    """1 when there is an item to strengthen the graph with, or a summary that is not white space; else 0."""
    items = len(coaching.strengthen_items or ()) if coaching else 0
    summary = bool(coaching and (coaching.summary or "").strip())
    has = [counted(items, "item")] * bool(items) + ["a summary"] * summary
    message = f"Coaching has {' and '.join(has)}." if has else "Coaching is empty."
    return float(bool(has)), {"items": items, "summary": summary}, message


def goal_threshold(goals: Sequence[Node], expected: bool) -> Measurement:
    """1 when the goal has a threshold (0 counts), or the brief names no target; else 0."""
    is_set = any(node.goal_threshold is not None for node in goals)
    if is_set:
        message = "The goal has a threshold."
    elif expected:
        message = "The goal has no threshold, though the brief names a target."
    else:
        message = "The goal has no threshold; the brief names no target."
    return float(is_set or not expected), {"expected": expected, "set": is_set}, message


def factor_label_specificity(factors: Sequence[Node], generic_labels: Sequence[str]) -> Measurement:
    """The share of factors whose label, in lower case and stripped, is not a generic one; 1 without factors."""
    not_specific = {label.strip().lower() for label in generic_labels}
    labels = [(node.id, node.label) for node in factors if node.label is not None]
    generic = [(name, label) for name, label in labels if label.strip().lower() in not_specific]
    named: list[JsonValue] = [
        {"node": clipped(name), "label": clipped(label)} for name, label in generic[:MAX_NAMED]
    ]
    message = f"{len(generic)} of {counted(len(factors), 'factor')} with a generic label"
    message += f": {listed([label for _, label in generic])}." if generic else "."
    value = (len(factors) - len(generic)) / len(factors) if factors else 1.0
    return value, {"factors": len(factors), "generic": named}, message


def readability_band(nodes: int, thresholds: Thresholds) -> Measurement:
    """1 within the readable band, `crowded_marks` above it up to the crowded limit, else 0 (also below the band).

    >>> [readability_band(nodes, Thresholds())[0] for nodes in (5, 6, 12, 13, 20, 21)]
    [0.0, 1.0, 1.0, 0.5, 0.5, 0.0]
    """
    low, high, crowded = (
        thresholds.readable_min_nodes,
        thresholds.readable_max_nodes,
        thresholds.crowded_max_nodes,
    )
    in_band = 1.0 if low <= nodes <= high else 0.0
    value = thresholds.crowded_marks if high < nodes <= crowded else in_band
    message = f"{counted(nodes, 'node')}; {low} to {high} read best."
    return value, {"nodes": nodes, "readable": [low, high], "crowded_up_to": crowded}, message


def _ids(names: Sequence[str]) -> list[JsonValue]:
    return [clipped(name) for name in names[:MAX_NAMED]]
