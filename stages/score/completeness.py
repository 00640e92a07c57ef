"""Completeness: is there what a decision graph should also have? Source: docs/scoring.md."""

from collections.abc import Collection

from stages.contracts.brief import Expectations
from stages.contracts.graph import Coaching, Node
from stages.contracts.json_text import JsonValue
from stages.contracts.scorecard import SubScore
from stages.contracts.scoring_rules import ScoringRules
from stages.score.evidence import MAX_NAMED, clipped, counted, listed
from stages.score.topology import Topology


def completeness(
    topology: Topology, expectations: Expectations, generic_labels: Collection[str], rules: ScoringRules
) -> tuple[SubScore, ...]:
    """The five sub-scores, in the order in which they are added; each in 0..1, higher is better.

    `generic_labels` are the rules' labels in lower case.
    """
    factors = topology.by_kind.get("factor", [])
    return (
        external_factor_present(factors, rules),
        coaching_populated(topology.graph.coaching, rules),
        goal_threshold(topology.by_kind.get("goal", []), expectations.has_numeric_target, rules),
        factor_label_specificity(factors, generic_labels, rules),
        readability_band(len(topology.graph.nodes), rules),
    )


def external_factor_present(factors: list[Node], rules: ScoringRules) -> SubScore:
    """1 when a factor has the category `external`; else 0."""
    external = [node.id for node in factors if node.category == "external"]
    return SubScore(
        name="external_factor_present",
        value=1.0 if external else 0.0,
        weight=rules.weights.completeness.external_factor_present,
        counted={"external_factors": [clipped(name) for name in external[:MAX_NAMED]]},
        message=f"External: {listed(external)}." if external else "No factor is external.",
    )


def coaching_populated(coaching: Coaching | None, rules: ScoringRules) -> SubScore:
    """1 when there is an item to strengthen the graph with, or a summary that is not blank; else 0."""
    items = len(coaching.strengthen_items or ()) if coaching else 0
    summary = bool(coaching and coaching.summary and coaching.summary.strip())
    has = [counted(items, "item")] * bool(items) + ["a summary"] * summary
    return SubScore(
        name="coaching_populated",
        value=1.0 if items or summary else 0.0,
        weight=rules.weights.completeness.coaching_populated,
        counted={"items": items, "summary": summary},
        message=f"Coaching has {' and '.join(has)}." if has else "Coaching is empty.",
    )


def goal_threshold(goals: list[Node], expected: bool, rules: ScoringRules) -> SubScore:
    """1 when the goal has a threshold (0 counts), or the brief names no target; else 0."""
    is_set = any(node.goal_threshold is not None for node in goals)
    if is_set:
        message = "The goal has a threshold."
    else:
        message = "The goal has no threshold" + (
            ", though the brief names a target." if expected else "; the brief names no target."
        )
    return SubScore(
        name="goal_threshold",
        value=1.0 if is_set or not expected else 0.0,
        weight=rules.weights.completeness.goal_threshold,
        counted={"expected": expected, "set": is_set},
        message=message,
    )


def factor_label_specificity(factors: list[Node], generic_labels: Collection[str], rules: ScoringRules) -> SubScore:
    """The share of factors whose label, in lower case and stripped, is not a generic one; 1 without factors."""
    generic = [node for node in factors if node.label is not None and node.label.strip().lower() in generic_labels]
    named: list[JsonValue] = [
        {"node": clipped(node.id), "label": clipped(node.label or "")} for node in generic[:MAX_NAMED]
    ]
    names = f": {listed([node.label or '' for node in generic])}" if generic else ""
    return SubScore(
        name="factor_label_specificity",
        value=(len(factors) - len(generic)) / len(factors) if factors else 1.0,
        weight=rules.weights.completeness.factor_label_specificity,
        counted={"factors": len(factors), "generic": named},
        message=f"{len(generic)} of {counted(len(factors), 'factor')} with a label that says nothing{names}.",
    )


def readability_band(node_count: int, rules: ScoringRules) -> SubScore:
    """1 within the readable band, `crowded_marks` above it up to the crowded limit, else 0 (also below the band).

    >>> [readability_band(nodes, ScoringRules()).value for nodes in (5, 6, 12, 13, 20, 21)]
    [0.0, 1.0, 1.0, 0.5, 0.5, 0.0]
    """
    thresholds = rules.thresholds
    low, high, crowded = thresholds.readable_min_nodes, thresholds.readable_max_nodes, thresholds.crowded_max_nodes
    if low <= node_count <= high:
        value = 1.0
    elif high < node_count <= crowded:
        value = thresholds.crowded_marks
    else:
        value = 0.0
    return SubScore(
        name="readability_band",
        value=value,
        weight=rules.weights.completeness.readability_band,
        counted={"nodes": node_count, "readable": [low, high], "crowded_up_to": crowded},
        message=f"{counted(node_count, 'node')}; {low} to {high} read best.",
    )
