"""Which option a graph implies by its own numbers, and how sure it is of it: information, never a
score.

Values pass along the edges from the levels that an option sets, with the others at their baseline
(see `options.Baseline`). Only differences between options mean anything.
"""

import math
from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np

from stages.contracts.scorecard import ImpliedChoice
from stages.language.words import normalise
from stages.score.causal_model import CausalModel, Values
from stages.score.fidelity.consistency import labels_with_alias
from stages.score.options import Baseline
from stages.structure.topology import Topology

SEED: Final = 20_260_101
DRAWS: Final = 2_000
SMALLEST_DIFFERENCE: Final = 1e-6
"""Options whose goal values differ by less are equal."""
TIE: Final = 1e-12
STEPS: Final = 20
"""P(best) is rounded to one of so many equal steps from 0 to 1."""


class GoalValues:
    """The goal's value under interventions, by the numbers of a graph.

    Attributes:
        defined: False with a directed cycle, or without exactly one goal; then nothing else is.
    """

    def __init__(self, topology: Topology, baseline: Baseline) -> None:
        goals = topology.ids_of("goal")
        self._goal = "".join(goals)
        self._model = CausalModel(topology)
        self._baseline = baseline.levels
        self.defined = len(goals) == 1 and bool(self._model.order)

    def expected(self, interventions: Mapping[str, float]) -> float:
        """The goal's value by the means and probabilities."""
        weights = self._model.weights
        return self._model.levels(self._baseline, interventions, weights, 0.0)[self._goal]

    def drawn(self, options: Sequence[Mapping[str, float]]) -> Values:
        """The goal's values for each draw (rows) under each option (columns); equal for equal
        graphs.
        """
        edges = self._model.edges
        shape = (len(edges), DRAWS)
        means = np.array(self._model.means).reshape(-1, 1)
        stds = np.array([edge.std or 0.0 for edge in edges]).reshape(-1, 1)
        existing = np.array([edge.exists_probability or 0.0 for edge in edges]).reshape(-1, 1)
        random = np.random.default_rng(SEED)
        with np.errstate(over="ignore", invalid="ignore"):  # an answer may hold any double
            strengths = means + stds * random.standard_normal(shape)
            weights = list(strengths * (random.random(shape) < existing))
            zero = np.zeros(DRAWS)
            levels = [
                self._model.levels(self._baseline, interventions, weights, zero)[self._goal]
                for interventions in options
            ]
        return np.column_stack(levels)


def implied_choice(
    topology: Topology, baseline: Baseline, stated: Sequence[Sequence[str]]
) -> ImpliedChoice | None:
    """The option with the highest goal value, with the share of draws in which it is the best; None
    where that is not defined.

    `stated` are the options of the brief's front-matter. Draws in which several are best are
    shared.
    """
    options = topology.of_kind("option")
    goal_values = GoalValues(topology, baseline)
    if not goal_values.defined or not options:
        return None
    interventions = [option.interventions for option in options]
    values = [goal_values.expected(of_option) for of_option in interventions]
    if not all(map(math.isfinite, values)):
        return None
    if max(values) - min(values) < SMALLEST_DIFFERENCE:
        return ImpliedChoice()
    best = values.index(max(values))
    drawn = goal_values.drawn(interventions)
    are_best = drawn >= drawn.max(axis=1, keepdims=True) - TIE
    shares = are_best[:, best] / are_best.sum(axis=1).clip(min=1)
    option = options[best]
    label = option.label or ""
    names = [aliases[0] for aliases in stated if labels_with_alias(aliases, [normalise(label)])]
    return ImpliedChoice(
        option=option.id,
        label=option.label,
        stated=next(iter(names), None),
        p_best=round(float(shares.mean()) * STEPS) / STEPS,
    )
