"""Whether the labels of a graph name what its brief is about, or were copied from an example in the
prompt.
"""

from collections.abc import Mapping

from graph_evaluator.language.words import SMALLEST_VOCABULARY
from graph_evaluator.records.scorecard import CheckOutcome, CheckResult
from graph_evaluator.score.fidelity.effects import read_by_words
from graph_evaluator.score.fidelity.subject import BriefContent, Draft, Label, not_applicable

GROUNDED_FROM = 0.40
"""Share of the labels' content words that occur in a long brief, from which a graph passes."""
FOREIGN_BELOW = 0.16
"""Share below which a graph of a long brief fails."""
LONG_BRIEF = 80
"""A brief of fewer different words repeats fewer words of any graph: both shares fall in
proportion.
"""
COPIES_TO_FAIL = 3
COPIED_SHARE_TO_FAIL = 0.5
"""Fails with at least this number of copied labels, if they are this share of all labels."""
COPIES_TO_WARN = 2
COPIED_SHARE_TO_WARN = 0.2
COPIED_WORDS, COPIED_WORDS_OF_A_NAMED = 0.5, 2
"""A label of two or more content words is copied if this share of them is in one label of the
example; at least this number of them if the label has words of the brief too.
"""


def grounding(draft: Draft, subject: BriefContent, min_content: float) -> CheckResult:
    """The share of the labels' different content words that occur in the brief, in any inflection.

    Labels are those of options, factors, outcomes, risks and goal. Not applicable without labels,
    to a brief of fewer than 8 different words, and to labels in another language than the brief.
    What would fail warns where more than `min_content` of the stated effects seem right.
    """
    words = {word.form: word.stem for word in draft.wording.words}
    shared = {form for form, stem in words.items() if stem in subject.vocabulary}
    outcome, message = _judge_overlap(len(shared), len(words), draft, subject)
    if outcome == "fail" and _seems_right(draft, subject, min_content):
        outcome, message = "warn", f"{message} But it has stated effects right."
    foreign_labels = [
        label.text for label in draft.labels if shared.isdisjoint(word.form for word in label.words)
    ]
    return CheckResult(
        name="grounding",
        outcome=outcome,
        message=message,
        labels=tuple(foreign_labels),
        share=len(shared) / len(words) if words else 0.0,
    )


def _seems_right(draft: Draft, subject: BriefContent, min_content: float) -> bool:
    outcomes = [result.outcome for result in read_by_words(draft, subject)]
    return outcomes.count("right") > min_content * len(outcomes)


def _judge_overlap(
    shared: int, words: int, draft: Draft, subject: BriefContent
) -> tuple[CheckOutcome, str]:
    """The outcome, from the number of the labels' content words that are in the brief."""
    if not draft.labels:
        return "not_applicable", "No node has a label."
    if not words:
        return "fail", "The labels are generic: they have no word that names a subject."
    size = len(subject.vocabulary)
    if size < SMALLEST_VOCABULARY:
        needed = f"{SMALLEST_VOCABULARY} are needed to recognise its graph by them"
        message = f"The brief is too short: it has {size} different content words, and {needed}."
        return "not_applicable", message
    scale = min(1.0, size / LONG_BRIEF)
    overlap = f"{shared} of {words} content words of the labels occur in the brief."
    if shared >= GROUNDED_FROM * scale * words:
        return "pass", overlap
    if not subject.is_in_language_of(draft.wording):
        return "not_applicable", "The labels are in another language than the brief."
    is_foreign = shared < FOREIGN_BELOW * scale * words
    return "fail" if is_foreign else "warn", f"Only {overlap}"


def prompt_copy(
    draft: Draft, subject: BriefContent, examples: Mapping[str, set[str]]
) -> CheckResult:
    """How many labels are those of an example graph in the prompt, word for word or with half of
    the words changed. `examples` has the content words of each of its labels.

    A label whose content words all occur in the brief is not a copy: the brief explains it. Not
    applicable where the prompt has no example graph.
    """
    if not examples:
        return not_applicable("prompt_copy", "The prompt has no example graph.")
    if not draft.labels:
        return not_applicable("prompt_copy", "No node has a label.")
    copies = [label.text for label in draft.labels if _is_copy(label, subject, examples)]
    share = len(copies) / len(draft.labels)
    outcome: CheckOutcome = "pass"
    if len(copies) >= COPIES_TO_FAIL and share >= COPIED_SHARE_TO_FAIL:
        outcome = "fail"
    elif len(copies) >= COPIES_TO_WARN and share >= COPIED_SHARE_TO_WARN:
        outcome = "warn"
    labels = f"{len(copies)} of {len(draft.labels)} labels"
    return CheckResult(
        name="prompt_copy",
        outcome=outcome,
        message=f"{labels} are those of an example graph in the prompt.",
        labels=tuple(copies),
        share=1 - share,
    )


def _is_copy(label: Label, subject: BriefContent, examples: Mapping[str, set[str]]) -> bool:
    words = {word.form for word in label.words}
    foreign = {word.form for word in label.words if word.stem not in subject.vocabulary}
    if label.normal in examples:
        return bool(foreign)
    fewest = COPIED_WORDS * len(words)
    if len(foreign) < len(words):
        fewest = max(COPIED_WORDS_OF_A_NAMED, fewest)
    return fewest >= 1 and any(len(foreign & example) >= fewest for example in examples.values())
