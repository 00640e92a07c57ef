"""All fidelity checks of one graph."""

from collections.abc import Iterable

from stages.contracts.brief import Brief
from stages.contracts.fidelity import CheckResult
from stages.contracts.graph import DraftGraph
from stages.score.fidelity.claimed_numbers import numbers, target
from stages.score.fidelity.consistency import direction, duplicate_labels, options_kept, twin_options
from stages.score.fidelity.draft import Draft
from stages.score.fidelity.grounding import grounding
from stages.score.fidelity.prompt_copy import prompt_copy
from stages.score.fidelity.subject import PromptContent, Subject


class FidelityChecker:
    """Checks graphs against their briefs and the prompt, which are read once.

    A result depends on the graph, its own brief and the prompt only, never on other briefs or answers.

    Args:
        prompt_text: The system prompt.
        briefs: The briefs that graphs can belong to.
    """

    def __init__(self, prompt_text: str, briefs: Iterable[Brief]) -> None:
        self._prompt = PromptContent.of(prompt_text)
        self._subjects = {brief.id: Subject.of(brief, self._prompt) for brief in briefs}

    def check(self, graph: DraftGraph, brief_id: str) -> tuple[CheckResult, ...]:
        """The results of all checks, in the order of `CHECKS`. Never raises for any graph.

        Raises:
            KeyError: the brief is none of those that the checker was made for.
        """
        draft, subject = Draft.of(graph), self._subjects[brief_id]
        return (
            grounding(draft, subject),
            prompt_copy(draft, subject, self._prompt),
            target(draft, subject),
            numbers(draft, subject),
            direction(draft),
            options_kept(draft, subject),
            twin_options(draft),
            duplicate_labels(draft),
        )
