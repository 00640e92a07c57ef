"""Whether a graph implies the effects that its brief's front-matter states: concepts are found in
its labels, by the codebook or by exact names; effects are calculated from its own numbers.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import product

from graph_evaluator.graph.evidence import named_nodes
from graph_evaluator.language.concepts import read_concepts, read_names
from graph_evaluator.language.words import normalise
from graph_evaluator.records.brief import GOAL, StatedEffect, targets_reached
from graph_evaluator.records.codebook import label_key
from graph_evaluator.records.graph import Node
from graph_evaluator.records.scorecard import (
    EFFECT_OUTCOMES,
    CheckOutcome,
    CheckResult,
    EffectOutcome,
    EffectResult,
)
from graph_evaluator.score.fidelity.subject import (
    CONCEPT_KINDS,
    BriefContent,
    Draft,
    not_applicable,
)

CODED_TO_MEASURE = 0.9
"""Content is measured where at least this share of the labels is coded."""
CONTRADICTIONS_TO_FAIL = 2
"""Fails with at least this number of wrong effects, if they are at least as many as the right."""
EFFECTS_TO_FAIL = 4
"""Low content fails only with at least this number of stated effects."""
RIGHT_SHARE_TO_PASS = 1 / 3
NO_EFFECT = 1e-9
"""An effect that is no larger is none."""
Reader = Callable[[Node], Mapping[str, int]]
"""The concepts that the label of a node names: 1, or -1 for the opposite."""
Mention = tuple[Node, int]
"""A node whose label names a concept, or an option: 1, or -1 where it names the opposite."""


def find_options(draft: Draft, subject: BriefContent) -> list[list[Node]]:
    """For each stated option the options with a label that name it."""
    stated, coded = subject.expectations.options, subject.coded
    named: list[list[Node]] = [[] for _ in stated]
    for option in draft.options:
        is_coded = coded.holds(option.node)
        code = coded.options.get(label_key(option.text))
        for place, aliases in enumerate(stated):
            if code == place if is_coded else has_alias(option.normal, aliases):
                named[place].append(option.node)
    return named


def identify_options(draft: Draft, subject: BriefContent) -> dict[str, str]:
    """For options of a graph, by their ids, the first alias of the stated option that each is: as
    the codebook says, else the only one that its words name, and those of no other option.
    """
    stated = subject.expectations.options
    named = find_options(draft, subject)
    times = Counter(node.id for nodes in named for node in nodes)
    return {
        node.id: aliases[0]
        for aliases, nodes in zip(stated, named, strict=True)
        for node in nodes
        if times[node.id] == 1 and (len(nodes) == 1 or subject.coded.holds(node))
    }


def has_alias(label: str, aliases: Sequence[str]) -> bool:
    """Whether a normalised label contains every word of one of the aliases."""
    return any(all(word in label for word in _words_of(alias)) for alias in aliases)


@lru_cache(maxsize=1_000)
def _words_of(alias: str) -> tuple[str, ...]:
    return tuple(normalise(alias).split())


@dataclass(frozen=True, slots=True)
class Meaning:
    """What a graph says about the effects that are stated; no results where its content is not
    measured.

    Of a brief with exact names, `drawn` is the number of effects between its concepts that the
    graph has, and `invented` those of them that do not follow from the stated ones.
    """

    results: tuple[EffectResult, ...] = ()
    drawn: int | None = None
    invented: tuple[str, ...] = ()

    @property
    def content(self) -> float | None:
        """The share of stated effects that are right; None where it is not measured."""
        return self.counts["right"] / len(self.results) if self.results else None

    @property
    def counts(self) -> dict[EffectOutcome, int]:
        """How many effects have each outcome; empty where content is not measured."""
        outcomes = [result.outcome for result in self.results]
        return {outcome: outcomes.count(outcome) for outcome in EFFECT_OUTCOMES if outcomes}


def read_meaning(draft: Draft, subject: BriefContent) -> Meaning:
    """What a valid graph says about the effects that its brief states, where its labels are coded
    or the names are exact.
    """
    stated = subject.expectations
    if not stated.exact_names:
        if (subject.coded.share(draft.graph.nodes) or 0.0) < CODED_TO_MEASURE:
            return Meaning()
        return Meaning(_EffectJudge(draft, subject, subject.coded.read).judge_all())
    by_names = _EffectJudge(draft, subject, lambda node: read_names(node.name, stated.concepts))
    drawn = by_names.drawn_effects()
    true_targets = targets_reached(stated.effects)
    invented = [pair for pair in sorted(drawn) if pair[1] not in true_targets.get(pair[0], ())]
    texts = tuple(f"{cause} affects {target}" for cause, target in invented)
    return Meaning(by_names.judge_all(), len(drawn), texts)


def read_by_words(draft: Draft, subject: BriefContent) -> tuple[EffectResult, ...]:
    """What a valid graph seems to say about the stated effects, labels without a code by the words
    of aliases: for authors and coders only, as words misread labels.
    """
    stated, coded = subject.expectations, subject.coded
    if stated.exact_names:
        return read_meaning(draft, subject).results

    def read(node: Node) -> Mapping[str, int]:
        is_coded = coded.holds(node)
        return coded.read(node) if is_coded else read_concepts(node.name, stated.concepts)

    return _EffectJudge(draft, subject, read).judge_all()


class _EffectJudge:
    """Evaluates stated effects on one valid graph, whose labels name concepts."""

    def __init__(self, draft: Draft, subject: BriefContent, read: Reader) -> None:
        self._model = draft.model
        self._before = draft.model.levels(draft.model.status_quo)
        stated, nodes = subject.expectations, draft.graph.nodes
        self._effects = stated.effects
        self._named: dict[str, list[Mention]] = {concept: [] for concept in stated.concepts}
        self._named[GOAL] = [(node, 1) for node in nodes if node.kind == "goal"]
        for node in nodes:
            if node.label and node.kind in CONCEPT_KINDS:
                for concept, polarity in read(node).items():
                    self._named[concept].append((node, polarity))
        self._options: dict[str, list[Mention]] = {}
        options = find_options(draft, subject)
        for aliases, named_so in zip(stated.options, options, strict=True):
            others = [(node, 1) for node in named_so if node is not draft.model.status_quo]
            for alias in aliases:
                self._options.setdefault(alias.casefold(), others)

    def judge_all(self) -> tuple[EffectResult, ...]:
        """What the graph says about each effect."""
        return tuple(map(self._judge, self._effects))

    def _judge(self, effect: StatedEffect) -> EffectResult:
        """What the graph says about an effect: the largest of those between matching nodes."""
        options = self._options.get(effect.cause.casefold(), [])
        causes = self._named.get(effect.cause, options)
        targets = self._named[effect.target]
        ends = ((effect.cause, causes), (effect.target, targets))
        unnamed = tuple(name for name, mentions in ends if not mentions)
        nodes: Iterable[str] = (node.id for node, _ in (*causes, *targets))
        value: float | None = None
        outcome: EffectOutcome = "missing"
        if not unnamed:
            changes = self._changes(causes, targets)
            measured = [change for change in changes if math.isfinite(change[0])]
            value, nodes = max(measured, key=lambda change: abs(change[0]), default=(0.0, ()))
            outcome = _outcome(effect, value)
        return EffectResult(
            effect=str(effect),
            outcome=outcome,
            value=value,
            unnamed=unnamed,
            nodes=named_nodes(nodes),
        )

    def _changes(
        self, causes: Sequence[Mention], targets: Sequence[Mention]
    ) -> Iterator[tuple[float, tuple[str, str]]]:
        """What each cause changes at each target, an option compared with the status quo, with the
        ids of both.
        """
        for cause, cause_sign in causes:
            if cause.kind == "option":
                levels = self._model.levels(cause)
                effects = {name: level - self._before[name] for name, level in levels.items()}
            else:
                effects = self._model.effects_of(cause.id)
            for target, target_sign in targets:
                if cause.id != target.id:
                    value = effects[target.id] * cause_sign * target_sign
                    yield value, (cause.id, target.id)

    def drawn_effects(self) -> frozenset[tuple[str, str]]:
        """Pairs of concepts: the first leads to the second, by causal edges that have an effect,
        without passing a third.
        """
        following: defaultdict[str, list[str]] = defaultdict(list)
        for edge, mean in zip(self._model.edges, self._model.means, strict=True):
            if mean and edge.exists_probability:
                following[edge.source].append(edge.target)
        names: dict[str, list[str]] = {}
        for concept, mentions in self._named.items():
            for node, _ in mentions:
                names.setdefault(node.id, []).append(concept)
        drawn: set[tuple[str, str]] = set()
        for start, causes in names.items():
            pending, reached = [*following[start]], set[str]()
            while pending:
                place = pending.pop()
                if place in names:
                    drawn.update(product(causes, names[place]))
                elif place not in reached:
                    reached.add(place)
                    pending += following[place]
        return frozenset(pair for pair in drawn if pair[0] != pair[1])


def _outcome(effect: StatedEffect, value: float) -> EffectOutcome:
    is_denied = effect.verb == "does not affect"
    if abs(value) <= NO_EFFECT:
        return "right" if is_denied else "missing"
    return "right" if not is_denied and (value > 0) == (effect.verb == "raises") else "wrong"


def check_effects(meaning: Meaning, subject: BriefContent, min_content: float) -> CheckResult:
    """Whether the graph implies the effects that the front-matter states; `labels` are those that
    it contradicts, `share` is the content.

    It fails where the graph contradicts the brief, or has too little content. Not applicable where
    no effect is stated or content is not measured.
    """
    content = meaning.content
    if content is None:
        message = "The brief's front-matter states no effects."
        if subject.expectations.effects:
            message = "Fewer than 90 % of the labels are coded: `graph-evaluator briefs code`."
        return not_applicable("effects", message)
    counts, stated = meaning.counts, len(meaning.results)
    right, wrong = counts["right"], counts["wrong"]
    outcome: CheckOutcome = "warn" if wrong or content < RIGHT_SHARE_TO_PASS else "pass"
    is_empty = stated >= EFFECTS_TO_FAIL and content <= min_content
    if is_empty or wrong >= max(CONTRADICTIONS_TO_FAIL, right):
        outcome = "fail"
    of_stated = f"{right} of the {stated} stated effects are right"
    return CheckResult(
        name="effects",
        outcome=outcome,
        message=f"{of_stated}, {wrong} wrong, {counts['missing']} missing.",
        labels=tuple(result.effect for result in meaning.results if result.outcome == "wrong"),
        share=content,
    )
