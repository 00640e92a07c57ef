"""Option differentiation: do the options differ in what they change? Source: docs/scoring.md."""

from collections.abc import Callable

from stages.contracts.graph import Node
from stages.contracts.json_text import JsonValue
from stages.contracts.scorecard import SubScore
from stages.contracts.scoring_rules import ScoringRules
from stages.score.evidence import MAX_NAMED, clipped, listed
from stages.score.rounding import rounded


def option_diff(
    options: list[Node], *, expect_status_quo: bool, is_status_quo: Callable[[str], bool], rules: ScoringRules
) -> tuple[SubScore, ...]:
    """The four sub-scores, in the order in which they are added; each 0 or 1, higher is better.

    `is_status_quo` tells it of a label. Without options every rule holds, but that a status quo is there.
    """
    return (
        status_quo_present(options, expect_status_quo, is_status_quo, rules),
        no_identical_interventions(options, rules),
        each_option_sets_factor(options, rules),
        unique_factor_per_option(options, rules),
    )


def status_quo_present(
    options: list[Node], expected: bool, is_status_quo: Callable[[str], bool], rules: ScoringRules
) -> SubScore:
    """1 when an option's label says that things stay as they are, or the brief expects none; else 0."""
    found = [node.id for node in options if node.label is not None and is_status_quo(node.label)]
    if found:
        message = f"The status quo is among the options: {listed(found)}."
    else:
        message = "No option is the status quo" + (
            ", which the brief expects." if expected else "; the brief expects none."
        )
    return SubScore(
        name="status_quo_present",
        value=1.0 if found or not expected else 0.0,
        weight=rules.weights.option_diff.status_quo_present,
        counted={"expected": expected, "options": _ids(found)},
        message=message,
    )


def no_identical_interventions(options: list[Node], rules: ScoringRules) -> SubScore:
    """1 when no two options set the same factors to the same values at four decimals; else 0. No map equals an empty one."""
    groups: dict[frozenset[tuple[str, int]], list[str]] = {}
    for node in options:
        settings = frozenset({(key, rounded(value, 10_000)) for key, value in node.interventions.items()})
        groups.setdefault(settings, []).append(node.id)
    shared = [group for group in groups.values() if len(group) > 1] if len(groups) < len(options) else []
    if shared:
        message = "The same interventions: " + "; ".join(listed(group) for group in shared[:3]) + "."
    else:
        message = "No two options have the same interventions."
    return SubScore(
        name="no_identical_interventions",
        value=0.0 if shared else 1.0,
        weight=rules.weights.option_diff.no_identical_interventions,
        counted={"shared": [_ids(group) for group in shared[:MAX_NAMED]]},
        message=message,
    )


def each_option_sets_factor(options: list[Node], rules: ScoringRules) -> SubScore:
    """1 when every option has interventions; else 0."""
    without = [node.id for node in options if not node.interventions]
    return SubScore(
        name="each_option_sets_factor",
        value=0.0 if without else 1.0,
        weight=rules.weights.option_diff.each_option_sets_factor,
        counted={"options": len(options), "without": _ids(without)},
        message=f"Without interventions: {listed(without)}." if without else "Every option sets a factor.",
    )


def unique_factor_per_option(options: list[Node], rules: ScoringRules) -> SubScore:
    """1 when every option sets a factor that not all options set; else 0. Only the keys of the interventions matter."""
    maps = [node.interventions for node in options]
    shared = [key for key in maps[0] if all(key in others for others in maps)] if maps else []
    without = [node.id for node, own in zip(options, maps, strict=True) if len(own) == len(shared)]
    return SubScore(
        name="unique_factor_per_option",
        value=0.0 if without else 1.0,
        weight=rules.weights.option_diff.unique_factor_per_option,
        counted={"set_by_all": _ids(shared), "without": _ids(without)},
        message=f"Sets no factor that not every option sets: {listed(without)}."
        if without
        else "Every option sets a factor that not every option sets.",
    )


def _ids(names: list[str]) -> list[JsonValue]:
    return [clipped(name) for name in names[:MAX_NAMED]]
