"""Completeness: does the graph have what a decision graph should have beyond its structure? Source: docs/scoring.md."""

from collections.abc import Sequence

from stages.contracts.brief import Expectations
from stages.contracts.graph import Coaching, Node
from stages.contracts.json_text import JsonValue
from stages.contracts.params import ScoringRules, Thresholds
from stages.contracts.scorecard import SubScore
from stages.score.evidence import MAX_NAMED, clipped, counted, listed
from stages.score.topology import Topology


def completeness(topology: Topology, expectations: Expectations, rules: ScoringRules) -> tuple[SubScore, ...]:
    """The five sub-scores, in the order in which they are added; each in 0..1, higher is better."""
    weights, factors, graph = rules.weights.completeness, topology.of_kind("factor"), topology.graph
    return (
        external_factor_present(factors, weights.external_factor_present),
        coaching_populated(graph.coaching, weights.coaching_populated),
        goal_threshold(topology.of_kind("goal"), expectations.has_numeric_target, weights.goal_threshold),
        factor_label_specificity(factors, rules.generic_labels, weights.factor_label_specificity),
        readability_band(len(graph.nodes), rules.thresholds, weights.readability_band),
    )


def external_factor_present(factors: Sequence[Node], weight: float) -> SubScore:
    """1 when a factor has the category `external`; else 0."""
    external = [clipped(node.id) for node in factors if node.category == "external"]
    return SubScore(
        name="external_factor_present",
        value=1.0 if external else 0.0,
        weight=weight,
        counted={"external_factors": [*external[:MAX_NAMED]]},
        message=f"External: {listed(external)}." if external else "No factor is external.",
    )


def coaching_populated(coaching: Coaching | None, weight: float) -> SubScore:
    """1 when there is an item to strengthen the graph with, or a summary that is not white space; else 0."""
    items = len(coaching.strengthen_items or ()) if coaching else 0
    summary = bool(coaching and (coaching.summary or "").strip())
    has = [counted(items, "item")] * bool(items) + ["a summary"] * summary
    return SubScore(
        name="coaching_populated",
        value=1.0 if has else 0.0,
        weight=weight,
        counted={"items": items, "summary": summary},
        message=f"Coaching has {' and '.join(has)}." if has else "Coaching is empty.",
    )


def goal_threshold(goals: Sequence[Node], expected: bool, weight: float) -> SubScore:
    """1 when the goal has a threshold (0 counts), or the brief names no target; else 0."""
    is_set = any(node.goal_threshold is not None for node in goals)
    if is_set:
        message = "The goal has a threshold."
    elif expected:
        message = "The goal has no threshold, though the brief names a target."
    else:
        message = "The goal has no threshold; the brief names no target."
    return SubScore(
        name="goal_threshold",
        value=1.0 if is_set or not expected else 0.0,
        weight=weight,
        counted={"expected": expected, "set": is_set},
        message=message,
    )


def factor_label_specificity(factors: Sequence[Node], generic_labels: Sequence[str], weight: float) -> SubScore:
    """The share of factors whose label, in lower case and stripped, is not a generic one; 1 without factors."""
    listed_labels = {label.strip().lower() for label in generic_labels}
    generic = [node for node in factors if node.label is not None and node.label.strip().lower() in listed_labels]
    named: list[JsonValue] = [
        {"node": clipped(node.id), "label": clipped(node.label or "")} for node in generic[:MAX_NAMED]
    ]
    message = f"{len(generic)} of {counted(len(factors), 'factor')} with a generic label"
    return SubScore(
        name="factor_label_specificity",
        value=(len(factors) - len(generic)) / len(factors) if factors else 1.0,
        weight=weight,
        counted={"factors": len(factors), "generic": named},
        message=message + (f": {listed([node.label or '' for node in generic])}." if generic else "."),
    )


def readability_band(nodes: int, thresholds: Thresholds, weight: float) -> SubScore:
    """1 within the readable band, `crowded_marks` above it up to the crowded limit, else 0 (also below the band).

    >>> [readability_band(nodes, Thresholds(), weight=0.2).value for nodes in (5, 6, 12, 13, 20, 21)]
    [0.0, 1.0, 1.0, 0.5, 0.5, 0.0]
    """
    low, high, crowded = thresholds.readable_min_nodes, thresholds.readable_max_nodes, thresholds.crowded_max_nodes
    if low <= nodes <= high:
        value = 1.0
    elif high < nodes <= crowded:
        value = thresholds.crowded_marks
    else:
        value = 0.0
    return SubScore(
        name="readability_band",
        value=value,
        weight=weight,
        counted={"nodes": nodes, "readable": [low, high], "crowded_up_to": crowded},
        message=f"{counted(nodes, 'node')}; {low} to {high} read best.",
    )
