"""All fidelity checks of a graph: the table of the checks, and the hash of what decides them."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Final

from stages.contracts.brief import Brief
from stages.contracts.graph import DraftGraph
from stages.contracts.params import ScoringRules
from stages.contracts.scorecard import CHECKS, CheckResult, EffectResult
from stages.language.words import WORD_LISTS
from stages.score.fidelity import claimed_numbers, consistency, grounding
from stages.score.fidelity.effects import check_effects, judge_effects
from stages.score.fidelity.numbers import FRACTIONS, SCALES
from stages.score.fidelity.subject import BriefContent, Draft, PromptContent
from stages.score.topology import Topology

Check = Callable[[Draft, BriefContent], CheckResult]

_CHECKS: Final[tuple[Check, ...]] = (
    grounding.grounding,
    grounding.prompt_copy,
    claimed_numbers.target,
    claimed_numbers.numbers,
    consistency.direction,
    consistency.options_kept,
    consistency.twin_options,
    consistency.duplicate_labels,
    consistency.result_signs,
)
"""The checks in the order of their results; each is named as in `contracts.scorecard`. The last one
there, `effects`, follows from the results of the stated effects.
"""


@dataclass(frozen=True, slots=True)
class Fidelity:
    """What the checks say about a graph, and what the graph says about each stated effect."""

    checks: tuple[CheckResult, ...]
    effects: tuple[EffectResult, ...]


class FidelityChecker:
    """Checks graphs against their briefs and the prompt, which are read once; `status_quo_pattern`
    is that of the scoring rules.

    A result depends on the graph, its own brief and the prompt only, never on other briefs or
    answers.
    """

    def __init__(
        self,
        prompt_text: str,
        briefs: Iterable[Brief],
        status_quo_pattern: str = ScoringRules().status_quo_pattern,
    ) -> None:
        prompt = PromptContent(prompt_text)
        self._subjects = {brief.id: BriefContent(brief, prompt) for brief in briefs}
        self._status_quo_pattern = status_quo_pattern

    def check(self, graph: DraftGraph, brief_id: str) -> tuple[CheckResult, ...]:
        """The results of all checks of a graph of one of the briefs. Never raises for any graph."""
        return self.judge(Topology(graph), brief_id).checks

    def judge(self, topology: Topology, brief_id: str) -> Fidelity:
        """The results of all checks and of the stated effects. Never raises for any graph."""
        draft = Draft(topology.graph)
        subject = self._subjects[brief_id]
        results: tuple[EffectResult, ...] = ()
        if grounding.other_language(draft.wording, subject) == "same":
            results = judge_effects(topology, subject.expectations, self._status_quo_pattern)
        checks = [check(draft, subject) for check in _CHECKS]
        return Fidelity((*checks, check_effects(results, subject)), results)


FIDELITY_RULES: Final[dict[str, object]] = {
    "checks": CHECKS,
    "words": WORD_LISTS,
    "scales": SCALES,
    "fractions": FRACTIONS,
}
"""TODO."""
