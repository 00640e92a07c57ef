"""Which option a graph implies by its own numbers, and how sure it is of it: information, never a
score.

Values pass along the edges from the levels that an option sets, with the others at their baseline
(see `options.Baseline`). Only differences between options mean anything.
"""

import math
from collections.abc import Mapping, Sequence

import numpy as np

from stages.contracts.graph import Node
from stages.contracts.scorecard import ImpliedChoice
from stages.language.words import normalise
from stages.score.causal_model import CausalModel, Values
from stages.score.fidelity.consistency import labels_with_alias

SEED = 20_260_101
DRAWS = 2_000
SMALLEST_DIFFERENCE = 1e-6
"""Options whose goal values differ by less are equal."""
TIE = 1e-12
STEPS = 20
"""P(best) is rounded to one of so many equal steps from 0 to 1."""


def implied_choice(
    options: Sequence[Node], model: CausalModel, stated: Sequence[Sequence[str]]
) -> ImpliedChoice | None:
    """The option with the highest goal value, with the share of draws in which it is the best; None
    where that is not defined.

    `stated` are the options of the brief's front-matter. Draws in which several are best are
    shared.
    """
    if model.goal is None or not options:
        return None
    interventions = [option.interventions for option in options]
    values = [model.levels(of_option)[model.goal] for of_option in interventions]
    if not all(map(math.isfinite, values)):
        return None
    if max(values) - min(values) < SMALLEST_DIFFERENCE:
        return ImpliedChoice()
    best = values.index(max(values))
    drawn = _drawn_values(model, model.goal, interventions)
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


def _drawn_values(model: CausalModel, goal: str, options: Sequence[Mapping[str, float]]) -> Values:
    """The goal's values for each draw (rows) under each option (columns); equal for equal
    graphs.
    """
    shape = (len(model.edges), DRAWS)
    means = np.array(model.means).reshape(-1, 1)
    stds = np.array([edge.std or 0.0 for edge in model.edges]).reshape(-1, 1)
    existing = np.array([edge.exists_probability or 0.0 for edge in model.edges]).reshape(-1, 1)
    random = np.random.default_rng(SEED)
    zero = np.zeros(DRAWS)
    with np.errstate(over="ignore", invalid="ignore"):  # an answer may hold any double
        strengths = means + stds * random.standard_normal(shape)
        weights = list(strengths * (random.random(shape) < existing))
        levels = [model.drawn_levels(of_option, weights, zero)[goal] for of_option in options]
    return np.column_stack(levels)
