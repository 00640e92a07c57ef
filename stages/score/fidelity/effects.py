"""Whether a graph implies the effects that its brief's front-matter states: concepts are found in
its labels, and effects are calculated from its own numbers.
"""

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import regex

from stages.contracts.brief import GOAL, Expectations, StatedEffect
from stages.contracts.graph import Node
from stages.contracts.scorecard import CheckOutcome, CheckResult, EffectOutcome, EffectResult
from stages.language.words import ABBREVIATION_LETTERS, normalise, split_names
from stages.score.causal_model import CausalModel
from stages.score.fidelity.consistency import labels_with_alias, not_applicable
from stages.score.fidelity.subject import BriefContent
from stages.structure.topology import Topology

CONCEPT_KINDS = ("factor", "outcome", "risk")
INSIDE_LETTERS = 5
"""A word of so many letters is found inside other words too."""
NEGATIONS = ("dis", "un", "non")
WRONG_TO_FAIL = 2
"""So many wrong effects, and no fewer than right ones, fail."""
RIGHT_SHARE_TO_PASS = 1 / 3
NO_EFFECT = 1e-9
"""An effect that is no larger is none."""

_LETTER = regex.compile(r"\p{L}")
_OTHER_SCRIPT = regex.compile(r"(?!\p{Latin})\p{L}")
_ABBREVIATION = regex.compile(rf"\b(\p{{L}}{{{ABBREVIATION_LETTERS},}}+)\.")
_SEPARATORS = regex.compile(r"[^\w\p{M}\p{Sc}%]+")


@dataclass(frozen=True, slots=True)
class Mention:
    """A node whose label names a concept, the alias that it names it by, and 1, or -1 where it
    names the opposite.
    """

    concept: str
    node: Node
    alias: str
    polarity: int


def find_mentions(nodes: Iterable[Node], concepts: Mapping[str, Sequence[str]]) -> list[Mention]:
    """The factors, outcomes and risks that name each concept.

    The longest alias of which a label holds every word decides; of equal ones the opposite.
    """
    named = [node for node in nodes if node.label and node.kind in CONCEPT_KINDS]
    labels = [_read_label(node.label or "") for node in named]
    mentions: list[Mention] = []
    for concept, aliases in concepts.items():
        words_by_alias = _by_preference(tuple(aliases))
        for node, label in zip(named, labels, strict=True):
            for alias, words in words_by_alias:
                if all(map(label.holds, words)):
                    polarity = -1 if alias.startswith("-") else 1
                    mentions.append(Mention(concept, node, alias, polarity))
                    break
    return mentions


@lru_cache(maxsize=1_000)
def _by_preference(aliases: tuple[str, ...]) -> list[tuple[str, list[str]]]:
    """The aliases with their words: the longest first, of equal ones the opposite."""
    words = {
        alias: [_comparable(word) for word in alias.removeprefix("-").split()] for alias in aliases
    }
    return sorted(
        words.items(), key=lambda entry: (-len(" ".join(entry[1])), not entry[0].startswith("-"))
    )


def _comparable(text: str) -> str:
    """A text as labels and aliases are compared: joined names split, one space between words."""
    separated: str = _SEPARATORS.sub(" ", normalise(split_names(text)))
    return separated.strip()


@dataclass(frozen=True, slots=True)
class _ConceptLabel:
    """A label in which words of aliases are looked for: its words with a space before each, and
    those of them that are abbreviated.
    """

    text: str
    abbreviations: tuple[str, ...]

    def holds(self, word: str) -> bool:
        """True if the label has a word of an alias: from a word's start or abbreviated; a longer
        one also inside, but not behind dis-, un- or non-; one of another script than Latin
        anywhere.
        """
        text = self.text
        if word not in text:
            return bool(self.abbreviations) and word.startswith(self.abbreviations)
        if f" {word}" in text or _OTHER_SCRIPT.search(word):
            return True
        if len(_LETTER.findall(word)) < INSIDE_LETTERS:
            return False
        for negation in NEGATIONS:
            text = text.replace(f" {negation}{word}", " ")
        return word in text


def _read_label(label: str) -> _ConceptLabel:
    abbreviated = _ABBREVIATION.findall(split_names(label))
    return _ConceptLabel(f" {_comparable(label)}", tuple(map(normalise, abbreviated)))


class EffectJudge:
    """Evaluates stated effects on one valid graph."""

    def __init__(
        self,
        topology: Topology,
        status_quo: Node | None,
        model: CausalModel,
        expectations: Expectations,
    ) -> None:
        self._topology = topology
        self._status_quo = status_quo
        self._model = model
        self._stated_options = expectations.options
        self._polarities: dict[str, dict[str, int]] = {name: {} for name in expectations.concepts}
        for mention in find_mentions(topology.graph.nodes, expectations.concepts):
            self._polarities[mention.concept][mention.node.id] = mention.polarity
        self._polarities[GOAL] = dict.fromkeys(topology.ids_of("goal"), 1)

    def judge(self, effect: StatedEffect) -> EffectResult:
        """What the graph says about an effect: the largest of those between matching nodes."""
        values = self._values(effect)
        if values is None:
            return EffectResult(effect=str(effect), outcome="missing")
        value = max(filter(math.isfinite, values), key=abs, default=0.0)
        if abs(value) <= NO_EFFECT:
            return EffectResult(effect=str(effect), outcome="no_path", value=0.0)
        is_right = (value > 0) == (effect.verb == "raises")
        outcome: EffectOutcome = "right" if is_right else "wrong"
        return EffectResult(effect=str(effect), outcome=outcome, value=value)

    def _values(self, effect: StatedEffect) -> list[float] | None:
        """The effects between matching nodes; None where the cause or the target has none."""
        targets = self._polarities[effect.target]
        causes = self._polarities.get(effect.cause)
        if causes is not None:
            return self._effects_between(causes, targets) if causes and targets else None
        options = self._options_called(effect.cause)
        return self._changes_by(options, targets) if options and targets else None

    def _effects_between(
        self, causes: Mapping[str, int], targets: Mapping[str, int]
    ) -> list[float]:
        values: list[float] = []
        for cause, cause_polarity in causes.items():
            effects_of_cause = self._model.effects_of(cause)
            for target, target_polarity in targets.items():
                if cause != target:
                    values.append(effects_of_cause[target] * cause_polarity * target_polarity)
        return values

    def _changes_by(self, options: Sequence[Node], targets: Mapping[str, int]) -> list[float]:
        """What the options change at the targets, compared with the status quo."""
        status_quo = self._model.levels(self._status_quo.interventions if self._status_quo else {})
        changes: list[float] = []
        for option in options:
            levels = self._model.levels(option.interventions)
            for target, polarity in targets.items():
                changes.append(polarity * (levels[target] - status_quo[target]))
        return changes

    def _options_called(self, alias: str) -> list[Node]:
        """The options of the graph, but the status quo, that the front-matter's option with this
        alias has a label of.
        """
        wanted = alias.casefold()
        aliases = next(
            names for names in self._stated_options if wanted in [name.casefold() for name in names]
        )
        options = [node for node in self._topology.of_kind("option") if node.label]
        fitting = labels_with_alias(aliases, [normalise(node.label or "") for node in options])
        named = [options[index] for index in fitting]
        return [option for option in named if option is not self._status_quo]


def content_of(results: Sequence[EffectResult]) -> float | None:
    """The share of stated effects that are right; None without any."""
    if not results:
        return None
    return [result.outcome for result in results].count("right") / len(results)


def check_effects(results: Sequence[EffectResult], subject: BriefContent) -> CheckResult:
    """Whether the graph implies the effects that the front-matter states; `share` is the content.

    Not applicable where none is stated, and to labels in another language than the brief, which
    have no results.
    """
    if not results:
        message = "The brief's front-matter states no effects."
        if subject.expectations.effects:
            message = "The labels are in another language than the brief."
        return not_applicable("effects", message)
    counts = Counter(result.outcome for result in results)
    outcome: CheckOutcome = "pass"
    if counts["wrong"] >= max(WRONG_TO_FAIL, counts["right"]):
        outcome = "fail"
    elif counts["wrong"] or counts["right"] < RIGHT_SHARE_TO_PASS * len(results):
        outcome = "warn"
    return CheckResult(
        name="effects",
        outcome=outcome,
        message=f"{counts['right']} of the {len(results)} stated effects are right, "
        f"{counts['wrong']} wrong, {counts['no_path']} without a path, "
        f"{counts['missing']} without a label.",
        labels=tuple(result.effect for result in results if result.outcome != "right"),
        share=content_of(results),
    )
