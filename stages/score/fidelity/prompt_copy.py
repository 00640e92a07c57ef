"""Whether a graph was copied from an example in the prompt."""

from typing import Final

from stages.contracts.fidelity import CheckResult, Outcome
from stages.score.fidelity.draft import Draft, Label
from stages.score.fidelity.subject import PromptContent, Subject

FAIL_COUNT: Final = 3
FAIL_SHARE: Final = 0.5
"""So many copied labels that are also such a share of all labels fail."""
WARN_COUNT: Final = 2
WARN_SHARE: Final = 0.2
COPIED_WORDS: Final = 0.5
"""A label of two content words or more is copied if so large a share of them is in one label of the example."""


def prompt_copy(draft: Draft, subject: Subject, prompt: PromptContent) -> CheckResult:
    """How many labels are those of an example graph in the prompt, word for word or with half of the words changed.

    A label whose content words all occur in the brief is no copy: the brief explains it. Not applicable where the prompt
    has no example graph, or where the brief itself is an example of the prompt.
    """
    if not prompt.labels:
        return _not_applicable("The prompt has no example graph.")
    if subject.in_prompt:
        return _not_applicable("This brief is an example of the prompt.")
    if not draft.labels:
        return _not_applicable("No node has a label.")
    copied = tuple(label.text for label in draft.labels if _is_copy(label, subject, prompt))
    share = len(copied) / len(draft.labels)
    outcome: Outcome = "pass"
    if len(copied) >= FAIL_COUNT and share >= FAIL_SHARE:
        outcome = "fail"
    elif len(copied) >= WARN_COUNT and share >= WARN_SHARE:
        outcome = "warn"
    message = f"{len(copied)} of {len(draft.labels)} labels are those of an example graph in the prompt."
    return CheckResult(name="prompt_copy", outcome=outcome, message=message, labels=copied, share=1 - share)


def _not_applicable(message: str) -> CheckResult:
    return CheckResult(name="prompt_copy", outcome="not_applicable", message=message)


def _is_copy(label: Label, subject: Subject, prompt: PromptContent) -> bool:
    """True if the label is an example's, or half of its content words are one example's and not the brief's."""
    words = {word.form for word in label.words}
    foreign = {word.form for word in label.words if subject.vocabulary.find(word) is None}
    return bool(foreign) and any(
        label.normal == example.text or (len(foreign & example.words) >= COPIED_WORDS * len(words) >= 1)
        for example in prompt.labels
    )
