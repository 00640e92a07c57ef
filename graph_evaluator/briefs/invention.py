"""Decisions of invented trades: what acts on what, which option is the best, and the graph that
says so. Pure; the same draws give the same decision for ever.

Every quantity has one sign: that of its effect on the goal along each of its paths. So signs alone
settle which option is the best: it moves its levers the way that serves the goal, all others move
theirs the other way.
"""

import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources import files
from itertools import combinations, product
from typing import Any, Literal, TypeVar, get_args

from graph_evaluator.records.brief import GOAL, StatedEffect, targets_reached
from graph_evaluator.records.json_text import JsonObject, JsonValue
from graph_evaluator.simulate.characters import Stream

Language = Literal["en", "de"]
LANGUAGES: tuple[Language, ...] = get_args(Language)
WORDS: dict[str, Any] = tomllib.loads(
    files("graph_evaluator.briefs").joinpath("made_up.toml").read_text(encoding="utf-8")
)
SHAPES = {
    1: ((2, 2, 1, 2), (2, 2, 0, 3), (3, 2, 1, 2), (3, 3, 0, 2)),
    2: ((2, 2, 1, 2), (3, 2, 1, 2), (3, 3, 0, 2), (3, 2, 0, 3)),
    3: ((2, 3, 2, 2), (2, 3, 2, 3), (3, 3, 2, 3), (3, 3, 3, 3)),
}
"""By level the numbers of options, levers, other factors and results, one of which is drawn. Each
decision also has a factor that nobody controls, and at level 3 an option that a rule excludes.
"""
DENIALS = {1: (0, 0), 2: (2, 1), 3: (2, 1)}
"""By level how many effects between quantities, and of options, are denied."""
STATUS_QUO_IS_BEST = 1 / 6
TODAY, MOVE = 0.5, 0.3
"""The level of each lever today, and by how much an option moves it."""
DECISION, KEEP = "decision", "keep"
"""The ids of the decision and the status quo in a graph."""
STDS, PROBABILITIES = (0.05, 0.1, 0.2), (0.95, 0.8, 0.6)
Item = TypeVar("Item")
Pair = tuple[str, str]


class Draws(Stream):
    """Draws from sequences."""

    def choose(self, items: Sequence[Item]) -> Item:
        """One of the items."""
        return items[int(self.between(0, len(items)))]

    def shuffle(self, items: Sequence[Item]) -> list[Item]:
        """The items in another order."""
        return sorted(items, key=lambda _: self.between(0, 1))


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """An invented decision: options and quantities by their names.

    `signs` are those of the quantities' effects on the goal, `settings` the directions in which
    options move their levers, `edges` the effects between quantities and on the goal, and `denied`
    what does not affect what. At level 3 the last two of `denied` have `external` as a common
    cause, and a rule excludes the option `excluded`. `best`: None for the status quo.
    """

    level: int
    language: Language
    trade: str
    goal: str
    levers: Sequence[str]
    factors: Sequence[str]
    external: str
    results: Sequence[str]
    signs: dict[str, int]
    settings: dict[str, dict[str, int]]
    edges: Sequence[Pair]
    denied: Sequence[Pair]
    best: str | None
    excluded: str | None

    @property
    def words(self) -> dict[str, Any]:
        """The words of its language."""
        words: dict[str, Any] = WORDS[self.language]
        return words

    def shown(self, name: str) -> str:
        """How a text has the name of a quantity; any other text as it is."""
        shown = self.goal if name == GOAL else name
        is_quantity = shown in (*self.signs, self.goal, self.trade)
        return shown.capitalize() if is_quantity and self.language == "de" else shown

    def sign(self, cause: str, target: str) -> int:
        """The sign of the effect of a quantity on another one, or on the goal."""
        return self.signs[cause] * self.signs.get(target, 1)

    @property
    def effects(self) -> list[StatedEffect]:
        """What the front-matter states: nothing of an excluded option."""
        signed = [
            (option, lever, sign)
            for option, levers in self.settings.items()
            for lever, sign in levers.items()
            if option != self.excluded
        ]
        signed += [(cause, target, self.sign(cause, target)) for cause, target in self.edges]
        effects = [
            StatedEffect(cause, "raises" if sign > 0 else "lowers", target)
            for cause, target, sign in signed
        ]
        return effects + [StatedEffect(one, "does not affect", other) for one, other in self.denied]


def invent(draws: Draws, level: int, language: Language) -> Decision:
    """Draw a decision of a level, 1 to 3."""
    options, *numbers = draws.choose(SHAPES[level])
    names = iter(draws.shuffle(WORDS["names"].split()))
    levers, factors, results = ([next(names) for _ in range(number)] for number in numbers)
    external = next(names)
    signs = {name: draws.choose((1, -1)) for name in (*levers, *factors, external)}
    signs |= dict(zip(results, draws.shuffle((1, -1, 1)), strict=False))
    driven = draws.shuffle(results)[:2] if level == 3 else [draws.choose([*factors, *results])]
    edges = _draw_edges(draws, levers, factors, results)
    edges += [(external, name) for name in driven]
    edges += [(result, GOAL) for result in results]

    offers = draws.shuffle(WORDS["options"].split())[: options + (level == 3)]
    kept, excluded = offers[:options], offers[options:]
    serving = [] if draws.chance(STATUS_QUO_IS_BEST) else kept[:1]
    moved = _draw_levers(draws, levers, kept, excluded)
    settings: dict[str, dict[str, int]] = {}
    for option in draws.shuffle(offers):
        direction = 1 if option in (*serving, *excluded) else -1
        settings[option] = {lever: direction * signs[lever] for lever in moved[option]}

    between, of_options = DENIALS[level]
    unrelated = _unrelated([*levers, external, *factors, *results], edges, [*factors, *results])
    denied = draws.shuffle(unrelated)[:between]
    untouched = [pair for pair in product(kept, levers) if pair[1] not in settings[pair[0]]]
    denied += draws.shuffle(untouched)[:of_options]
    if level == 3:
        first, second = sorted(driven, key=results.index)
        denied = [pair for pair in denied if pair != (first, second)] + [(first, second)]
    return Decision(
        level=level,
        language=language,
        trade=next(names),
        goal=next(names),
        levers=levers,
        factors=factors,
        external=external,
        results=results,
        signs=signs,
        settings=settings,
        edges=list(dict.fromkeys(edges)),
        denied=denied,
        best=serving[0] if serving else None,
        excluded=excluded[0] if excluded else None,
    )


def _draw_edges(
    draws: Draws, levers: Sequence[str], factors: Sequence[str], results: Sequence[str]
) -> list[Pair]:
    """Effects between levers, factors and results: each factor and result has a cause, and each
    lever and factor an effect.
    """
    edges = [(draws.choose(levers), factor) for factor in factors]
    edges += [(draws.choose([*levers, *factors]), result) for result in results]
    causes = {cause for cause, _ in edges}
    idle = [name for name in (*levers, *factors) if name not in causes]
    edges += [(name, draws.choose(results)) for name in idle]
    return [*edges, (draws.choose(levers), draws.choose(results))]


def _draw_levers(
    draws: Draws, levers: Sequence[str], kept: Sequence[str], excluded: Sequence[str]
) -> dict[str, tuple[str, ...]]:
    """The levers that each offer moves: one or two, no two offers the same, and every lever by one
    of the offers that are kept.
    """
    choices = [*combinations(levers, 1), *combinations(levers, 2)]
    while True:
        moved = draws.shuffle(choices)
        if {lever for levers_of_one in moved[: len(kept)] for lever in levers_of_one} == {*levers}:
            return dict(zip([*kept, *excluded], moved, strict=False))


def _unrelated(order: Sequence[str], edges: Sequence[Pair], targets: Sequence[str]) -> list[Pair]:
    """The pairs of a quantity and a later one among the targets that it does not affect."""
    reached = targets_reached(StatedEffect(cause, "raises", target) for cause, target in edges)
    pairs = [pair for pair in combinations(order, 2) if pair[1] in targets]
    return [(cause, target) for cause, target in pairs if target not in reached[cause]]


def draw_graph(decision: Decision) -> JsonObject:
    """The graph of a decision, without an excluded option, as a good answer gives it."""
    words = decision.words
    levels: dict[str, JsonObject] = {
        option: {lever: TODAY + MOVE * sign for lever, sign in levers.items()}
        for option, levers in decision.settings.items()
        if option != decision.excluded
    }
    # the status quo sets no lever that all offers set: each option has to leave one alone
    common = set.intersection(*map(set, levels.values()))
    levels[KEEP] = {lever: TODAY for lever in decision.levers if lever not in common}
    nodes = [_node(DECISION, "decision", words["decision_label"])]
    edges = [_edge(DECISION, option) for option in levels]
    for option, interventions in levels.items():
        label = words["keep_label"] if option == KEEP else words["offer_label"].format(O=option)
        nodes.append(_node(option, "option", label, {"data": {"interventions": interventions}}))
        edges += [_edge(option, lever) for lever in interventions]
    for name, (kind, data) in _kinds(decision).items():
        label = words["label"].format(A=decision.shown(name))
        nodes.append(_node(name, kind, label, data))
    nodes.append(_node(GOAL, "goal", words["goal_label"].format(A=decision.shown(GOAL))))
    for target in (*decision.factors, *decision.results, GOAL):
        causes = [cause for cause, affected in decision.edges if affected == target]
        for place, cause in enumerate(causes):
            share = 1.8 * (len(causes) - place) / (len(causes) * (len(causes) + 1))
            mean = decision.sign(cause, target) * round(share, 2)
            edges.append(_edge(cause, target, mean, STDS[place % 3], PROBABILITIES[place % 3]))
    items: list[JsonValue] = [{"label": label} for label in words["coaching"]]
    coaching: JsonObject = {"summary": words["decision_label"], "strengthen_items": items}
    parts: JsonObject = {"nodes": [*nodes], "edges": [*edges], "causal_claims": []}
    return parts | {"coaching": coaching}


def _kinds(decision: Decision) -> dict[str, tuple[str, JsonObject]]:
    """The kind of the node of each quantity but the goal, and its other keys."""
    data: JsonObject = {"value": TODAY, "extractionType": "inferred"}
    prior: JsonObject = {"distribution": "uniform", "range_min": 0.2, "range_max": 0.8}
    controllable: JsonObject = {"category": "controllable", "data": data}
    observable: JsonObject = {"category": "observable", "data": data}
    kinds = dict.fromkeys(decision.levers, ("factor", controllable))
    kinds |= dict.fromkeys(decision.factors, ("factor", observable))
    kinds[decision.external] = ("factor", {"category": "external", "prior": prior})
    for name in decision.results:
        kinds[name] = ("outcome" if decision.signs[name] > 0 else "risk", {})
    return kinds


def _node(name: str, kind: str, label: str, more: JsonObject | None = None) -> JsonObject:
    return {"id": name, "kind": kind, "label": label, **(more or {})}


def _edge(
    source: str, target: str, mean: float = 1.0, std: float = 0.01, probability: float = 1.0
) -> JsonObject:
    return {
        "from": source,
        "to": target,
        "strength": {"mean": mean, "std": std},
        "exists_probability": probability,
        "effect_direction": "positive" if mean > 0 else "negative",
        "edge_type": "directed",
    }
