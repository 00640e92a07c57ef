"""Which option a graph recommends, how sure that is, and which single numbers would change it.

Everything follows from the graph's own equations (`CausalModel`): the levels of the goal under each
option by the means, by draws of strengths and existence, and with one number changed are columns of
the same array. Source: docs/recommendation.md.
"""

import math
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from graph_evaluator.graph.causal_model import CausalModel, FloatArray
from graph_evaluator.graph.evidence import clipped, edge_ref, quoted
from graph_evaluator.graph.topology import Topology
from graph_evaluator.records.graph import Edge, Node
from graph_evaluator.records.recommendation import OptionGain, Recommendation, tie_tolerance
from graph_evaluator.records.scorecard import DecidingNumber
from graph_evaluator.shell.numbers import parameter

DRAWS = 1_000
MAX_DECIDING = 5
NO_GAIN = 1e-9
"""A gain that is no larger is none."""
CHANGES_OF_EDGE = 3
"""One std less, one std more, no effect."""
_DRAWN = slice(1, 1 + DRAWS)
"""The columns of the draws; the first column has the expected levels, and changes follow."""
_SEED = 51
_EDGES_AT_ONCE = 100
"""Draws are made for this many edges, the most that a valid graph has by default, and for more only
where they are needed.
"""
_DECIMALS = 6
"""Of a share of draws, so that the order in which it is added up does not matter."""


def recommend(
    topology: Topology, model: CausalModel, stated_options: Mapping[str, str]
) -> tuple[Recommendation | None, tuple[DecidingNumber, ...]]:
    """What a valid graph recommends, and at most `MAX_DECIDING` single numbers that would change
    it, the most influential first. None where no option changes the goal. Never raises.
    `stated_options` names the stated option that an option is, by its id.
    """
    with np.errstate(all="ignore"):
        levels = _GoalLevels(topology, model)
        gains = levels.gains()
        if not all(map(math.isfinite, gains)) or max(map(abs, gains), default=0.0) <= NO_GAIN:
            return None, ()
        return levels.recommendation(gains, stated_options), levels.deciding_numbers(gains)


@lru_cache(maxsize=2)
def _draws(edges: int) -> tuple[FloatArray, FloatArray]:
    """Standard normal and uniform draws, `DRAWS` for each edge: the same for every graph.

    The streams of `RandomState` are the same in every version of numpy.
    """
    shape = (edges, DRAWS)
    normal = np.random.RandomState(_SEED).standard_normal(shape)
    uniform = np.random.RandomState(_SEED + 1).random_sample(shape)
    return normal, uniform


@dataclass(frozen=True, slots=True)
class _Setting:
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
            lower = [other for other in levels if other < level]
            higher = [other for other in levels if other > level]
            if lower:
                yield _Setting(option, factor, max(lower))
            if higher:
                yield _Setting(option, factor, min(higher))


class _GoalLevels:
    """The levels of the goal, a row for each option: expected, in each draw, by each change."""

    def __init__(self, topology: Topology, model: CausalModel) -> None:
        self._topology = topology
        self._model = model
        self._options = topology.of_kind("option")
        self._goal = topology.ids_of("goal")[0]
        self._labels = {node.id: node.label or node.id for node in topology.graph.nodes}
        self._settings = list(_other_settings(model, self._options))
        self._first_change = _DRAWN.stop
        self._first_setting = self._first_change + CHANGES_OF_EDGE * len(model.edges)
        weights = self._weights()
        self._levels = np.empty((len(self._options), weights.shape[1]))
        for row, option in enumerate(self._options):
            self._levels[row] = self._values_of_goal(option, weights)

    def _weights(self) -> FloatArray:
        """The weights of the causal edges, a row for each, with the columns of the levels."""
        edges = self._model.edges
        number = len(edges)
        means = np.array(self._model.means)[:, None]
        stds = np.array([edge.std or 0.0 for edge in edges])[:, None]
        probabilities = np.array([edge.exists_probability or 0.0 for edge in edges])[:, None]
        normal, uniform = _draws(-(-number // _EDGES_AT_ONCE) * _EDGES_AT_ONCE)
        weights = np.empty((number, self._first_setting + len(self._settings)))
        weights[:] = means * probabilities
        drawn = weights[:, _DRAWN]
        np.multiply(stds, normal[:number], out=drawn)
        drawn += means
        drawn *= uniform[:number] < probabilities
        for kind, changed in enumerate((means - stds, means + stds, 0 * means)):
            own = slice(self._first_change + kind, self._first_setting, CHANGES_OF_EDGE)
            np.fill_diagonal(weights[:, own], changed * probabilities)
        return weights

    def _values_of_goal(self, option: Node, weights: FloatArray) -> float | FloatArray:
        settings: dict[str, float | FloatArray] = {}
        settings |= self._model.settings_of(option)
        for column, other in enumerate(self._settings, self._first_setting):
            if other.option is option:
                levels = np.full(weights.shape[1], settings[other.factor])
                levels[column] = other.level
                settings[other.factor] = levels
        return self._model.values(self._model.baseline, settings, list(weights))[self._goal]

    def gains(self) -> list[float]:
        """The gain of each option over the status quo, or over the baseline without one."""
        reference = self._model.levels(self._model.status_quo)[self._goal]
        gains: list[float] = (self._levels[:, 0] - reference).tolist()
        return gains

    def recommendation(
        self, gains: list[float], stated_options: Mapping[str, str]
    ) -> Recommendation:
        """The options with their gains, and the share of the draws in which each is the best."""
        drawn = self._levels[:, _DRAWN]
        best = drawn == drawn.max(axis=0)
        shares = 1 / np.maximum(best.sum(axis=0), 1)
        certainties: list[float] = (best @ shares / DRAWS).round(_DECIMALS).tolist()
        options = [
            OptionGain(
                node=clipped(option.id),
                label=clipped(option.label or option.id),
                gain=gain,
                certainty=certainty,
                status_quo=option is self._model.status_quo,
                stated=stated_options.get(option.id, ""),
            )
            for option, gain, certainty in zip(self._options, gains, certainties, strict=True)
        ]
        return Recommendation(options=tuple(sorted(options, key=lambda option: -option.gain)))

    def deciding_numbers(self, gains: list[float]) -> tuple[DecidingNumber, ...]:
        """The numbers by a change of which another option leads the recommended ones by more than a
        tie, the largest lead first, each number once.
        """
        tolerance = tie_tolerance(gains)
        recommended = [gain > max(gains) - tolerance for gain in gains]
        changed = self._levels[:, self._first_change :]
        leads = changed.max(axis=0) - changed[recommended].max(axis=0)
        numbers: dict[Hashable, DecidingNumber] = {}
        for column in np.argsort(-leads, kind="stable").tolist():
            if not leads[column] > tolerance or len(numbers) == MAX_DECIDING:
                break
            best = self._options[int(changed[:, column].argmax())]
            place, kind = divmod(column, CHANGES_OF_EDGE)
            if place < len(self._model.edges):
                numbers.setdefault(place, self._deciding_mean(place, kind, best))
            else:
                setting = self._settings[column - self._first_setting + self._first_change]
                number = (setting.option.id, setting.factor)
                numbers.setdefault(number, self._deciding_setting(setting, best))
        return tuple(numbers.values())

    def _deciding_mean(self, place: int, kind: int, best: Node) -> DecidingNumber:
        edge, mean = self._model.edges[place], self._model.means[place]
        moved = mean + (edge.std or 0.0) * (2 * kind - 1)
        source, target = self._named(edge.source), self._named(edge.target)
        condition = f"{source} weighed {parameter(moved)} instead of {parameter(mean)} on {target}"
        if kind == CHANGES_OF_EDGE - 1:
            condition = f"{source} had no effect on {target}"
        return self._deciding(condition, best, edge)

    def _deciding_setting(self, setting: _Setting, best: Node) -> DecidingNumber:
        option, factor = setting.option, setting.factor
        before, after = parameter(option.interventions[factor]), parameter(setting.level)
        condition = f"{self._named(option.id)} set {self._named(factor)} to {after}"
        ends = (option.id, factor)
        steps = [edge for edge in self._topology.directed if (edge.source, edge.target) == ends]
        return self._deciding(f"{condition} instead of {before}", best, *steps[:1])

    def _deciding(self, condition: str, best: Node, edge: Edge | None = None) -> DecidingNumber:
        return DecidingNumber(
            message=f"If {condition}, {self._named(best.id)} would be best.",
            best=clipped(best.label or best.id),
            edge=edge_ref(edge) if edge else None,
        )

    def _named(self, name: str) -> str:
        return quoted(self._labels[name])
