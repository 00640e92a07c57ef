"""Which option a graph recommends, how sure that is, and which single numbers would change it.

Everything follows from the graph's own equations (`CausalModel`): the levels of the goal under each
option by draws of strengths and existence, and with one number changed, are columns of one array.
Source: docs/recommendation.md.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from graph_evaluator.graph.causal_model import MAX_EDGES, CausalModel, FloatArray
from graph_evaluator.graph.evidence import clipped, edge_ref, quoted
from graph_evaluator.records.graph import Edge, Node
from graph_evaluator.records.recommendation import OptionGain, Recommendation, tie_tolerance
from graph_evaluator.records.scorecard import DecidingNumber
from graph_evaluator.shell.numbers import parameter

DRAWS = 1_000
MAX_DECIDING = 5
NO_GAIN = 1e-9
"""A gain that is no larger is none."""
_CHANGES_OF_EDGE = 3
"""One std less, one std more, no effect."""
_SEED = 51
_DECIMALS = 6
"""Of a share of draws, so that the order in which it is added up does not matter."""


def recommend(
    model: CausalModel, stated_options: Mapping[str, str]
) -> tuple[Recommendation | None, tuple[DecidingNumber, ...]]:
    """What a valid graph recommends, and at most `MAX_DECIDING` single numbers that would change
    it, the most influential first. None where no option changes the goal. Never raises.
    `stated_options` names the stated option that an option is, by its id.
    """
    options, (goal,) = model.topology.of_kind("option"), model.topology.ids_of("goal")
    reference = model.levels(model.status_quo)[goal]
    gains = [model.levels(option)[goal] - reference for option in options]
    if not all(map(math.isfinite, gains)) or max(map(abs, gains), default=0.0) <= NO_GAIN:
        return None, ()
    settings = list(_other_settings(model, options))
    tolerance = tie_tolerance(gains)
    recommended = [gain > max(gains) - tolerance for gain in gains]
    with np.errstate(all="ignore"):
        levels = _goal_levels(model, goal, options, settings)
        drawn, changed = levels[:, :DRAWS], levels[:, DRAWS:]
        best = drawn == drawn.max(axis=0)
        shares = 1 / np.maximum(best.sum(axis=0), 1)  # equally good options share a draw
        certainties = (best @ shares / DRAWS).round(_DECIMALS).tolist()
        leads = changed.max(axis=0) - changed[recommended].max(axis=0)
    judged = [
        OptionGain(
            label=clipped(option.label or option.id),
            gain=gain,
            certainty=certainty,
            status_quo=option is model.status_quo,
            stated=stated_options.get(option.id, ""),
        )
        for option, gain, certainty in zip(options, gains, certainties, strict=True)
    ]
    numbers: dict[int, DecidingNumber] = {}
    for column in np.argsort(-leads, kind="stable").tolist():
        if not leads[column] > tolerance or len(numbers) == MAX_DECIDING:
            break
        is_of_edge = column < _CHANGES_OF_EDGE * len(model.edges)
        key = column // _CHANGES_OF_EDGE if is_of_edge else column
        if key not in numbers:
            better = options[int(np.argmax(changed[:, column]))]
            numbers[key] = _describe(model, settings, column, better)
    ranked = sorted(judged, key=lambda option: -option.gain)
    return Recommendation(options=tuple(ranked)), tuple(numbers.values())


@lru_cache
def _draws() -> tuple[FloatArray, FloatArray]:
    """Standard normal and uniform draws, `DRAWS` for each edge: the same for every graph.

    The streams of `RandomState` are the same in every version of numpy.
    """
    shape = (MAX_EDGES, DRAWS)
    normal = np.random.RandomState(_SEED).standard_normal(shape)
    uniform = np.random.RandomState(_SEED + 1).random_sample(shape)
    return normal, uniform


class _Setting(NamedTuple):
    """A level to which an option could set a factor instead."""

    option: Node
    factor: str
    level: float


def _other_settings(model: CausalModel, options: Sequence[Node]) -> Iterator[_Setting]:
    """For each level that an option sets the next lower and the next higher one that the factor has
    under another option. The levels of the status quo are today's, so they stay.
    """
    for option in options:
        if option is model.status_quo:
            continue
        others = [other.interventions for other in options if other is not option]
        for factor, level in model.settings_of(option).items():
            levels = {other.get(factor, model.baseline[factor]) for other in others}
            lower = sorted(other for other in levels if other < level)
            higher = sorted(other for other in levels if other > level)
            for neighbour in (*lower[-1:], *higher[:1]):
                yield _Setting(option, factor, neighbour)


def _goal_levels(
    model: CausalModel, goal: str, options: Sequence[Node], settings: Sequence[_Setting]
) -> FloatArray:
    """The levels of the goal, a row for each option: in each draw, then by each change."""
    weights = _weights(model, len(settings))
    levels = np.empty((len(options), weights.shape[1]))
    first = weights.shape[1] - len(settings)
    for row, option in enumerate(options):
        own: dict[str, float | FloatArray] = {**model.settings_of(option)}
        for column, other in enumerate(settings, first):
            if other.option is option:
                moved = np.full(weights.shape[1], own[other.factor])
                moved[column] = other.level
                own[other.factor] = moved
        levels[row] = model.values(model.baseline, own, list(weights))[goal]
    return levels


def _weights(model: CausalModel, settings: int) -> FloatArray:
    """The weights of the causal edges, a row for each, with the columns of the levels."""
    number = len(model.edges)
    means = np.array(model.means)[:, None]
    stds = np.array([edge.std or 0.0 for edge in model.edges])[:, None]
    probabilities = np.array([edge.exists_probability or 0.0 for edge in model.edges])[:, None]
    normal, uniform = _draws()
    end = DRAWS + _CHANGES_OF_EDGE * number
    weights = np.empty((number, end + settings))
    weights[:] = means * probabilities
    drawn = weights[:, :DRAWS]
    np.multiply(stds, normal[:number], out=drawn)
    drawn += means
    drawn *= uniform[:number] < probabilities
    for kind, changed in enumerate((means - stds, means + stds, 0 * means)):
        own = weights[:, DRAWS + kind : end : _CHANGES_OF_EDGE]
        np.fill_diagonal(own, changed * probabilities)
    return weights


def _describe(
    model: CausalModel, settings: Sequence[_Setting], column: int, best: Node
) -> DecidingNumber:
    """The change in a column, by which an option becomes the best, in words."""
    labels = {node.id: node.label or node.id for node in model.topology.graph.nodes}
    place, kind = divmod(column, _CHANGES_OF_EDGE)
    edge: Edge | None
    if place < len(model.edges):
        edge, mean = model.edges[place], model.means[place]
        source, target = quoted(labels[edge.source]), quoted(labels[edge.target])
        moved = parameter(mean + (edge.std or 0.0) * (2 * kind - 1))
        condition = f"{source} weighed {moved} instead of {parameter(mean)} on {target}"
        if kind == _CHANGES_OF_EDGE - 1:
            condition = f"{source} had no effect on {target}"
    else:
        setting = settings[column - _CHANGES_OF_EDGE * len(model.edges)]
        option, factor = setting.option, setting.factor
        before, after = map(parameter, (option.interventions[factor], setting.level))
        names = f"{quoted(labels[option.id])} set {quoted(labels[factor])}"
        condition = f"{names} to {after} instead of {before}"
        ends = (option.id, factor)
        steps = [step for step in model.topology.directed if (step.source, step.target) == ends]
        edge = steps[0] if steps else None
    return DecidingNumber(
        message=f"If {condition}, {quoted(labels[best.id])} would be best.",
        edge=edge_ref(edge) if edge else None,
    )
