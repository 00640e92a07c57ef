"""All fidelity checks of a graph: the table of the checks, and the hash of what decides them."""

from collections.abc import Callable, Iterable
from typing import Final

from stages.contracts.brief import Brief
from stages.contracts.graph import DraftGraph
from stages.contracts.scorecard import CHECKS, CheckResult
from stages.score.fidelity import claimed_numbers, consistency, grounding, subject, words
from stages.score.fidelity.numbers import FRACTIONS, SCALES
from stages.score.fidelity.subject import BriefContent, Draft, PromptContent

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
)
"""The checks in the order of their results; each is named as in `contracts.scorecard`."""


class FidelityChecker:
    """Checks graphs against their briefs and the prompt, which are read once.

    A result depends on the graph, its own brief and the prompt only, never on other briefs or
    answers.
    """

    def __init__(self, prompt_text: str, briefs: Iterable[Brief]) -> None:
        prompt = PromptContent(prompt_text)
        self._subjects = {brief.id: BriefContent(brief, prompt) for brief in briefs}

    def check(self, graph: DraftGraph, brief_id: str) -> tuple[CheckResult, ...]:
        """The results of all checks of a graph of one of the briefs. Never raises for any graph."""
        draft = Draft(graph)
        brief = self._subjects[brief_id]
        return tuple(check(draft, brief) for check in _CHECKS)


def _thresholds(module: object) -> dict[str, object]:
    """The numbers, and groups of numbers, among a module's public constants."""
    thresholds: dict[str, object] = {}
    for name, value in vars(module).items():
        is_public_constant = name.isupper() and not name.startswith("_")
        if is_public_constant and isinstance(value, int | float | tuple):
            thresholds[name] = value
    return thresholds


_MODULES = (claimed_numbers, consistency, grounding, subject, words)
FIDELITY_RULES: Final[dict[str, object]] = {
    "checks": CHECKS,
    "thresholds": {module.__name__.rpartition(".")[2]: _thresholds(module) for module in _MODULES},
    "words": words.WORD_LISTS,
    "scales": SCALES,
    "fractions": FRACTIONS,
}
"""Everything that decides the outcomes of the checks beside the code: for the hash of the rules."""
