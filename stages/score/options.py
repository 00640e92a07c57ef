"""Option differentiation: do the options differ in what they change? Source: docs/scoring.md.

Sub-scores of equal findings are one record, made once.
"""

from collections.abc import Callable, Sequence
from functools import lru_cache

from stages.contracts.graph import Node
from stages.contracts.json_text import JsonValue
from stages.contracts.scorecard import SubScore
from stages.contracts.scoring_rules import ScoringRules
from stages.score.evidence import MAX_NAMED, clipped, listed
from stages.score.rounding import TEN_THOUSANDTHS


def option_diff(
    options: list[Node], expect_status_quo: bool, is_status_quo: Callable[[str], bool], rules: ScoringRules
) -> tuple[SubScore, ...]:
    """The four sub-scores, in the order in which they are added; each 0 or 1, higher is better.

    `is_status_quo` tells it of a label. Without options every rule holds, but that a status quo is there.
    """
    weights = rules.weights.option_diff
    settings = [node.interventions for node in options]
    staying = [clipped(node.id) for node in options if node.label is not None and is_status_quo(node.label)]
    setting_nothing = (
        () if all(settings) else tuple(clipped(node.id) for node, own in zip(options, settings, strict=True) if not own)
    )
    return (
        status_quo_present(tuple(staying), expect_status_quo, weights.status_quo_present),
        no_identical_interventions(_identical(options, settings), weights.no_identical_interventions),
        each_option_sets_factor(setting_nothing, len(options), weights.each_option_sets_factor),
        unique_factor_per_option(options, settings, weights.unique_factor_per_option),
    )


def _identical(options: list[Node], settings: list[dict[str, float]]) -> list[list[str]]:
    """The groups of options that set the same factors to the same values at four decimals."""
    if len(set(map(frozenset, settings))) == len(settings):  # no two set the same factors
        return []
    groups: dict[frozenset[tuple[str, int]], list[str]] = {}
    for node, own in zip(options, settings, strict=True):
        at_four_decimals = frozenset((factor, TEN_THOUSANDTHS[value]) for factor, value in own.items())
        groups.setdefault(at_four_decimals, []).append(node.id)
    return [group for group in groups.values() if len(group) > 1]


@lru_cache(maxsize=1024)
def status_quo_present(found: tuple[str, ...], expected: bool, weight: float) -> SubScore:
    """1 when an option's label says that things stay as they are, or the brief expects none; else 0.

    >>> status_quo_present((), expected=True, weight=0.25).value
    0.0
    """
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


def no_identical_interventions(identical: list[list[str]], weight: float) -> SubScore:
    """1 when no two options set the same factors to the same values at four decimals; else 0. No map equals an empty one.

    >>> no_identical_interventions([["opt_a", "opt_b"]], weight=0.25).value
    0.0
    """
    if not identical:
        return _all_differ(weight)
    return SubScore(
        name="no_identical_interventions",
        value=0.0,
        weight=weight,
        counted={"shared": [_ids(group) for group in identical[:MAX_NAMED]]},
        message=f"The same interventions: {'; '.join(listed(group) for group in identical[:3])}.",
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


@lru_cache(maxsize=1024)
def each_option_sets_factor(without: tuple[str, ...], options: int, weight: float) -> SubScore:
    """1 when every option has interventions; else 0.

    >>> each_option_sets_factor(("opt_a",), options=2, weight=0.25).message
    'Without interventions: "opt_a".'
    """
    return SubScore(
        name="each_option_sets_factor",
        value=0.0 if without else 1.0,
        weight=weight,
        counted={"options": options, "without": _ids(without)},
        message=f"Without interventions: {listed(without)}." if without else "Every option sets a factor.",
    )


def unique_factor_per_option(options: list[Node], settings: list[dict[str, float]], weight: float) -> SubScore:
    """1 when every option sets a factor that not all options set; else 0. Only the keys of the interventions matter.

    `settings` are the interventions of the options.
    """
    common = set(settings[0]).intersection(*settings[1:]) if settings else set[str]()
    shared = len(common)
    without = tuple([clipped(node.id) for node, own in zip(options, settings, strict=True) if len(own) == shared])
    return _unique_factors(tuple(map(clipped, sorted(common)[:MAX_NAMED])) if common else (), without, weight)


@lru_cache(maxsize=1024)
def _unique_factors(common: tuple[str, ...], without: tuple[str, ...], weight: float) -> SubScore:
    if without:
        message = f"Sets no factor that not every option sets: {listed(without)}."
    else:
        message = "Every option sets a factor that not every option sets."
    return SubScore(
        name="unique_factor_per_option",
        value=0.0 if without else 1.0,
        weight=weight,
        counted={"set_by_all": _ids(common), "without": _ids(without)},
        message=message,
    )


def _ids(names: Sequence[str]) -> list[JsonValue]:
    return [clipped(name) for name in names[:MAX_NAMED]]
