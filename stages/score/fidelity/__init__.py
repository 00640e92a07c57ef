"""Fidelity checks: deterministic tests of whether a graph belongs to its brief. No model judges another."""

from collections.abc import Iterable
from typing import Final

from stages.contracts.brief import Brief
from stages.contracts.graph import DraftGraph
from stages.contracts.scorecard import CHECKS, CheckResult
from stages.score.fidelity import claimed_numbers, consistency, grounding, subject, words
from stages.score.fidelity.numbers import FRACTIONS, SCALES
from stages.score.fidelity.subject import Draft, PromptContent, Subject


def _thresholds(module: object) -> dict[str, object]:
    """The numbers, and groups of numbers, among a module's public constants."""
    constants = {
        name: value for name, value in vars(module).items() if name.isupper() and name[0] != "_"
    }
    return {
        name: value for name, value in constants.items() if isinstance(value, int | float | tuple)
    }


FIDELITY_RULES: Final[dict[str, object]] = {
    "checks": CHECKS,
    "thresholds": {
        module.__name__.rpartition(".")[2]: _thresholds(module)
        for module in (claimed_numbers, consistency, grounding, subject, words)
    },
    "words": words.WORD_LISTS,
    "scales": SCALES,
    "fractions": FRACTIONS,
}
"""Everything that decides the outcomes of the checks beside the code: for the hash of the scoring rules."""


class FidelityChecker:
    """Checks graphs against their briefs and the prompt, which are read once.

    A result depends on the graph, its own brief and the prompt only, never on other briefs or answers.
    """

    def __init__(self, prompt_text: str, briefs: Iterable[Brief]) -> None:
        self._prompt = PromptContent(prompt_text)
        self._subjects = {brief.id: Subject(brief, self._prompt) for brief in briefs}

    def check(self, graph: DraftGraph, brief_id: str) -> tuple[CheckResult, ...]:
        """The results of all checks of a graph of one of the briefs, in the order of `CHECKS`. Never raises for any graph."""
        draft, brief = Draft(graph), self._subjects[brief_id]
        return (
            grounding.grounding(draft, brief),
            grounding.prompt_copy(draft, brief, self._prompt),
            claimed_numbers.target(draft, brief),
            claimed_numbers.numbers(draft, brief),
            consistency.direction(graph),
            consistency.options_kept(draft, brief),
            consistency.twin_options(draft),
            consistency.duplicate_labels(draft),
        )
