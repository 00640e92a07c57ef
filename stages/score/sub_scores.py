"""The sub-scores of a valid graph, by dimension. Source: docs/scoring.md.

Each function measures one thing: it returns a value in 0..1 (higher is better), what was counted,
and a sentence that states it. A new one is a function, a line in `_MEASURES` and its weight in the
rules.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from stages.score.causal_model import rounded, settings_of
from stages.score.evidence import MAX_NAMED, clipped, edge_ref, listed
from stages.score.topology import BRIDGES, Topology
from stages.shared.records.brief import Expectations
from stages.shared.records.graph import Coaching
from stages.shared.records.json_text import JsonObject, JsonValue
from stages.shared.records.params import ScoringRules
from stages.shared.records.scorecard import DIMENSIONS, Dimension, SubScore
from stages.shared.shell.numbers import counted

Mark: TypeAlias = tuple[float, JsonObject, str]
"""What a function measured: the value, what was counted, and the sentence."""

_MAX_DOUBLE = 1.7976931348623157e308  # a larger sum is shown as this


@dataclass(frozen=True, slots=True)
class MeasuredGraph:
    """A valid graph, what its brief expects, and the rules that it is measured by.

    A valid graph has a causal edge at least, and each of them has all of its parameters.
    """

    topology: Topology
    expectations: Expectations
    rules: ScoringRules

    @property
    def strengths(self) -> list[float]:
        """The |mean| of each causal edge."""
        return [abs(edge.mean or 0.0) for edge in self.topology.causal]


def sub_scores(
    topology: Topology, expectations: Expectations, rules: ScoringRules
) -> dict[Dimension, tuple[SubScore, ...]]:
    """The sub-scores of each dimension, in the order in which they are added.

    Parameter quality: do the parameters of the causal edges differ, or were they left at their
    defaults? Option differentiation: do the options differ in what they change? Completeness: does
    the graph have what a decision graph should have beyond its structure?
    """
    graph = MeasuredGraph(topology, expectations, rules)
    return {dimension: tuple(_of_dimension(dimension, graph)) for dimension in DIMENSIONS}


def _of_dimension(dimension: Dimension, graph: MeasuredGraph) -> Iterable[SubScore]:
    weights = getattr(graph.rules.weights, dimension)
    for measure in _MEASURES[dimension]:
        name = measure.__name__
        value, counts, message = measure(graph)
        weight = getattr(weights, name)
        yield SubScore(name=name, value=value, weight=weight, counted=counts, message=message)


def strength_diversity(graph: MeasuredGraph) -> Mark:
    """How many |mean| differ after rounding to one decimal: `min(distinct / full, 1)`."""
    full_at = graph.rules.thresholds.strength_full_marks_at
    return _diversity("distinct_means", graph.strengths, "strength", "strengths", full_at)


def exists_prob_diversity(graph: MeasuredGraph) -> Mark:
    """How many existence probabilities differ after rounding to one decimal:
    `min(distinct / full, 1)`.
    """
    probabilities = [edge.exists_probability or 0.0 for edge in graph.topology.causal]
    full_at = graph.rules.thresholds.exists_prob_full_marks_at
    return _diversity(
        "distinct_probabilities", probabilities, "probability", "probabilities", full_at
    )


def _diversity(key: str, values: Sequence[float], noun: str, plural: str, full_at: int) -> Mark:
    distinct = [tenth / 10 for tenth in sorted({rounded(value, 10) for value in values})]
    counts: JsonObject = {
        key: [*distinct[:MAX_NAMED]],
        "causal_edges": len(values),
        "full_marks_at": full_at,
    }
    number = counted(len(distinct), f"distinct {noun}", f"distinct {plural}")
    message = f"{number} on {_causal(len(values))}; full marks from {full_at}."
    return min(len(distinct) / full_at, 1.0), counts, message


def _causal(edges: int) -> str:
    return counted(edges, "causal edge")


def std_variation(graph: MeasuredGraph) -> Mark:
    """1 when standard deviations differ at all, compared exactly; 0 when all are equal."""
    edges = len(graph.topology.causal)
    distinct = len({edge.std for edge in graph.topology.causal})
    message = f"{counted(distinct, 'distinct standard deviation')} on {_causal(edges)}."
    return float(distinct > 1), {"distinct_stds": distinct, "causal_edges": edges}, message


def default_takeover(graph: MeasuredGraph) -> Mark:
    """How few of the causal edges were left at the default: `max(1 - percent / zero_at, 0)`."""
    edges = graph.topology.causal
    thresholds = graph.rules.thresholds
    default = (thresholds.default_mean, thresholds.default_std)
    joined = zip(edges, graph.strengths, strict=True)
    defaults = [edge for edge, strength in joined if (strength, edge.std) == default]
    percent = len(defaults) / len(edges) * 100
    counts: JsonObject = {
        "default_edges": [edge_ref(edge).to_json() for edge in defaults[:MAX_NAMED]],
        "defaults": len(defaults),
        "causal_edges": len(edges),
        "percent": percent,
    }
    message = (
        f"{len(defaults)} of {_causal(len(edges))} left at the default strength "
        f"{default[0]:g} ± {default[1]:g} ({percent:.0f} %)."
    )
    return max(1 - percent / thresholds.default_zero_at_percent, 0.0), counts, message


def range_discipline(graph: MeasuredGraph) -> Mark:
    """The share of outcomes, risks and goals whose inbound |mean| add up, as doubles, to the bound
    at most.
    """
    bound = graph.rules.thresholds.max_inbound
    sums = dict.fromkeys(graph.topology.ids_of(*BRIDGES, "goal"), 0.0)
    for edge, strength in zip(graph.topology.causal, graph.strengths, strict=True):
        if edge.target in sums:
            sums[edge.target] += strength
    over = [name for name, total in sums.items() if total > bound]
    named: list[JsonValue] = []
    for name in over[:MAX_NAMED]:
        total = min(sums[name], _MAX_DOUBLE)
        named.append({"node": clipped(name), "sum": total, "over_by": total - bound})
    within = len(sums) - len(over)
    message = (
        f"{within} of {len(sums)} outcomes, risks and goals "
        f"with inbound strengths of at most {bound:g} in total"
    )
    message += f"; not {listed(over)}." if over else "."
    counts: JsonObject = {"targets": len(sums), "within": within, "over": named, "bound": bound}
    return within / len(sums), counts, message


def status_quo_present(graph: MeasuredGraph) -> Mark:
    """1 when the pattern is found in an option's label (anywhere, in any case), or the brief
    expects no status quo; else 0.
    """
    is_expected = graph.expectations.expect_status_quo
    pattern = re.compile(graph.rules.status_quo_pattern, re.IGNORECASE)
    options = graph.topology.of_kind("option")
    labelled = [(node.id, node.label) for node in options if node.label is not None]
    matching = [name for name, label in labelled if pattern.search(label)]
    message = "No option is the status quo; the brief expects none."
    if matching:
        message = f"The status quo is among the options: {listed(matching)}."
    elif is_expected:
        message = "No option is the status quo, which the brief expects."
    value = float(bool(matching) or not is_expected)
    return value, {"expected": is_expected, "options": _ids(matching)}, message


def no_identical_interventions(graph: MeasuredGraph) -> Mark:
    """1 when no two options set the same factors to the same values at four decimals; else 0. No
    map equals an empty one.
    """
    groups: dict[frozenset[tuple[str, int]], list[str]] = {}
    for node in graph.topology.of_kind("option"):
        groups.setdefault(settings_of(node), []).append(node.id)
    identical = [group for group in groups.values() if len(group) > 1]
    message = "No two options have the same interventions."
    if identical:
        message = f"The same interventions: {'; '.join(map(listed, identical[:3]))}."
    counts: JsonObject = {"shared": [*map(_ids, identical[:MAX_NAMED])]}
    return float(not identical), counts, message


def each_option_sets_factor(graph: MeasuredGraph) -> Mark:
    """1 when every option has interventions; else 0."""
    options = graph.topology.of_kind("option")
    without = [node.id for node in options if not node.interventions]
    message = "Every option sets a factor."
    if without:
        message = f"Without interventions: {listed(without)}."
    return float(not without), {"options": len(options), "without": _ids(without)}, message


def unique_factor_per_option(graph: MeasuredGraph) -> Mark:
    """1 when every option sets a factor that not all options set; else 0. Only the keys of the
    interventions matter.
    """
    options = graph.topology.of_kind("option")
    factor_sets = [set(node.interventions) for node in options]
    common = set[str]().union(*factor_sets).intersection(*factor_sets)
    without = [node.id for node in options if node.interventions.keys() <= common]
    message = "Every option sets a factor that not every option sets."
    if without:
        message = f"Sets no factor that not every option sets: {listed(without)}."
    counts: JsonObject = {"set_by_all": _ids(sorted(common)), "without": _ids(without)}
    return float(not without), counts, message


def external_factor_present(graph: MeasuredGraph) -> Mark:
    """1 when a factor has the category `external`; else 0."""
    factors = graph.topology.of_kind("factor")
    external = [node.id for node in factors if node.category == "external"]
    message = f"External: {listed(external)}." if external else "No factor is external."
    return float(bool(external)), {"external_factors": _ids(external)}, message


def coaching_populated(graph: MeasuredGraph) -> Mark:
    """1 when there is an item to strengthen the graph with, or a summary that is not white space;
    else 0.
    """
    coaching = graph.topology.graph.coaching or Coaching()
    items = len(coaching.strengthen_items or ())
    has_summary = bool((coaching.summary or "").strip())
    parts = [counted(items, "item")] * bool(items) + ["a summary"] * has_summary
    message = f"Coaching has {' and '.join(parts)}." if parts else "Coaching is empty."
    return float(bool(parts)), {"items": items, "summary": has_summary}, message


def goal_threshold(graph: MeasuredGraph) -> Mark:
    """1 when the goal has a threshold (0 counts), or the brief names no target; else 0."""
    is_expected = graph.expectations.has_numeric_target
    goals = graph.topology.of_kind("goal")
    is_set = any(node.goal_threshold is not None for node in goals)
    message = "The goal has no threshold; the brief names no target."
    if is_set:
        message = "The goal has a threshold."
    elif is_expected:
        message = "The goal has no threshold, though the brief names a target."
    return float(is_set or not is_expected), {"expected": is_expected, "set": is_set}, message


def factor_label_specificity(graph: MeasuredGraph) -> Mark:
    """The share of factors whose label, in lower case and stripped, is not a generic one; 1 without
    factors.
    """
    generic = {label.strip().lower() for label in graph.rules.generic_labels}
    factors = graph.topology.of_kind("factor")
    labels: list[str] = []
    named: list[JsonValue] = []
    for node in factors:
        if node.label is not None and node.label.strip().lower() in generic:
            labels.append(node.label)
            named.append({"node": clipped(node.id), "label": clipped(node.label)})
    message = f"{len(labels)} of {counted(len(factors), 'factor')} with a generic label"
    message += f": {listed(labels)}." if labels else "."
    value = (len(factors) - len(labels)) / len(factors) if factors else 1.0
    return value, {"factors": len(factors), "generic": named[:MAX_NAMED]}, message


def readability_band(graph: MeasuredGraph) -> Mark:
    """1 within the readable band, `crowded_marks` above it up to the crowded limit, else 0 (also
    below the band).
    """
    nodes = len(graph.topology.graph.nodes)
    thresholds = graph.rules.thresholds
    low, high = thresholds.readable_min_nodes, thresholds.readable_max_nodes
    crowded = thresholds.crowded_max_nodes
    value = float(low <= nodes <= high)
    if high < nodes <= crowded:
        value = thresholds.crowded_marks
    message = f"{counted(nodes, 'node')}; {low} to {high} read best."
    return value, {"nodes": nodes, "readable": [low, high], "crowded_up_to": crowded}, message


def _ids(names: Sequence[str]) -> list[JsonValue]:
    return [clipped(name) for name in names[:MAX_NAMED]]


_MEASURES: Mapping[Dimension, tuple[Callable[[MeasuredGraph], Mark], ...]] = {
    "param_quality": (
        strength_diversity,
        exists_prob_diversity,
        std_variation,
        default_takeover,
        range_discipline,
    ),
    "option_diff": (
        status_quo_present,
        no_identical_interventions,
        each_option_sets_factor,
        unique_factor_per_option,
    ),
    "completeness": (
        external_factor_present,
        coaching_populated,
        goal_threshold,
        factor_label_specificity,
        readability_band,
    ),
}
"""The measures of each dimension; the name of a function is that of its sub-score and weight."""
