"""Completeness: is there what a decision graph should also have? Source: docs/scoring.md."""

from collections.abc import Collection
from functools import lru_cache

from stages.contracts.brief import Expectations
from stages.contracts.graph import Node
from stages.contracts.json_text import JsonValue
from stages.contracts.scorecard import SubScore
from stages.contracts.scoring_rules import ScoringRules, Thresholds
from stages.score.evidence import MAX_NAMED, clipped, counted, listed
from stages.score.topology import Topology


def completeness(
    topology: Topology, expectations: Expectations, generic_labels: Collection[str], rules: ScoringRules
) -> tuple[SubScore, ...]:
    """The five sub-scores, in the order in which they are added; each in 0..1, higher is better.

    `generic_labels` are the rules' labels in lower case.
    """
    factors = topology.by_kind["factor"]
    weights, thresholds = rules.weights.completeness, rules.thresholds
    external: list[str] = []
    generic: list[Node] = []
    for node in factors:
        if node.category == "external":
            external.append(clipped(node.id))
        if node.label is not None and node.label.strip().lower() in generic_labels:
            generic.append(node)
    is_set = False
    for node in topology.by_kind["goal"]:
        is_set = is_set or node.goal_threshold is not None
    coaching = topology.graph.coaching
    items, summary = (len(coaching.strengthen_items or ()), coaching.summary or "") if coaching else (0, "")
    return (
        external_factor_present(tuple(external), weights.external_factor_present),
        coaching_populated(items, bool(summary.strip()), weights.coaching_populated),
        goal_threshold(is_set, expectations.has_numeric_target, weights.goal_threshold),
        factor_label_specificity(generic, len(factors), weights.factor_label_specificity),
        readability_band(len(topology.graph.nodes), thresholds, weights.readability_band),
    )


@lru_cache(maxsize=1024)
def external_factor_present(external: tuple[str, ...], weight: float) -> SubScore:
    """1 when a factor has the category `external`; else 0.

    >>> external_factor_present(("fac_rent",), weight=0.2).message
    'External: "fac_rent".'
    """
    return SubScore(
        name="external_factor_present",
        value=1.0 if external else 0.0,
        weight=weight,
        counted={"external_factors": list(external[:MAX_NAMED])},
        message=f"External: {listed(external)}." if external else "No factor is external.",
    )


@lru_cache(maxsize=1024)
def coaching_populated(items: int, summary: bool, weight: float) -> SubScore:
    """1 when there is an item to strengthen the graph with, or a summary that is not blank; else 0.

    >>> coaching_populated(0, summary=True, weight=0.2).message
    'Coaching has a summary.'
    """
    has = [counted(items, "item")] * bool(items) + ["a summary"] * summary
    return SubScore(
        name="coaching_populated",
        value=1.0 if has else 0.0,
        weight=weight,
        counted={"items": items, "summary": summary},
        message=f"Coaching has {' and '.join(has)}." if has else "Coaching is empty.",
    )


@lru_cache(maxsize=64)
def goal_threshold(is_set: bool, expected: bool, weight: float) -> SubScore:
    """1 when the goal has a threshold (0 counts), or the brief names no target; else 0.

    >>> goal_threshold(is_set=False, expected=True, weight=0.2).value
    0.0
    """
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


def factor_label_specificity(generic: list[Node], factors: int, weight: float) -> SubScore:
    """The share of factors whose label, in lower case and stripped, is not a generic one; 1 without factors."""
    if not generic:
        return _all_specific(factors, weight)
    named: list[JsonValue] = [
        {"node": clipped(node.id), "label": clipped(node.label or "")} for node in generic[:MAX_NAMED]
    ]
    labels = listed([node.label or "" for node in generic])
    return SubScore(
        name="factor_label_specificity",
        value=(factors - len(generic)) / factors,
        weight=weight,
        counted={"factors": factors, "generic": named},
        message=f"{len(generic)} of {counted(factors, 'factor')} with a label that says nothing: {labels}.",
    )


@lru_cache(maxsize=1024)
def _all_specific(factors: int, weight: float) -> SubScore:
    return SubScore(
        name="factor_label_specificity",
        value=1.0,
        weight=weight,
        counted={"factors": factors, "generic": []},
        message=f"0 of {counted(factors, 'factor')} with a label that says nothing.",
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
