"""All fidelity checks of one graph."""

from collections.abc import Iterable

from stages.contracts.brief import Brief
from stages.contracts.fidelity import CheckResult
from stages.contracts.graph import DraftGraph
from stages.contracts.json_text import JsonValue
from stages.score.fidelity import (
    claimed_numbers,
    consistency,
    draft,
    grounding,
    number_words,
    prompt_copy,
    subject,
    word_lists,
    words,
)


class FidelityChecker:
    """Checks graphs against their briefs and the prompt, which are read once.

    A result depends on the graph, its own brief and the prompt only, never on other briefs or answers.

    Args:
        prompt_text: The system prompt; empty for none.
        briefs: The briefs that graphs can belong to.
    """

    def __init__(self, prompt_text: str, briefs: Iterable[Brief]) -> None:
        self._prompt = subject.PromptContent.of(prompt_text)
        self._subjects = {brief.id: subject.Subject.of(brief, self._prompt) for brief in briefs}

    def check(self, graph: DraftGraph, brief_id: str) -> tuple[CheckResult, ...]:
        """The results of all checks, in the order of `CHECKS`. Never raises for any graph.

        Raises:
            KeyError: the brief is none of those that the checker was made for.
        """
        drafted, of = draft.Draft.of(graph), self._subjects[brief_id]
        return (
            grounding.grounding(drafted, of),
            prompt_copy.prompt_copy(drafted, of, self._prompt),
            claimed_numbers.target(drafted, of),
            claimed_numbers.numbers(drafted, of),
            consistency.direction(drafted),
            consistency.options_kept(drafted, of),
            consistency.twin_options(drafted),
            consistency.duplicate_labels(drafted),
        )


def definition() -> dict[str, JsonValue]:
    """The thresholds and word lists of the checks by the names of their constants: what the hash of the rules covers."""
    modules = (claimed_numbers, consistency, draft, grounding, number_words, prompt_copy, subject, word_lists, words)
    return {
        f"{module.__name__.rpartition('.')[2]}.{name}": sorted(value) if isinstance(value, frozenset) else value
        for module in modules
        for name, value in vars(module).items()
        if name.isupper() and not name.startswith("_") and isinstance(value, int | float | str | dict | frozenset)
    }
