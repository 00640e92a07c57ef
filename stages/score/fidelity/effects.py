"""Whether a graph implies the effects that its brief's front-matter states: concepts are found in
its labels, and effects are calculated from its own numbers.
"""

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from stages.contracts.brief import GOAL, Expectations, StatedEffect
from stages.contracts.graph import Node
from stages.contracts.scorecard import CheckOutcome, CheckResult, EffectOutcome, EffectResult
from stages.language.concepts import read_concepts
from stages.language.words import normalise
from stages.score.causal_model import CausalModel
from stages.score.fidelity.consistency import labels_with_alias, not_applicable
from stages.score.fidelity.subject import BriefContent
from stages.structure.topology import Topology

CONCEPT_KINDS = ("factor", "outcome", "risk")
WRONG_TO_FAIL = 2
"""So many wrong effects, and no fewer than right ones, fail."""
RIGHT_SHARE_TO_PASS = 1 / 3
NO_EFFECT = 1e-9
"""An effect that is no larger is none."""


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
    """The factors, outcomes and risks that name each concept by an alias. The name of a concept
    that none names so is an alias too, of labels that name no other.
    """
    named = [node for node in nodes if node.label and node.kind in CONCEPT_KINDS]
    mentions = list(_mentions(named, concepts))
    read = {mention.node.id for mention in mentions}
    unnamed = concepts.keys() - {mention.concept for mention in mentions}
    others = [node for node in named if node.id not in read]
    by_name = {concept: [concept] for concept in concepts if concept in unnamed}
    return [*mentions, *_mentions(others, by_name)]


def _mentions(nodes: Iterable[Node], concepts: Mapping[str, Sequence[str]]) -> Iterator[Mention]:
    for node in nodes:
        for concept, reading in read_concepts(node.label or "", concepts).items():
            yield Mention(concept, node, reading.alias, reading.polarity)


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
