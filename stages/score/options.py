"""Option differentiation: do the options differ in what they change? Source: docs/scoring.md."""

from collections.abc import Callable, Sequence
from functools import lru_cache

from stages.contracts.graph import Node
from stages.contracts.json_text import JsonValue
from stages.contracts.scorecard import SubScore
from stages.contracts.scoring_rules import ScoringRules
from stages.score.evidence import MAX_NAMED, clipped, listed
from stages.score.rounding import rounded

Settings = dict[str, float]


def option_diff(
    options: list[Node], expect_status_quo: bool, is_status_quo: Callable[[str], bool], rules: ScoringRules
) -> tuple[SubScore, ...]:
    """The four sub-scores, in the order in which they are added; each 0 or 1, higher is better.

    `is_status_quo` tells it of a label. Without options every rule holds, but that a status quo is there.
    """
    weights = rules.weights.option_diff
    settings = [(node.id, node.interventions) for node in options]
    return (
        status_quo_present(options, expect_status_quo, is_status_quo, weights.status_quo_present),
        no_identical_interventions(settings, weights.no_identical_interventions),
        each_option_sets_factor(settings, weights.each_option_sets_factor),
        unique_factor_per_option(settings, weights.unique_factor_per_option),
    )


def status_quo_present(
    options: list[Node], expected: bool, is_status_quo: Callable[[str], bool], weight: float
) -> SubScore:
    """1 when an option's label says that things stay as they are, or the brief expects none; else 0."""
    found = [node.id for node in options if node.label is not None and is_status_quo(node.label)]
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


def no_identical_interventions(settings: list[tuple[str, Settings]], weight: float) -> SubScore:
    """1 when no two options set the same factors to the same values at four decimals; else 0. No map equals an empty one."""
    groups: dict[frozenset[tuple[str, int]], list[str]] = {}
    for option, own in settings:
        at_four_decimals = frozenset([(key, rounded(value, 10_000)) for key, value in own.items()])
        groups.setdefault(at_four_decimals, []).append(option)
    if len(groups) == len(settings):
        return _all_differ(weight)
    shared = [group for group in groups.values() if len(group) > 1]
    return SubScore(
        name="no_identical_interventions",
        value=0.0,
        weight=weight,
        counted={"shared": [_ids(group) for group in shared[:MAX_NAMED]]},
        message=f"The same interventions: {'; '.join(listed(group) for group in shared[:3])}.",
    )


@lru_cache(maxsize=64)
def _all_differ(weight: float) -> SubScore:
    return SubScore(
        name="no_identical_interventions",
        value=1.0,
        weight=weight,
        counted={"shared": []},
        message="No two options have the same interventions.",
    )


def each_option_sets_factor(settings: list[tuple[str, Settings]], weight: float) -> SubScore:
    """1 when every option has interventions; else 0."""
    without = [option for option, own in settings if not own]
    return _setting(len(settings), tuple(without), weight)


@lru_cache(maxsize=1024)
def _setting(options: int, without: tuple[str, ...], weight: float) -> SubScore:
    return SubScore(
        name="each_option_sets_factor",
        value=0.0 if without else 1.0,
        weight=weight,
        counted={"options": options, "without": _ids(without)},
        message=f"Without interventions: {listed(without)}." if without else "Every option sets a factor.",
    )


def unique_factor_per_option(settings: list[tuple[str, Settings]], weight: float) -> SubScore:
    """1 when every option sets a factor that not all options set; else 0. Only the keys of the interventions matter."""
    common = set(settings[0][1]).intersection(*[own for _, own in settings]) if settings else set()
    without = [option for option, own in settings if len(own) == len(common)]
    if without:
        message = f"Sets no factor that not every option sets: {listed(without)}."
    else:
        message = "Every option sets a factor that not every option sets."
    return SubScore(
        name="unique_factor_per_option",
        value=0.0 if without else 1.0,
        weight=weight,
        counted={"set_by_all": _ids(sorted(common)), "without": _ids(without)},
        message=message,
    )


def _ids(names: Sequence[str]) -> list[JsonValue]:
    return [clipped(name) for name in names[:MAX_NAMED]]
