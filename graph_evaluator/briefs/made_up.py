"""Made-up briefs: decisions of invented trades, in words and with their front-matter. What acts on
what is known, and which option is the best. Pure; a seed gives the same brief for ever.

Every quantity has one sign: that of its effect on the goal along each of its paths. So signs alone
settle which option is the best: it moves its levers the way that serves the goal, all others move
theirs the other way. Each effect is written in one of many ways, in random order, with figures and
asides.
"""

import re
import tomllib
from collections.abc import Sequence
from importlib.resources import files
from itertools import chain, combinations, permutations, product
from typing import Any, TypeVar

from graph_evaluator.records.brief import COMPLEXITIES, GOAL, StatedEffect, targets_reached
from graph_evaluator.records.json_text import JsonObject, JsonValue
from graph_evaluator.records.record import written_yaml
from graph_evaluator.simulate.characters import Stream

LANGUAGES = ("en", "de")
MADE_UP: dict[str, Any] = tomllib.loads(
    files("graph_evaluator.briefs").joinpath("made_up.toml").read_text(encoding="utf-8")
)
"""The content of `made_up.toml`."""
VERSION = 1
"""Of draws and phrases: another version gives other briefs for the same seed."""
STATUS_QUO_IS_BEST = 1 / 6
MAX_DENIED = 2
ASIDES = {1: 1, 2: 3, 3: 3}
"""By level the number of asides, and of figures."""
VOUCHED_FOR = 0.2
"""The chance that somebody is said to vouch for an effect."""
MAX_SIMPLER = 10
"""Phrases of lower levels that are used besides those of the brief's level."""
Drawn = TypeVar("Drawn")
NamePair = tuple[str, str]


class Draws(Stream):
    """Draws from sequences."""

    def choose(self, values: Sequence[Drawn]) -> Drawn:
        """One of the values."""
        return values[int(self.between(0, len(values)))]

    def shuffle(self, values: Sequence[Drawn]) -> list[Drawn]:
        """The values in another order."""
        return sorted(values, key=lambda _: self.between(0, 1))


class InventedDecision:
    """An invented decision of a level, 1 to 3: offers and quantities by their names. `number` says
    which one of the seed, from 1.

    Attributes:
        draws: What is drawn for it, next for its text.
        signs: The sign of each quantity's effect on the goal.
        moves: For each offer and lever that it moves the direction.
        edges: The effects between quantities and on the goal.
        denied: What does not affect what; at level 3 the last pair are two results that have
            `external` as their common cause.
        best: The best offer; None for the status quo.
        excluded: At level 3 the offer that a rule excludes.
    """

    def __init__(self, seed: int, number: int, level: int, language: str) -> None:
        key = (str(VERSION), language, str(level), str(seed), str(number))
        self.draws = draws = Draws("made-up brief", *key)
        self.id = f"made-up-{seed}-{number:02d}"
        self.origin = f"--seed {seed} --level {level} --language {language}"
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
        self.edges = self._draw_edges()
        self.offers = draws.shuffle(MADE_UP["offers"].split())[: kept + (level == 3)]
        self.best = None if draws.chance(STATUS_QUO_IS_BEST) else self.offers[0]
        self.excluded = self.offers[kept] if level == 3 else None
        self.moves: dict[NamePair, int] = {}
        for offer, levers in zip(self.offers, self._draw_levers(kept), strict=False):
            direction = 1 if offer in (self.best, self.excluded) else -1
            self.moves |= {(offer, lever): direction * self.signs[lever] for lever in levers}
        self.kept = self.offers[:kept]
        self.denied: list[NamePair] = []
        if level > 1:
            self.denied = self._draw_denied()
        self._phrases: dict[str, list[str]] = {}
        """By their kind those that are left; one is used again only where all of its kind are."""

    def _draw_edges(self) -> list[NamePair]:
        """Each factor and result has a cause, each lever and factor an effect."""
        draws, levers, results = self.draws, self.levers, self.results
        edges = [(draws.choose(levers), factor) for factor in self.factors]
        edges += [(draws.choose([*levers, *self.factors]), result) for result in results]
        busy = {cause for cause, _ in edges}
        idle = [name for name in (*levers, *self.factors) if name not in busy]
        edges += [(name, draws.choose(results)) for name in (*idle, draws.choose(levers))]
        driven = results[:2] if self.level == 3 else [draws.choose(self._affected)]
        edges += [(self.external, name) for name in driven]
        edges += [(result, GOAL) for result in results]
        return list(dict.fromkeys(edges))

    def _draw_levers(self, kept: int) -> list[tuple[str, ...]]:
        """One or two levers for each offer, no two alike, and every lever for one that is kept."""
        choices = [*combinations(self.levers, 1), *combinations(self.levers, 2)]
        while True:
            moved = self.draws.shuffle(choices)
            if {*chain.from_iterable(moved[:kept])} == {*self.levers}:
                return moved

    def _draw_denied(self) -> list[NamePair]:
        """Pairs of quantities, an offer with a lever that it leaves alone, the common effects."""
        reached = targets_reached(self.effects)
        common = [(self.results[0], self.results[1])] if self.level == 3 else []
        unrelated = [
            (cause, target)
            for cause, target in combinations([*self.levers, self.external, *self._affected], 2)
            if target in self._affected and target not in reached[cause]
        ]
        between = [pair for pair in self.draws.shuffle(unrelated) if pair not in common]
        left_alone = [pair for pair in product(self.kept, self.levers) if pair not in self.moves]
        return between[:MAX_DENIED] + self.draws.shuffle(left_alone)[:1] + common

    def shown(self, name: str) -> str:
        """How a text has the name of a quantity; any other text as it is."""
        name = self.goal if name == GOAL else name
        is_quantity = name in (*self.signs, self.goal, self.trade)
        return name.capitalize() if is_quantity and self.language == "de" else name

    def sign(self, cause: str, target: str) -> int:
        """The sign of the effect of an offer on a lever, or of a quantity on another one or on the
        goal.
        """
        return self.moves.get((cause, target)) or self.signs[cause] * self.signs.get(target, 1)

    @property
    def effects(self) -> list[StatedEffect]:
        """The effects that the front-matter states; none of an excluded offer."""
        effects = [
            StatedEffect(cause, "raises" if self.sign(cause, target) > 0 else "lowers", target)
            for cause, target in (*self.moves, *self.edges)
            if cause != self.excluded
        ]
        return effects + [StatedEffect(one, "does not affect", other) for one, other in self.denied]

    def front_matter(self) -> str:
        """What the front-matter states, as YAML."""
        status_quo = self.words["status_quo"]
        options: list[JsonValue] = [[offer] for offer in self.offers]
        content: JsonObject = {
            "complexity": COMPLEXITIES[self.level - 1],
            "exact_names": True,
            "options": [*options, status_quo],
            "concepts": {name: [name] for name in self.signs},
        }
        stated: JsonObject = {
            "effects": [str(effect) for effect in self.effects],
            "best": self.best or status_quo[0],
        }
        if self.excluded:
            stated["excluded"] = [self.excluded]
        return written_yaml(content, short_lists=True) + written_yaml(stated)

    def tell(self) -> str:
        """The decision in words: how things are and which offers there are; what acts on what; the
        goal. The question comes first or last.
        """
        draws = self.draws
        offers = draws.shuffle(self.offers)
        listed = self.words["and"].join([", ".join(offers[:-1]), offers[-1]])
        number = self.words["number_words"][len(offers)]
        beginning = [self._say("settings", self.trade), self._say("offers", listed, number)]
        end: list[str] = []
        draws.choose([beginning, end]).append(self._say("goals", GOAL))
        place, paragraph = draws.choose([(0, beginning), (1, end)])
        paragraph.insert(place, self._say("questions"))
        facts = draws.shuffle(self._facts())
        if self.level > 1:
            facts.append(f"{self._say('repeating')} {self._state(draws.choose(self.edges))}")
        paragraphs = [beginning]
        while facts:
            length = draws.choose((2, 3, 4))
            paragraphs.append(facts[:length])
            facts = facts[length:]
        return "\n\n".join(" ".join(sentences) for sentences in [*paragraphs, end] if sentences)

    def _facts(self) -> list[str]:
        """What the body says, each fact in one or two sentences."""
        draws = self.draws
        facts = [self._say("outside", self.external)]
        edges, denied = draws.shuffle(self.edges), [*self.denied]
        if self.level > 1:
            first, second = next(pair for pair in permutations(edges, 2) if pair[1][0] in pair[0])
            kind = "double" if first[0] == second[0] else "chain"
            signs = (self.sign(*first), self.sign(*second))
            facts.append(self._say(kind, *first, second[1], signs=signs))
            edges = [edge for edge in edges if edge not in (first, second)]
        if self.excluded:
            facts += self._say("rules", self.excluded).split("\n")
            pair = denied.pop()
            signs = (self.sign(*pair), 1)
            facts.append(self._say("common_cause", self.external, *pair, signs=signs))
        for cause, target in denied:
            kind = "denials" if cause in self.signs else "option_denials"
            facts.append(self._say(kind, cause, target, signs=(draws.choose((1, -1)), 1)))
        facts += map(self._state, self.moves)
        for statement in map(self._state, edges):
            is_vouched_for = draws.chance(VOUCHED_FOR) and ":" not in statement
            facts.append(f"{self._say('voices')} {statement}" if is_vouched_for else statement)
        for quantity in draws.shuffle([*self.signs])[: ASIDES[self.level]]:
            facts += [self._say("figures", quantity), self._say("asides")]
        return facts

    def _state(self, pair: NamePair) -> str:
        """An effect in one sentence."""
        kind = "options" if pair in self.moves else "effects"
        return self._say(kind, *pair, signs=(self.sign(*pair), 1))

    def _say(self, kind: str, *names: str, signs: tuple[int, int] = (1, 1)) -> str:
        """A phrase of a kind, with names for its slots A, B and C, and with signs."""
        if not self._phrases.get(kind):
            self._phrases[kind] = self._shuffled_phrases(kind)
        phrase = self._phrases[kind].pop()
        for brackets, sign in zip((r"\[(.*?)\|(.*?)\]", r"<(.*?)\|(.*?)>"), signs, strict=True):
            phrase = re.sub(brackets, r"\1" if sign > 0 else r"\2", phrase)
        slots: dict[str, object] = dict(zip("ABC", map(self.shown, names), strict=False))
        for slot, ends in {"year": (1951, 2010), "n": (13, 98), "m": (4, 12)}.items():
            slots[slot] = int(self.draws.between(*ends))
        text = phrase.format(**slots)
        return text[0].upper() + text[1:]

    def _shuffled_phrases(self, kind: str) -> list[str]:
        phrases = self.words[kind]
        if not isinstance(phrases, dict):
            return self.draws.shuffle(phrases)
        simpler = [phrase for number in range(1, self.level) for phrase in phrases[str(number)]]
        chosen = self.draws.shuffle(simpler)[:MAX_SIMPLER]
        return self.draws.shuffle([*phrases[str(self.level)], *chosen])


def made_up_text(decision: InventedDecision) -> str:
    """The text of the brief's file."""
    made_by = f"made up by `graph-evaluator briefs invent {decision.origin}`, version {VERSION}"
    return f"---\n# {made_by}\n{decision.front_matter()}---\n\n{decision.tell()}\n"
