"""Made-up briefs: a decision of an invented trade in words, with its front-matter and its graph.
Each effect is told in one of many ways, in random order, with figures and asides. Pure.
"""

import re
from dataclasses import dataclass
from itertools import permutations

from graph_evaluator.briefs.invention import Decision, Draws, Language, draw_graph, invent
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
VOICES = {1: 0.1, 2: 0.2, 3: 0.2}
"""By level the share of effects that somebody is said to vouch for."""
OWN_TO_LOWER = 2
"""Ways to state an effect of the brief's level for one of a lower level."""


class Teller:
    """Tells a decision; a way to state something is used once."""

    def __init__(self, decision: Decision, draws: Draws) -> None:
        self._decision = decision
        self._draws = draws
        self._phrases: dict[str, list[str]] = {}

    def tell(self) -> str:
        """The text: how things are and which offers there are; what acts on what; the goal. The
        question comes first or last.
        """
        decision, draws = self._decision, self._draws
        offers = draws.shuffle([*decision.settings])
        listed = decision.words["and"].join([", ".join(offers[:-1]), offers[-1]])
        number = decision.words["number_words"][len(offers)]
        beginning = [
            self._say("settings", T=decision.trade),
            self._say("offers", list=listed, k=number),
        ]
        end: list[str] = []
        draws.choose([beginning, end]).append(self._say("goals", G=GOAL))
        question = self._say("questions")
        if draws.chance(0.5):
            beginning.insert(0, question)
        else:
            end.append(question)
        facts = draws.shuffle(self._facts())
        if decision.level > 1:
            repeated = draws.choose(decision.edges)
            facts.append(f"{self._say('repeating')} {self._state(*repeated)}")
        paragraphs = [beginning]
        while facts:
            length = draws.choose((2, 3, 4))
            paragraphs.append(facts[:length])
            facts = facts[length:]
        return "\n\n".join(" ".join(sentences) for sentences in [*paragraphs, end] if sentences)

    def _facts(self) -> list[str]:
        """What the body says, each fact in one or two sentences."""
        decision, draws = self._decision, self._draws
        facts = [
            self._say("options", sign, O=option, A=lever)
            for option, levers in decision.settings.items()
            for lever, sign in levers.items()
        ]
        edges = draws.shuffle(decision.edges)
        if decision.level > 1:
            joined = next(pair for pair in permutations(edges, 2) if _can_be_joined(*pair))
            facts.append(self._state_both(*joined))
            edges = [edge for edge in edges if edge not in joined]
        facts += [self._state(*edge) for edge in edges]
        facts += self._denials()
        facts.append(self._say("outside", A=decision.external))
        if decision.excluded:
            facts += self._say("rules", O=decision.excluded).split("\n")
        quantities = draws.shuffle([*decision.signs])
        for quantity in quantities[: ASIDES[decision.level]]:
            facts += [self._say("figures", A=quantity), self._say("asides")]
        return facts

    def _state(self, cause: str, target: str) -> str:
        statement = self._say("effects", self._decision.sign(cause, target), A=cause, B=target)
        has_voice = self._draws.chance(VOICES[self._decision.level]) and ":" not in statement
        return f"{self._say('voices')} {statement}" if has_voice else statement

    def _state_both(self, first: tuple[str, str], second: tuple[str, str]) -> str:
        """Two effects in one sentence."""
        kind = "double" if first[0] == second[0] else "chain"
        signs = self._decision.sign(*first), self._decision.sign(*second)
        return self._say(kind, *signs, A=first[0], B=first[1], C=second[1])

    def _denials(self) -> list[str]:
        decision, draws = self._decision, self._draws
        denied = [*decision.denied]
        sentences: list[str] = []
        if decision.excluded:
            one, other = denied.pop()
            sign = decision.sign(one, other)
            sentences.append(self._say("common_cause", sign, A=decision.external, B=one, C=other))
        for cause, target in denied:
            believed = draws.choose((1, -1))
            if cause in decision.settings:
                sentences.append(self._say("option_denials", believed, O=cause, A=target))
            else:
                sentences.append(self._say("denials", believed, A=cause, B=target))
        return sentences

    def _say(self, kind: str, first: int = 1, second: int = 1, **names: str) -> str:
        """A phrase of a kind that was not used, with signs and names."""
        if not self._phrases.get(kind):
            self._phrases[kind] = self._shuffled_phrases(kind)
        phrase = self._phrases[kind].pop(0)
        for pattern, sign in ((r"\[(.*?)\|(.*?)\]", first), (r"<(.*?)\|(.*?)>", second)):
            phrase = re.sub(pattern, r"\1" if sign > 0 else r"\2", phrase)
        shown = {slot: self._decision.shown(name) for slot, name in names.items()}
        year, n, m = (int(self._draws.between(*ends)) for ends in ((1951, 2010), (13, 98), (4, 12)))
        text = phrase.format(**shown, year=year, n=n, m=m)
        return text[0].upper() + text[1:]

    def _shuffled_phrases(self, kind: str) -> list[str]:
        phrases = self._decision.words[kind]
        if not isinstance(phrases, dict):
            return self._draws.shuffle(phrases)
        level = self._decision.level
        own = self._draws.shuffle(phrases[str(level)])
        lower = [phrase for number in range(1, level) for phrase in phrases[str(number)]]
        lower = self._draws.shuffle(lower)
        ordered: list[str] = []
        while own or lower:
            ordered += own[:OWN_TO_LOWER] + lower[:1]
            own, lower = own[OWN_TO_LOWER:], lower[1:]
        return ordered


def _can_be_joined(first: tuple[str, str], second: tuple[str, str]) -> bool:
    return first[0] == second[0] or first[1] == second[0]


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
    decision = invent(draws, level, language)
    body = Teller(decision, draws).tell()
    origin = f"--seed {seed} --level {level} --language {language}"
    comment = f"# made up by `graph-evaluator briefs invent {origin}`, version {VERSION}"
    front_matter = "\n".join([comment, *_front_matter(decision).splitlines()])
    brief_id = f"made-up-{seed}-{number:02d}"
    made_up = MadeUpBrief(brief_id, f"---\n{front_matter}\n---\n\n{body}\n", draw_graph(decision))
    _check(made_up, MAX_NODES[level])
    return made_up


def _front_matter(decision: Decision) -> str:
    options: list[JsonValue] = [[name] for name in decision.settings]
    status_quo = decision.words["status_quo"]
    quantities = [*decision.levers, *decision.factors, decision.external, *decision.results]
    content: JsonObject = {
        "complexity": COMPLEXITIES[decision.level - 1],
        "exact_names": True,
        "options": [*options, status_quo],
        "concepts": {name: [name] for name in quantities},
    }
    effects: JsonObject = {"effects": [str(effect) for effect in decision.effects]}
    choice: JsonObject = {"best": decision.best or status_quo[0]}
    if decision.excluded:
        choice["excluded"] = [decision.excluded]
    return written_yaml(content, short_lists=True) + written_yaml(effects | choice)


def _check(made_up: MadeUpBrief, max_nodes: int) -> None:
    """Score the graph of a brief by its front-matter."""
    brief = parse_brief(made_up.id, made_up.text, made_up.id)
    card = Scorer(ScoringRules(), [brief]).score_graph(made_up.graph, brief.id)
    is_true = card.usable and card.content == 1.0 and not card.invented and card.right_choice
    if not is_true or (card.node_count or 0) > max_nodes:
        raise AssertionError(f"{made_up.id} is not what its graph says: {card.to_json()}")
