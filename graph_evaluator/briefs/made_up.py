"""Made-up briefs: a decision of an invented trade in words, with its front-matter and its graph.
Each effect is written in one of many ways, in random order, with figures and asides. Pure.
"""

import re
from dataclasses import dataclass
from itertools import permutations

from graph_evaluator.briefs.invention import Draws, InventedDecision, Language, NamePair
from graph_evaluator.records.brief import COMPLEXITIES, GOAL, parse_brief
from graph_evaluator.records.json_text import JsonObject, JsonValue
from graph_evaluator.records.params import ScoringRules
from graph_evaluator.records.record import written_yaml
from graph_evaluator.score import Scorer

VERSION = 1
"""Of draws and phrases: another version gives other briefs for the same seed."""
MAX_NODES = {1: 12, 2: 12, 3: 16}
ASIDES = {1: 1, 2: 3, 3: 3}
"""By level the number of asides, and of figures."""
VOUCHED_FOR = 0.2
"""The chance that somebody is said to vouch for an effect."""
MAX_SIMPLER = 10
"""Phrases of lower levels that are used besides those of the brief's level."""


class Teller:
    """Tells a decision; a phrase is used again only where all of its kind are used."""

    def __init__(self, decision: InventedDecision, draws: Draws) -> None:
        self._decision = decision
        self._draws = draws
        self._phrases: dict[str, list[str]] = {}

    def tell(self) -> str:
        """The text: how things are and which offers there are; what acts on what; the goal. The
        question comes first or last.
        """
        decision, draws = self._decision, self._draws
        offers = draws.shuffle([*dict.fromkeys(offer for offer, _ in decision.moves)])
        listed = decision.words["and"].join([", ".join(offers[:-1]), offers[-1]])
        number = decision.words["number_words"][len(offers)]
        beginning = [self._say("settings", decision.trade), self._say("offers", listed, number)]
        end: list[str] = []
        draws.choose([beginning, end]).append(self._say("goals", GOAL))
        place, paragraph = draws.choose([(0, beginning), (1, end)])
        paragraph.insert(place, self._say("questions"))
        facts = draws.shuffle(self._facts())
        if decision.level > 1:
            facts.append(f"{self._say('repeating')} {self._state(draws.choose(decision.edges))}")
        paragraphs = [beginning]
        while facts:
            length = draws.choose((2, 3, 4))
            paragraphs.append(facts[:length])
            facts = facts[length:]
        return "\n\n".join(" ".join(sentences) for sentences in [*paragraphs, end] if sentences)

    def _facts(self) -> list[str]:
        """What the body says, each fact in one or two sentences."""
        decision, draws = self._decision, self._draws
        facts = [self._say("outside", decision.external)]
        edges, denied = draws.shuffle(decision.edges), [*decision.denied]
        if decision.level > 1:
            first, second = next(pair for pair in permutations(edges, 2) if pair[1][0] in pair[0])
            kind = "double" if first[0] == second[0] else "chain"
            signs = (decision.sign(*first), decision.sign(*second))
            facts.append(self._say(kind, *first, second[1], signs=signs))
            edges = [edge for edge in edges if edge not in (first, second)]
        if decision.excluded:
            facts += self._say("rules", decision.excluded).split("\n")
            pair = denied.pop()
            signs = (decision.sign(*pair), 1)
            facts.append(self._say("common_cause", decision.external, *pair, signs=signs))
        for cause, target in denied:
            kind = "denials" if cause in decision.signs else "option_denials"
            facts.append(self._say(kind, cause, target, signs=(draws.choose((1, -1)), 1)))
        facts += map(self._state, decision.moves)
        for statement in map(self._state, edges):
            is_vouched_for = draws.chance(VOUCHED_FOR) and ":" not in statement
            facts.append(f"{self._say('voices')} {statement}" if is_vouched_for else statement)
        for quantity in draws.shuffle([*decision.signs])[: ASIDES[decision.level]]:
            facts += [self._say("figures", quantity), self._say("asides")]
        return facts

    def _state(self, pair: NamePair) -> str:
        """An effect in one sentence."""
        moves = self._decision.moves
        if pair in moves:
            return self._say("options", *pair, signs=(moves[pair], 1))
        return self._say("effects", *pair, signs=(self._decision.sign(*pair), 1))

    def _say(self, kind: str, *names: str, signs: tuple[int, int] = (1, 1)) -> str:
        """A phrase of a kind, with names for its slots A, B and C, and with signs."""
        if not self._phrases.get(kind):
            self._phrases[kind] = self._shuffled_phrases(kind)
        phrase = self._phrases[kind].pop()
        for brackets, sign in zip((r"\[(.*?)\|(.*?)\]", r"<(.*?)\|(.*?)>"), signs, strict=True):
            phrase = re.sub(brackets, r"\1" if sign > 0 else r"\2", phrase)
        slots: dict[str, object] = dict(zip("ABC", map(self._decision.shown, names), strict=False))
        for slot, ends in {"year": (1951, 2010), "n": (13, 98), "m": (4, 12)}.items():
            slots[slot] = int(self._draws.between(*ends))
        text = phrase.format(**slots)
        return text[0].upper() + text[1:]

    def _shuffled_phrases(self, kind: str) -> list[str]:
        phrases, level = self._decision.words[kind], self._decision.level
        if not isinstance(phrases, dict):
            return self._draws.shuffle(phrases)
        simpler = [phrase for number in range(1, level) for phrase in phrases[str(number)]]
        chosen = self._draws.shuffle(simpler)[:MAX_SIMPLER]
        return self._draws.shuffle([*phrases[str(level)], *chosen])


@dataclass(frozen=True, slots=True)
class MadeUpBrief:
    """A made-up brief: its id, the text of its file, and the graph that it describes."""

    id: str
    text: str
    graph: JsonObject


def make_up_brief(seed: int, number: int, level: int, language: Language) -> MadeUpBrief:
    """The brief of this number, from 1: the same for ever.

    Raises:
        AssertionError: its graph is not valid, or not what its front-matter states.
    """
    draws = Draws("made-up brief", str(VERSION), language, str(level), str(seed), str(number))
    decision = InventedDecision(draws, level, language)
    body = Teller(decision, draws).tell()
    brief_id = f"made-up-{seed}-{number:02d}"
    origin = f"--seed {seed} --level {level} --language {language}"
    comment = f"# made up by `graph-evaluator briefs invent {origin}`, version {VERSION}"
    text = f"---\n{comment}\n{_front_matter(decision)}---\n\n{body}\n"
    brief, graph = parse_brief(brief_id, text, brief_id), decision.draw_graph()
    card = Scorer(ScoringRules(), [brief]).score_graph(graph, brief.id)
    is_true = card.usable and card.content == 1.0 and not card.invented and card.right_choice
    if not is_true or (card.node_count or 0) > MAX_NODES[level]:
        raise AssertionError(f"{brief_id} does not state what its graph says")
    return MadeUpBrief(brief_id, text, graph)


def _front_matter(decision: InventedDecision) -> str:
    status_quo = decision.words["status_quo"]
    offers: list[JsonValue] = [
        [offer] for offer in dict.fromkeys(pair[0] for pair in decision.moves)
    ]
    content: JsonObject = {
        "complexity": COMPLEXITIES[decision.level - 1],
        "exact_names": True,
        "options": [*offers, status_quo],
        "concepts": {name: [name] for name in decision.signs},
    }
    stated: JsonObject = {
        "effects": [str(effect) for effect in decision.effects],
        "best": decision.best or status_quo[0],
    }
    if decision.excluded:
        stated["excluded"] = [decision.excluded]
    return written_yaml(content, short_lists=True) + written_yaml(stated)
