"""Whether the labels of a graph name what its brief is about, or were copied from an example in the prompt."""

from typing import Final, Literal

from stages.contracts.scorecard import CheckResult, Outcome
from stages.score.fidelity.claimed_numbers import follows_from_target
from stages.score.fidelity.numbers import numbers_in, significant_digits
from stages.score.fidelity.subject import Draft, Label, PromptContent, Subject
from stages.score.fidelity.words import SCRIPTS_OF_LISTED_LANGUAGES, Wording

GROUNDED_FROM: Final = 0.40
"""Share of the labels' content words that occur in a long brief, from which a graph passes."""
FOREIGN_BELOW: Final = 0.18
"""Share below which a graph of a long brief fails."""
LONG_BRIEF: Final = 60
"""A brief of fewer different words repeats fewer words of any graph: both shares fall in proportion."""
MIN_SUBJECT_WORDS: Final = 3
SUBJECT_WORDS_FROM: Final = 0.4
"""Labels with fewer different words that are not common, in number or share, and none of the brief's, name no subject."""
NAMED_FROM: Final = 2
"""So many words of the brief's subject ..."""
MIN_NUMBERS: Final = 3
"""So many numbers of the brief, one of them telling, turn a failure into a warning."""
NUMBERS_GIVEN_FROM: Final = 0.80
"""The share of the graph's numbers that must then be the brief's."""
PASSAGES: Final = 5
"""How many matching words are shown."""
COPIES_TO_FAIL: Final = 3
COPIED_SHARE_TO_FAIL: Final = 0.5
"""So many copied labels that are also such a share of all labels fail."""
COPIES_TO_WARN: Final = 2
COPIED_SHARE_TO_WARN: Final = 0.2
COPIED_WORDS: Final = 0.5
"""A label of two content words or more is copied if so large a share of them is in one label of the example."""


def grounding(draft: Draft, subject: Subject) -> CheckResult:
    """The share of the labels' different content words that occur in the brief, in any form or as part of a compound.

    Labels are those of options, factors, outcomes, risks and goal. Not applicable without labels, to a brief of fewer than
    25 different words, and to labels in another language than the brief.
    """
    words = {word.form: word for word in draft.wording.words}
    found = {
        form: place for form, word in words.items() if (place := subject.vocabulary.find(word))
    }
    share = len(found) / len(words) if words else 0.0
    named = sum(not (words[form].common or place.common) for form, place in found.items())

    def result(outcome: Outcome, message: str) -> CheckResult:
        return CheckResult(
            name="grounding",
            outcome=outcome,
            message=message,
            labels=tuple(
                label.text
                for label in draft.labels
                if not any(word.form in found for word in label.words)
            ),
            passages=tuple(subject.passage(place) for place in list(found.values())[:PASSAGES]),
            share=share,
        )

    scale = min(1.0, len(subject.vocabulary.stems) / LONG_BRIEF)
    counted = f"{len(found)} of {len(words)} content words of the labels occur in the brief"
    if not draft.labels:
        return result("not_applicable", "No node has a label.")
    subject_words = sum(not word.common for word in words.values())
    if not named and (subject_words < max(MIN_SUBJECT_WORDS, SUBJECT_WORDS_FROM * len(words))):
        return result(
            "fail", "The labels are generic: they have hardly a word that names a subject."
        )
    if not subject.says_enough:
        return result(
            "not_applicable", "The brief is too short for its graph to be recognised by its words."
        )
    if share >= GROUNDED_FROM * scale:
        return result("pass", f"{counted}.")
    language = _other_language(draft.wording, subject)
    if language == "same" and named >= FOREIGN_BELOW * scale * len(words):
        return result("warn", f"Only {counted}.")
    if language == "same" and named < NAMED_FROM:
        return result("fail", f"Only {counted}.")
    stated = _stated_numbers(draft, subject)
    given = [readings for readings in stated if subject.number(readings)]
    target = draft.threshold
    if target and target.readings not in given and follows_from_target(target, subject):
        given.append(target.readings)
    telling = [
        readings
        for readings in stated
        if all(significant_digits(reading) > 1 for reading in readings)
    ]
    telling_given = any(subject.number(readings) for readings in telling)
    if language != "same" and len(telling) >= MIN_NUMBERS and not telling_given:
        none = f"none of {len(telling)} numbers is in it"
        return result("fail", f"The labels are in another language than the brief, and {none}.")
    if language == "known":
        return result("not_applicable", "The labels are in another language than the brief.")
    if language == "unknown":
        return result(
            "warn",
            "The labels are in another script than the brief, and in no language that is recognised.",
        )
    if telling_given and len(given) >= max(MIN_NUMBERS, NUMBERS_GIVEN_FROM * len(stated)):
        return result(
            "warn", f"Only {counted}, but {len(given)} of {len(stated)} numbers are the brief's."
        )
    return result("fail", f"Only {counted}.")


def _stated_numbers(draft: Draft, subject: Subject) -> set[frozenset[float]]:
    claims = (*draft.claims, draft.threshold) if draft.threshold else draft.claims
    written = numbers_in("\n".join(label.text for label in draft.labels), subject.language)
    stated = {claim.readings for claim in claims} | {number.readings for number in written}
    return {readings for readings in stated if not readings & {0.0, 1.0}}


def _other_language(labels: Wording, subject: Subject) -> Literal["same", "known", "unknown"]:
    """Whether the labels are in another language than the brief, by script and by words that only one language has."""
    if labels.script == subject.wording.script:
        return "known" if labels.language not in (None, subject.language) else "same"
    return (
        "known"
        if labels.language or labels.script not in SCRIPTS_OF_LISTED_LANGUAGES
        else "unknown"
    )


def prompt_copy(draft: Draft, subject: Subject, prompt: PromptContent) -> CheckResult:
    """How many labels are those of an example graph in the prompt, word for word or with half of the words changed.

    A label whose content words all occur in the brief is no copy: the brief explains it. Not applicable where the prompt
    has no example graph, or where the brief itself is an example of the prompt.
    """
    reason = None
    if not prompt.labels:
        reason = "The prompt has no example graph."
    elif subject.in_prompt:
        reason = "This brief is an example of the prompt."
    elif not draft.labels:
        reason = "No node has a label."
    if reason:
        return CheckResult(name="prompt_copy", outcome="not_applicable", message=reason)
    copied = tuple(label.text for label in draft.labels if _is_copy(label, subject, prompt))
    share = len(copied) / len(draft.labels)
    outcome: Outcome = "pass"
    if len(copied) >= COPIES_TO_FAIL and share >= COPIED_SHARE_TO_FAIL:
        outcome = "fail"
    elif len(copied) >= COPIES_TO_WARN and share >= COPIED_SHARE_TO_WARN:
        outcome = "warn"
    message = (
        f"{len(copied)} of {len(draft.labels)} labels are those of an example graph in the prompt."
    )
    return CheckResult(
        name="prompt_copy", outcome=outcome, message=message, labels=copied, share=1 - share
    )


def _is_copy(label: Label, subject: Subject, prompt: PromptContent) -> bool:
    words = {word.form for word in label.words}
    foreign = {word.form for word in label.words if subject.vocabulary.find(word) is None}
    return bool(foreign) and (
        label.normal in prompt.labels
        or any(
            len(foreign & example) >= COPIED_WORDS * len(words) >= 1
            for example in prompt.labels.values()
        )
    )
