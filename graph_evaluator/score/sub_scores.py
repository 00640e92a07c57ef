"""The sub-scores of a valid graph, by dimension. Source: docs/scoring.md.

Each measure is a method: it returns a value in 0..1 (higher is better), a sentence that states what
was counted, and the nodes and edges that cost marks. A new one is a method and its weight, which
has the same name.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from typing import NamedTuple

from graph_evaluator.graph.causal_model import BRIDGES, Topology, rounded
from graph_evaluator.graph.evidence import listed, named_edges, named_nodes
from graph_evaluator.records.brief import Expectations
from graph_evaluator.records.graph import Coaching, Edge
from graph_evaluator.records.params import ScoringRules
from graph_evaluator.records.scorecard import Dimension, SubScore
from graph_evaluator.shell.numbers import counted


class Mark(NamedTuple):
    """What a method measured: the value, the sentence, and the nodes (by id) and edges that cost
    marks.
    """

    value: float
    message: str
    nodes: Iterable[str] = ()
    edges: Iterable[Edge] = ()


WEIGHTS: Mapping[Dimension, Mapping[str, float]] = {
    "param_quality": {
        "strength_diversity": 0.25,
        "exists_prob_diversity": 0.20,
        "std_variation": 0.15,
        "default_takeover": 0.25,
        "range_discipline": 0.15,
    },
    "option_diff": {
        "status_quo_present": 0.25,
        "no_identical_interventions": 0.25,
        "each_option_sets_factor": 0.25,
        "unique_factor_per_option": 0.25,
    },
    "completeness": {
        "external_factor_present": 0.20,
        "coaching_populated": 0.20,
        "goal_threshold": 0.20,
        "factor_label_specificity": 0.20,
        "readability_band": 0.20,
    },
}
"""The sub-scores of each dimension with their weights, in the order in which they are added."""
STRENGTHS_FOR_FULL_MARKS, PROBABILITIES_FOR_FULL_MARKS = 3, 2
DEFAULT_MEAN, DEFAULT_STD = 0.5, 0.125
DEFAULTS_FOR_NO_MARKS_PERCENT = 50.0
MAX_INBOUND = 1.0
READABLE_NODES = (6, 12)
"""Full marks from the first to the second number of nodes."""
MAX_CROWDED_NODES, CROWDED_MARKS = 20, 0.5


def sub_scores(
    topology: Topology, expectations: Expectations, rules: ScoringRules
) -> dict[Dimension, tuple[SubScore, ...]]:
    """The sub-scores of each dimension, in the order in which they are added.

    Parameter quality: do the parameters of the causal edges differ, or were they left at their
    defaults? Option differentiation: do the options differ in what they change? Completeness: does
    the graph have what a decision graph should have beyond its structure?
    """
    measures = _Measures(topology, expectations, rules)
    return {
        dimension: tuple(measures.sub_score(name, weight) for name, weight in weights.items())
        for dimension, weights in WEIGHTS.items()
    }


class _Measures:
    """What is measured of a valid graph, which has a causal edge at least, each with all of its
    parameters.
    """

    def __init__(self, topology: Topology, expectations: Expectations, rules: ScoringRules) -> None:
        self.topology = topology
        self.options = topology.of_kind("option")
        self.factors = topology.of_kind("factor")
        self.causal = topology.causal
        self.causal_edges = counted(len(self.causal), "causal edge")
        self.strengths = [abs(edge.mean or 0.0) for edge in self.causal]
        self.expectations = expectations
        self.rules = rules

    def sub_score(self, name: str, weight: float) -> SubScore:
        """What the measure of this name gives."""
        mark: Mark = getattr(self, name)()
        return SubScore(
            name=name,
            value=float(mark.value),
            weight=weight,
            message=mark.message,
            nodes=named_nodes(mark.nodes),
            edges=named_edges(mark.edges),
        )

    def strength_diversity(self) -> Mark:
        """How many |mean| differ after rounding to one decimal: `min(distinct / full, 1)`."""
        nouns = ("strength", "strengths")
        return self._diversity(self.strengths, *nouns, STRENGTHS_FOR_FULL_MARKS)

    def exists_prob_diversity(self) -> Mark:
        """How many existence probabilities differ after rounding to one decimal:
        `min(distinct / full, 1)`.
        """
        values = [edge.exists_probability or 0.0 for edge in self.causal]
        nouns = ("probability", "probabilities")
        return self._diversity(values, *nouns, PROBABILITIES_FOR_FULL_MARKS)

    def _diversity(self, values: Sequence[float], noun: str, plural: str, full_at: int) -> Mark:
        distinct = len({rounded(value, 10) for value in values})
        number = counted(distinct, f"distinct {noun}", f"distinct {plural}")
        message = f"{number} on {self.causal_edges}; full marks from {full_at}."
        return Mark(min(distinct / full_at, 1.0), message)

    def std_variation(self) -> Mark:
        """1 when standard deviations differ at all, compared exactly; 0 when all are equal."""
        distinct = len({edge.std for edge in self.causal})
        message = f"{counted(distinct, 'distinct standard deviation')} on {self.causal_edges}."
        return Mark(distinct > 1, message)

    def default_takeover(self) -> Mark:
        """How few of the causal edges were left at the default: `max(1 - percent / zero_at, 0)`."""
        default = (DEFAULT_MEAN, DEFAULT_STD)
        pairs = zip(self.causal, self.strengths, strict=True)
        defaults = [edge for edge, strength in pairs if (strength, edge.std) == default]
        percent = len(defaults) / len(self.causal) * 100
        message = (
            f"{len(defaults)} of {self.causal_edges} left at the default strength "
            f"{default[0]:g} ± {default[1]:g} ({percent:.0f} %)."
        )
        value = max(1 - percent / DEFAULTS_FOR_NO_MARKS_PERCENT, 0.0)
        return Mark(value, message, edges=defaults)

    def range_discipline(self) -> Mark:
        """The share of outcomes, risks and goals whose inbound |mean| add up, as doubles, to the
        bound at most.
        """
        sums = dict.fromkeys(self.topology.ids_of(*BRIDGES, "goal"), 0.0)
        for edge, strength in zip(self.causal, self.strengths, strict=True):
            if edge.target in sums:
                sums[edge.target] += strength
        over = [name for name, total in sums.items() if total > MAX_INBOUND]
        within = len(sums) - len(over)
        message = (
            f"{within} of {len(sums)} outcomes, risks and goals "
            f"with inbound strengths of at most {MAX_INBOUND:g} in total"
        )
        message += f"; not {listed(over)}." if over else "."
        return Mark(within / len(sums), message, over)

    def status_quo_present(self) -> Mark:
        """1 when the pattern is found in an option's label (anywhere, in any case), or the brief
        expects no status quo; else 0.
        """
        is_expected = self.expectations.expect_status_quo
        pattern = re.compile(self.rules.status_quo_pattern, re.IGNORECASE)
        matching = [node.id for node in self.options if pattern.search(node.label or "")]
        message = "No option is the status quo; the brief expects none."
        if matching:
            message = f"The status quo is among the options: {listed(matching)}."
        elif is_expected:
            message = "No option is the status quo, which the brief expects."
        return Mark(bool(matching) or not is_expected, message)

    def no_identical_interventions(self) -> Mark:
        """1 when no two options set the same factors to the same values at four decimals; else 0.
        No map equals an empty one.
        """
        groups: dict[frozenset[tuple[str, int]], list[str]] = {}
        for node in self.options:
            values = node.interventions.items()
            settings = frozenset((name, rounded(value, 10_000)) for name, value in values)
            groups.setdefault(settings, []).append(node.id)
        identical = [group for group in groups.values() if len(group) > 1]
        message = "No two options have the same interventions."
        if identical:
            message = f"The same interventions: {'; '.join(map(listed, identical[:3]))}."
        return Mark(not identical, message, chain.from_iterable(identical))

    def each_option_sets_factor(self) -> Mark:
        """1 when every option has interventions; else 0."""
        without = [node.id for node in self.options if not node.interventions]
        message = "Every option sets a factor."
        if without:
            message = f"Without interventions: {listed(without)}."
        return Mark(not without, message, without)

    def unique_factor_per_option(self) -> Mark:
        """1 when every option sets a factor that not all options set; else 0. Only the keys of the
        interventions matter.
        """
        common = set.intersection(*(set(node.interventions) for node in self.options))
        without = [node.id for node in self.options if node.interventions.keys() <= common]
        message = "Every option sets a factor that some other option does not set."
        if without:
            message = f"Sets only factors that every option sets: {listed(without)}."
        return Mark(not without, message, without)

    def external_factor_present(self) -> Mark:
        """1 when a factor has the category `external`; else 0."""
        external = [node.id for node in self.factors if node.category == "external"]
        message = f"External: {listed(external)}." if external else "No factor is external."
        return Mark(bool(external), message)

    def coaching_populated(self) -> Mark:
        """1 when there is an item to strengthen the graph with, or a summary that is not white
        space; else 0.
        """
        coaching = self.topology.graph.coaching or Coaching()
        items = len(coaching.strengthen_items or ())
        has_summary = bool((coaching.summary or "").strip())
        parts = [counted(items, "item")] * bool(items) + ["a summary"] * has_summary
        message = f"Coaching has {' and '.join(parts)}." if parts else "Coaching is empty."
        return Mark(bool(parts), message)

    def goal_threshold(self) -> Mark:
        """1 when the goal has a threshold (0 counts), or the brief names no target; else 0."""
        is_expected = self.expectations.has_numeric_target
        is_set = any(node.goal_threshold is not None for node in self.topology.graph.nodes)
        message = "The goal has no threshold; the brief names no target."
        if is_set:
            message = "The goal has a threshold."
        elif is_expected:
            message = "The goal has no threshold, though the brief names a target."
        return Mark(is_set or not is_expected, message)

    def factor_label_specificity(self) -> Mark:
        """The share of factors whose label, in lower case and stripped, is not a generic one; 1
        without factors.
        """
        generic = {label.strip().lower() for label in self.rules.generic_labels}
        labels = {
            node.id: node.label
            for node in self.factors
            if node.label is not None and node.label.strip().lower() in generic
        }
        message = f"{len(labels)} of {counted(len(self.factors), 'factor')} with a generic label"
        message += f": {listed(labels.values())}." if labels else "."
        value = (len(self.factors) - len(labels)) / len(self.factors) if self.factors else 1.0
        return Mark(value, message, labels)

    def readability_band(self) -> Mark:
        """1 within the readable band, `crowded_marks` above it up to the crowded limit, else 0
        (also below the band).
        """
        nodes = len(self.topology.graph.nodes)
        low, high = READABLE_NODES
        value = float(low <= nodes <= high)
        if high < nodes <= MAX_CROWDED_NODES:
            value = CROWDED_MARKS
        message = f"{counted(nodes, 'node')}; {low} to {high} read best."
        return Mark(value, message)
