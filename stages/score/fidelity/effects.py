"""Whether a graph implies the effects that its brief's front-matter states: concepts are found in
its labels, and effects are calculated from its own numbers.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from stages.score.causal_model import CausalModel
from stages.score.fidelity.consistency import not_applicable
from stages.score.fidelity.grounding import other_language
from stages.score.fidelity.mentions import find_mentions, find_options
from stages.score.fidelity.subject import BriefContent, Draft
from stages.shared.records.brief import GOAL, StatedEffect
from stages.shared.records.graph import Node
from stages.shared.records.scorecard import CheckOutcome, CheckResult, EffectOutcome, EffectResult
from stages.shared.structure.topology import Topology

CONTRADICTIONS_TO_FAIL = 2
"""So many effects that are wrong by coded labels, and no fewer than right ones, fail."""
EFFECTS_TO_FAIL, CODED_TO_FAIL = 4, 0.9
"""With so many effects, and such a share of the labels coded, too little content fails."""
RIGHT_SHARE_TO_PASS = 1 / 3
NO_EFFECT = 1e-9
"""An effect that is no larger is none."""


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


def read_meaning(
    draft: Draft, topology: Topology, status_quo: Node | None, subject: BriefContent
) -> Meaning:
    """What a valid graph says about the effects that its brief states."""
    effects = subject.expectations.effects
    if not effects or other_language(draft.wording, subject) != "same":
        return Meaning()
    judge = _EffectJudge(topology, status_quo, draft.model, subject)
    coded = subject.coded.share(topology.graph.nodes)
    return Meaning(tuple(judge.judge(effect) for effect in effects), coded)


@dataclass(frozen=True, slots=True)
class _Named:
    """A node that a stated effect names: whether by the opposite, and whether its label is coded
    (that of the goal needs no code).
    """

    node: Node
    polarity: int
    coded: bool


@dataclass(frozen=True, slots=True)
class _Value:
    """An effect between two nodes, and whether both labels are coded."""

    value: float
    coded: bool


class _EffectJudge:
    """Evaluates stated effects on one valid graph."""

    def __init__(
        self,
        topology: Topology,
        status_quo: Node | None,
        model: CausalModel,
        subject: BriefContent,
    ) -> None:
        self._status_quo = status_quo
        self._model = model
        self._stated = subject.expectations.options
        concepts = subject.expectations.concepts
        self._named: dict[str, list[_Named]] = {name: [] for name in concepts}
        for mention in find_mentions(topology.graph.nodes, concepts, subject.coded):
            named = _Named(mention.node, mention.polarity, coded=mention.alias is None)
            self._named[mention.concept].append(named)
        goals = [_Named(node, 1, coded=True) for node in topology.of_kind("goal")]
        self._named[GOAL] = goals
        options = [node for node in topology.of_kind("option") if node.label]
        labels = [node.label or "" for node in options]
        self._options = [
            [
                _Named(options[place], 1, subject.coded.holds(options[place]))
                for place in places
                if options[place] is not status_quo
            ]
            for places in find_options(labels, self._stated, subject.coded)
        ]

    def judge(self, effect: StatedEffect) -> EffectResult:
        """What the graph says about an effect: the largest of those between matching nodes."""
        targets = self._named[effect.target]
        causes = self._named.get(effect.cause)
        options = self._options_called(effect.cause) if causes is None else causes
        if not targets or not options:
            return EffectResult(effect=str(effect), outcome="missing")
        between = self._changes_by if causes is None else self._effects_between
        values = [value for value in between(options, targets) if math.isfinite(value.value)]
        largest = max(values, key=lambda value: abs(value.value), default=_Value(0.0, coded=False))
        if abs(largest.value) <= NO_EFFECT:
            return EffectResult(effect=str(effect), outcome="no_path", value=0.0)
        is_right = (largest.value > 0) == (effect.verb == "raises")
        return EffectResult(
            effect=str(effect),
            outcome="right" if is_right else "wrong",
            value=largest.value,
            coded=largest.coded,
        )

    def _effects_between(
        self, causes: Sequence[_Named], targets: Sequence[_Named]
    ) -> Iterator[_Value]:
        for cause in causes:
            effects = self._model.effects_of(cause.node.id)
            for target in targets:
                if cause.node.id != target.node.id:
                    value = effects[target.node.id] * cause.polarity * target.polarity
                    yield _Value(value, cause.coded and target.coded)

    def _changes_by(self, options: Sequence[_Named], targets: Sequence[_Named]) -> Iterator[_Value]:
        """What the options change at the targets, compared with the status quo."""
        status_quo = self._model.levels(self._status_quo.interventions if self._status_quo else {})
        for option in options:
            levels = self._model.levels(option.node.interventions)
            for target in targets:
                change = levels[target.node.id] - status_quo[target.node.id]
                yield _Value(target.polarity * change, option.coded and target.coded)

    def _options_called(self, alias: str) -> list[_Named]:
        """The options of the graph, but the status quo, that are the stated option with this
        alias.
        """
        wanted = alias.casefold()
        for aliases, options in zip(self._stated, self._options, strict=True):
            if wanted in [name.casefold() for name in aliases]:
                return options
        return []


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
