"""Whether a graph implies the effects that its brief's front-matter states: concepts are found in
its labels, by the codebook where it holds the label, else by the words of aliases; effects are
calculated from its own numbers.
"""

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeAlias

from graph_evaluator.language.concepts import read_concepts
from graph_evaluator.language.words import normalise
from graph_evaluator.records.brief import GOAL, StatedEffect
from graph_evaluator.records.codebook import label_key
from graph_evaluator.records.graph import Node
from graph_evaluator.records.scorecard import CheckOutcome, CheckResult, EffectOutcome, EffectResult
from graph_evaluator.score.fidelity.subject import (
    CONCEPT_KINDS,
    BriefContent,
    CodedLabels,
    Draft,
    Label,
    not_applicable,
)

CONTRADICTIONS_TO_FAIL = 2
"""So many effects that are wrong by coded labels, and no fewer than right ones, fail."""
EFFECTS_TO_FAIL, CODED_TO_FAIL = 4, 0.9
"""With so many effects, and such a share of the labels coded, too little content fails."""
RIGHT_SHARE_TO_PASS = 1 / 3
NO_EFFECT = 1e-9
"""An effect that is no larger is none."""
_Value: TypeAlias = tuple[float, bool]
"""An effect between two nodes, and whether both labels are coded."""


@dataclass(frozen=True, slots=True)
class Mention:
    """A node whose label names a concept or an option, 1, or -1 where it names the opposite, and
    whether no alias was needed: the codebook says so, or it is the goal.
    """

    node: Node
    polarity: int
    coded: bool


def find_mentions(
    nodes: Iterable[Node], concepts: Mapping[str, Sequence[str]], coded: CodedLabels
) -> dict[str, list[Mention]]:
    """For each concept the factors, outcomes and risks that name it.

    Without a code the words of an alias decide. The name of a concept that no label names so is an
    alias too, of labels that name no other.
    """
    mentions: dict[str, list[Mention]] = {concept: [] for concept in concepts}
    uncoded: list[Node] = []
    for node in nodes:
        if not node.label or node.kind not in CONCEPT_KINDS:
            continue
        for code in coded.concepts.get(label_key(node.label), ()):
            sign = -1 if code.startswith("-") else 1
            mentions[code.removeprefix("-")].append(Mention(node, sign, coded=True))
        if not coded.holds(node):
            uncoded.append(node)
    unread = _add_by_words(mentions, uncoded, concepts)
    unnamed = [concept for concept, named in mentions.items() if not named]
    _add_by_words(mentions, unread, {concept: [concept] for concept in unnamed})
    return mentions


def _add_by_words(
    mentions: dict[str, list[Mention]], nodes: list[Node], concepts: Mapping[str, Sequence[str]]
) -> list[Node]:
    """Add the nodes that name concepts by words; the others are returned."""
    unread: list[Node] = []
    for node in nodes:
        polarities = read_concepts(node.label or "", concepts)
        for concept, polarity in polarities.items():
            mentions[concept].append(Mention(node, polarity, coded=False))
        if not polarities:
            unread.append(node)
    return unread


def find_options(
    options: Sequence[Label], stated: Sequence[Sequence[str]], coded: CodedLabels
) -> list[list[Mention]]:
    """For each stated option the options with a label that name it."""
    mentions: list[list[Mention]] = [[] for _ in stated]
    for option in options:
        is_coded = coded.holds(option.node)
        code = coded.options.get(label_key(option.text))
        for place, aliases in enumerate(stated):
            if code == place if is_coded else has_alias(option.normal, aliases):
                mentions[place].append(Mention(option.node, 1, is_coded))
    return mentions


def identify_options(draft: Draft, subject: BriefContent) -> dict[str, str]:
    """For options of a graph, by their ids, the first alias of the stated option that each is: as
    the codebook says, else the one that its words name and those of no other option.
    """
    stated = subject.expectations.options
    known: dict[str, int] = {}
    by_words: dict[str, set[int]] = {}
    for place, named in enumerate(find_options(draft.options, stated, subject.coded)):
        for mention in named:
            if subject.coded.holds(mention.node):
                known[mention.node.id] = place
            else:
                by_words.setdefault(mention.node.id, set()).add(place)
    while True:
        taken = set(known.values())
        by_words = {name: left - taken for name, left in by_words.items() if name not in known}
        sole = {name: min(left) for name, left in by_words.items() if len(left) == 1}
        rivals = Counter(sole.values())
        found = {name: place for name, place in sole.items() if rivals[place] == 1}
        if not found:
            return {name: stated[place][0] for name, place in known.items()}
        known |= found


def has_alias(label: str, aliases: Sequence[str]) -> bool:
    """Whether a normalised label holds every word of one of the aliases."""
    return any(all(word in label for word in _words_of(alias)) for alias in aliases)


@lru_cache(maxsize=1_000)
def _words_of(alias: str) -> tuple[str, ...]:
    return tuple(normalise(alias).split())


@dataclass(frozen=True, slots=True)
class Meaning:
    """What a graph says about the effects that are stated; no results where none is, and for labels
    in another language than the brief. `coded` is the share of the labels that the codebook holds;
    None without results.
    """

    results: tuple[EffectResult, ...] = ()
    coded: float | None = None

    @property
    def content(self) -> float | None:
        """The share of stated effects that are right; None without any."""
        return self.count("right") / len(self.results) if self.results else None

    def count(self, outcome: EffectOutcome) -> int:
        """How many effects have this outcome."""
        return [result.outcome for result in self.results].count(outcome)


def read_meaning(draft: Draft, subject: BriefContent) -> Meaning:
    """What a valid graph says about the effects that its brief states."""
    effects = subject.expectations.effects
    if not effects or not subject.is_in_language_of(draft.wording):
        return Meaning()
    judge = _EffectJudge(draft, subject)
    coded = subject.coded.share(draft.graph.nodes)
    return Meaning(tuple(judge.judge(effect) for effect in effects), coded)


class _EffectJudge:
    """Evaluates stated effects on one valid graph."""

    def __init__(self, draft: Draft, subject: BriefContent) -> None:
        self._model = draft.model
        self._before = draft.model.levels(draft.model.status_quo)
        stated = subject.expectations
        nodes = draft.graph.nodes
        self._named = find_mentions(nodes, stated.concepts, subject.coded)
        self._named[GOAL] = [Mention(node, 1, coded=True) for node in nodes if node.kind == "goal"]
        self._options: dict[str, list[Mention]] = {}
        mentions = find_options(draft.options, stated.options, subject.coded)
        for aliases, named in zip(stated.options, mentions, strict=True):
            others = [mention for mention in named if mention.node is not draft.model.status_quo]
            for alias in aliases:
                self._options.setdefault(alias.casefold(), others)

    def judge(self, effect: StatedEffect) -> EffectResult:
        """What the graph says about an effect: the largest of those between matching nodes."""
        targets = self._named[effect.target]
        is_of_concept = effect.cause in self._named
        options = self._options.get(effect.cause.casefold(), [])
        causes = self._named.get(effect.cause, options)
        if not targets or not causes:
            return EffectResult(effect=str(effect), outcome="missing")
        between = self._effects_between if is_of_concept else self._changes_by
        values = [entry for entry in between(causes, targets) if math.isfinite(entry[0])]
        value, coded = max(values, key=lambda entry: abs(entry[0]), default=(0.0, False))
        is_denied = effect.verb == "does not affect"
        outcome: EffectOutcome = "wrong"
        if abs(value) <= NO_EFFECT:
            value, outcome = 0.0, "right" if is_denied else "no_path"
        elif not is_denied and (value > 0) == (effect.verb == "raises"):
            outcome = "right"
        return EffectResult(effect=str(effect), outcome=outcome, value=value, coded=coded)

    def _effects_between(
        self, causes: Sequence[Mention], targets: Sequence[Mention]
    ) -> Iterator[_Value]:
        for cause in causes:
            effects = self._model.effects_of(cause.node.id)
            for target in targets:
                if cause.node.id != target.node.id:
                    value = effects[target.node.id] * cause.polarity * target.polarity
                    yield value, cause.coded and target.coded

    def _changes_by(
        self, options: Sequence[Mention], targets: Sequence[Mention]
    ) -> Iterator[_Value]:
        """What the options change at the targets, compared with the status quo."""
        for option in options:
            levels = self._model.levels(option.node)
            for target in targets:
                change = levels[target.node.id] - self._before[target.node.id]
                yield target.polarity * change, option.coded and target.coded


def check_effects(meaning: Meaning, subject: BriefContent, min_content: float) -> CheckResult:
    """Whether the graph implies the effects that the front-matter states; `labels` are those that
    it contradicts, `share` is the content.

    It fails by coded labels alone: where they contradict the brief, or have too little content. Not
    applicable where no effect is stated, and to labels in another language than the brief.
    """
    content = meaning.content
    if content is None:
        message = "The brief's front-matter states no effects."
        if subject.expectations.effects:
            message = "The labels are in another language than the brief."
        return not_applicable("effects", message)
    counts = f"{meaning.count('right')} of the {len(meaning.results)} stated effects are right"
    return CheckResult(
        name="effects",
        outcome=_judge_meaning(meaning, content, min_content),
        message=f"{counts}, {meaning.count('wrong')} wrong, {meaning.count('no_path')} without a "
        f"path, {meaning.count('missing')} without a label.",
        labels=tuple(result.effect for result in meaning.results if result.outcome == "wrong"),
        share=content,
    )


def _judge_meaning(meaning: Meaning, content: float, min_content: float) -> CheckOutcome:
    contradictions = sum(result.outcome == "wrong" and result.coded for result in meaning.results)
    if contradictions >= max(CONTRADICTIONS_TO_FAIL, meaning.count("right")):
        return "fail"
    is_coded = meaning.coded is not None and meaning.coded >= CODED_TO_FAIL
    if is_coded and len(meaning.results) >= EFFECTS_TO_FAIL and content <= min_content:
        return "fail"
    if meaning.count("wrong") or content < RIGHT_SHARE_TO_PASS:
        return "warn"
    return "pass"
