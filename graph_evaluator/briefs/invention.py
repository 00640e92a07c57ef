"""Decisions of invented trades: what acts on what, which option is the best, and the graph that
says so. Pure; the same draws give the same decision for ever.

Every quantity has one sign: that of its effect on the goal along each of its paths. So signs alone
settle which option is the best: it moves its levers the way that serves the goal, all others move
theirs the other way.
"""

import tomllib
from collections.abc import Sequence
from importlib.resources import files
from itertools import chain, combinations, product
from typing import Any, Literal, TypeVar, get_args

from graph_evaluator.records.brief import GOAL, StatedEffect, targets_reached
from graph_evaluator.records.json_text import JsonObject, JsonValue
from graph_evaluator.simulate.characters import Stream

Language = Literal["en", "de"]
LANGUAGES: tuple[Language, ...] = get_args(Language)
MADE_UP: dict[str, Any] = tomllib.loads(
    files("graph_evaluator.briefs").joinpath("made_up.toml").read_text(encoding="utf-8")
)
"""The content of `made_up.toml`."""
STATUS_QUO_IS_BEST = 1 / 6
MAX_DENIED = 2
TODAY, MOVE = 0.5, 0.3
"""The level of each lever today, and by how much an offer moves it."""
DECISION, KEEP = "decision", "keep"
"""The ids of the decision and the status quo in a graph."""
STDS, PROBABILITIES = (0.05, 0.1, 0.2), (0.95, 0.8, 0.6)
Item = TypeVar("Item")
NamePair = tuple[str, str]


class Draws(Stream):
    """Draws from sequences."""

    def choose(self, items: Sequence[Item]) -> Item:
        """One of the items."""
        return items[int(self.between(0, len(items)))]

    def shuffle(self, items: Sequence[Item]) -> list[Item]:
        """The items in another order."""
        return sorted(items, key=lambda _: self.between(0, 1))


class InventedDecision:
    """An invented decision of a level, 1 to 3: offers and quantities by their names.

    Attributes:
        signs: The sign of each quantity's effect on the goal.
        moves: For each offer and lever that it moves the direction.
        edges: The effects between quantities and on the goal.
        denied: What does not affect what; at level 3 the last pair are two results that have
            `external` as their common cause.
        best: The best offer; None for the status quo.
        excluded: At level 3 the offer that a rule excludes.
    """

    def __init__(self, draws: Draws, level: int, language: Language) -> None:
        self.level = level
        self.language = language
        self.words: dict[str, Any] = MADE_UP[language]
        kept, *numbers = draws.choose(MADE_UP["shapes"][str(level)])
        names = iter(draws.shuffle(MADE_UP["names"].split()))
        self.trade, self.goal, self.external = next(names), next(names), next(names)
        parts = ([next(names) for _ in range(number)] for number in numbers)
        self.levers, self.factors, self.results = parts
        self._affected = [*self.factors, *self.results]
        causes = [*self.levers, *self.factors, self.external]
        self.signs = {name: draws.choose((1, -1)) for name in causes}
        self.signs |= dict(zip(self.results, draws.shuffle((1, -1, 1)), strict=False))
        self.edges = self._draw_edges(draws)
        offers = draws.shuffle(MADE_UP["offers"].split())[: kept + (level == 3)]
        self.best = None if draws.chance(STATUS_QUO_IS_BEST) else offers[0]
        self.excluded = offers[kept] if level == 3 else None
        self.moves: dict[NamePair, int] = {}
        for offer, levers in zip(offers, self._draw_levers(draws, kept), strict=False):
            direction = 1 if offer in (self.best, self.excluded) else -1
            self.moves |= {(offer, lever): direction * self.signs[lever] for lever in levers}
        self.kept = offers[:kept]
        self.denied = self._draw_denied(draws) if level > 1 else []

    def _draw_edges(self, draws: Draws) -> list[NamePair]:
        """Each factor and result has a cause, each lever and factor an effect."""
        levers, results = self.levers, self.results
        edges = [(draws.choose(levers), factor) for factor in self.factors]
        edges += [(draws.choose([*levers, *self.factors]), result) for result in results]
        busy = {cause for cause, _ in edges}
        idle = [name for name in (*levers, *self.factors) if name not in busy]
        edges += [(name, draws.choose(results)) for name in (*idle, draws.choose(levers))]
        driven = results[:2] if self.level == 3 else [draws.choose(self._affected)]
        edges += [(self.external, name) for name in driven]
        edges += [(result, GOAL) for result in results]
        return list(dict.fromkeys(edges))

    def _draw_levers(self, draws: Draws, kept: int) -> list[tuple[str, ...]]:
        """One or two levers for each offer, no two alike, and every lever for one that is kept."""
        choices = [*combinations(self.levers, 1), *combinations(self.levers, 2)]
        while True:
            moved = draws.shuffle(choices)
            if {*chain.from_iterable(moved[:kept])} == {*self.levers}:
                return moved

    def _draw_denied(self, draws: Draws) -> list[NamePair]:
        """Pairs of quantities, an offer with a lever that it leaves alone, the common effects."""
        reached = targets_reached(StatedEffect(one, "raises", other) for one, other in self.edges)
        common = [(self.results[0], self.results[1])] if self.level == 3 else []
        unrelated = [
            (cause, target)
            for cause, target in combinations([*self.levers, self.external, *self._affected], 2)
            if target in self._affected and target not in reached[cause]
        ]
        between = [pair for pair in draws.shuffle(unrelated) if pair not in common]
        left_alone = [pair for pair in product(self.kept, self.levers) if pair not in self.moves]
        return between[:MAX_DENIED] + draws.shuffle(left_alone)[:1] + common

    def shown(self, name: str) -> str:
        """How a text has the name of a quantity; any other text as it is."""
        name = self.goal if name == GOAL else name
        is_quantity = name in (*self.signs, self.goal, self.trade)
        return name.capitalize() if is_quantity and self.language == "de" else name

    def sign(self, cause: str, target: str) -> int:
        """The sign of the effect of a quantity on another one, or on the goal."""
        return self.signs[cause] * self.signs.get(target, 1)

    @property
    def effects(self) -> list[StatedEffect]:
        """The effects that the front-matter states; none of an excluded offer."""
        signs = {pair: sign for pair, sign in self.moves.items() if pair[0] != self.excluded}
        signs |= {edge: self.sign(*edge) for edge in self.edges}
        effects = [
            StatedEffect(cause, "raises" if sign > 0 else "lowers", target)
            for (cause, target), sign in signs.items()
        ]
        return effects + [StatedEffect(one, "does not affect", other) for one, other in self.denied]

    def draw_graph(self) -> JsonObject:
        """The graph, without an excluded offer, as a good answer gives it."""
        labels = self.words["labels"]
        options: dict[str, JsonObject] = {offer: {} for offer in self.kept}
        for (offer, lever), sign in self.moves.items():
            if offer in options:
                options[offer][lever] = TODAY + MOVE * sign
        # each option leaves one lever alone that another one sets
        shared = set.intersection(*map(set, options.values()))
        options[KEEP] = {lever: TODAY for lever in self.levers if lever not in shared}
        nodes: list[JsonValue] = [{"id": DECISION, "kind": DECISION, "label": labels[DECISION]}]
        edges = [_edge(DECISION, option) for option in options]
        for option, settings in options.items():
            label = labels[KEEP] if option == KEEP else labels["offer"].format(A=option)
            data: JsonObject = {"data": {"interventions": settings}}
            nodes.append({"id": option, "kind": "option", "label": label} | data)
            edges += [_edge(option, lever) for lever in settings]
        roles = dict.fromkeys(self.levers, "lever") | dict.fromkeys(self.factors, "factor")
        roles[self.external] = "external"
        roles |= {name: "outcome" if self.signs[name] > 0 else "risk" for name in self.results}
        for name, role in (*roles.items(), (GOAL, GOAL)):
            label = labels.get(role, labels["quantity"]).format(A=self.shown(name))
            nodes.append({"id": name, "label": label} | MADE_UP["nodes"][role])
        for target in (*self._affected, GOAL):
            causes = [cause for cause, affected in self.edges if affected == target]
            for place, cause in enumerate(causes):
                share = 1.8 * (len(causes) - place) / (len(causes) * (len(causes) + 1))
                mean = self.sign(cause, target) * round(share, 2)
                edges.append(_edge(cause, target, mean, STDS[place % 3], PROBABILITIES[place % 3]))
        parts: JsonObject = {"nodes": nodes, "edges": [*edges], "causal_claims": []}
        return parts | {"coaching": self.words["coaching"]}


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
