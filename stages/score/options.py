"""Option differentiation: do the options differ in what they change? Source: docs/scoring.md."""

import re
from collections.abc import Sequence

from stages.contracts.graph import Node
from stages.contracts.json_text import JsonValue
from stages.contracts.params import ScoringRules
from stages.contracts.scorecard import SubScore
from stages.score.evidence import MAX_NAMED, clipped, listed
from stages.score.parameters import rounded


def option_diff(options: Sequence[Node], expect_status_quo: bool, rules: ScoringRules) -> tuple[SubScore, ...]:
    """The four sub-scores, in the order in which they are added; each 0 or 1, higher is better.

    Without options every rule holds, except that a status quo is there.
    """
    weights = rules.weights.option_diff
    return (
        status_quo_present(options, expect_status_quo, rules.status_quo_pattern, weights.status_quo_present),
        no_identical_interventions(options, weights.no_identical_interventions),
        each_option_sets_factor(options, weights.each_option_sets_factor),
        unique_factor_per_option(options, weights.unique_factor_per_option),
    )


def status_quo_present(options: Sequence[Node], expected: bool, pattern: str, weight: float) -> SubScore:
    """1 when the pattern is found in an option's label (anywhere, in any case), or the brief expects no status quo; else 0."""
    found = [node.id for node in options if node.label is not None and re.search(pattern, node.label, re.IGNORECASE)]
    if found:
        message = f"The status quo is among the options: {listed(found)}."
    elif expected:
        message = "No option is the status quo, which the brief expects."
    else:
        message = "No option is the status quo; the brief expects none."
    return SubScore(
        name="status_quo_present",
        value=1.0 if found or not expected else 0.0,
        weight=weight,
        counted={"expected": expected, "options": _ids(found)},
        message=message,
    )


def no_identical_interventions(options: Sequence[Node], weight: float) -> SubScore:
    """1 when no two options set the same factors to the same values at four decimals; else 0. No map equals an empty one."""
    groups: dict[frozenset[tuple[str, int]], list[str]] = {}
    for node in options:
        at_four_decimals = frozenset((factor, rounded(value, 10_000)) for factor, value in node.interventions.items())
        groups.setdefault(at_four_decimals, []).append(node.id)
    identical = [group for group in groups.values() if len(group) > 1]
    message = "No two options have the same interventions."
    if identical:
        message = f"The same interventions: {'; '.join(listed(group) for group in identical[:3])}."
    return SubScore(
        name="no_identical_interventions",
        value=0.0 if identical else 1.0,
        weight=weight,
        counted={"shared": [_ids(group) for group in identical[:MAX_NAMED]]},
        message=message,
    )


def each_option_sets_factor(options: Sequence[Node], weight: float) -> SubScore:
    """1 when every option has interventions; else 0."""
    without = [node.id for node in options if not node.interventions]
    return SubScore(
        name="each_option_sets_factor",
        value=0.0 if without else 1.0,
        weight=weight,
        counted={"options": len(options), "without": _ids(without)},
        message=f"Without interventions: {listed(without)}." if without else "Every option sets a factor.",
    )


def unique_factor_per_option(options: Sequence[Node], weight: float) -> SubScore:
    """1 when every option sets a factor that not all options set; else 0. Only the keys of the interventions matter."""
    keys = [node.interventions.keys() for node in options]
    common = set(keys[0]).intersection(*keys[1:]) if keys else set[str]()
    without = [node.id for node in options if node.interventions.keys() <= common]
    message = "Every option sets a factor that not every option sets."
    if without:
        message = f"Sets no factor that not every option sets: {listed(without)}."
    return SubScore(
        name="unique_factor_per_option",
        value=0.0 if without else 1.0,
        weight=weight,
        counted={"set_by_all": _ids(sorted(common)), "without": _ids(without)},
        message=message,
    )


def _ids(names: Sequence[str]) -> list[JsonValue]:
    return [clipped(name) for name in names[:MAX_NAMED]]
