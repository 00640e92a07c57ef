"""Whether the labels of a graph name what its brief is about, or were copied from an example in the
prompt.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from graph_evaluator.language.words import (
    SCRIPTS_OF_LISTED_LANGUAGES,
    SMALLEST_VOCABULARY,
    Word,
)
from graph_evaluator.records.scorecard import CheckOutcome, CheckResult
from graph_evaluator.score.fidelity.claimed_numbers import follows_from_target
from graph_evaluator.score.fidelity.consistency import options_kept
from graph_evaluator.score.fidelity.effects import read_by_words
from graph_evaluator.score.fidelity.numbers import numbers_in, significant_digits
from graph_evaluator.score.fidelity.subject import BriefContent, Draft, Label, not_applicable

GROUNDED_FROM = 0.40
"""Share of the labels' content words that occur in a long brief, from which a graph passes."""
FOREIGN_BELOW = 0.18
"""Share below which a graph of a long brief fails."""
LONG_BRIEF = 60
"""A brief of fewer different words repeats fewer words of any graph: both shares fall in
proportion.
"""
SHORT_BRIEF = 25
"""A brief with fewer different stems is judged by shares of its own."""
GROUNDED_IN_SHORT_FROM = 0.30
FOREIGN_TO_SHORT_BELOW = 0.12
MIN_SUBJECT_WORDS = 3
SUBJECT_WORDS_FROM = 0.4
"""Labels with fewer different words that are not common, in number or share, and none of the
brief's, name no subject.
"""
NAMED_FROM = 2
"""So many words of the brief's subject ..."""
MIN_NUMBERS = 3
"""So many numbers of the brief, one of them telling, turn a failure into a warning."""
NUMBERS_GIVEN_FROM = 0.80
"""The share of the graph's numbers that must then be the brief's."""
PASSAGES = 5
"""How many matching words are shown."""
COPIES_TO_FAIL = 3
COPIED_SHARE_TO_FAIL = 0.5
"""So many copied labels that are also such a share of all labels fail."""
COPIES_TO_WARN = 2
COPIED_SHARE_TO_WARN = 0.2
COPIED_WORDS = 0.5
"""A label of two content words or more is copied if so large a share of them is in one label of the
example.
"""


def grounding(draft: Draft, subject: BriefContent, min_content: float) -> CheckResult:
    """The share of the labels' different content words that occur in the brief, in any form or as
    part of a compound.

    Labels are those of options, factors, outcomes, risks and goal. Not applicable without labels,
    to a brief of fewer than 8 different words, and to labels in another language than the brief.
    What would fail warns where more than `min_content` of the stated effects seem right.
    """
    overlap = _overlap(draft, subject)
    outcome, message = _judge_overlap(overlap, draft, subject)
    if outcome == "fail" and _seems_right(draft, subject, min_content):
        outcome, message = "warn", f"{message} But it has stated effects right."
    foreign_labels = [
        label.text
        for label in draft.labels
        if not any(word.form in overlap.places for word in label.words)
    ]
    places = list(overlap.places.values())[:PASSAGES]
    return CheckResult(
        name="grounding",
        outcome=outcome,
        message=message,
        labels=tuple(foreign_labels),
        passages=tuple(subject.passage(place) for place in places),
        share=overlap.share,
    )


def _seems_right(draft: Draft, subject: BriefContent, min_content: float) -> bool:
    outcomes = [result.outcome for result in read_by_words(draft, subject)]
    return outcomes.count("right") > min_content * len(outcomes)


@dataclass(frozen=True, slots=True)
class _Overlap:
    """The labels' different content words by form, those of them that occur in the brief with their
    first place there, and how many of these are words of its subject.
    """

    words: dict[str, Word]
    places: dict[str, Word]
    named: int

    @property
    def share(self) -> float:
        return len(self.places) / len(self.words) if self.words else 0.0

    @property
    def is_generic(self) -> bool:
        """True if the labels have hardly a word that names a subject, and none of the brief's."""
        subject_words = sum(not word.common for word in self.words.values())
        fewest = max(MIN_SUBJECT_WORDS, SUBJECT_WORDS_FROM * len(self.words))
        return not self.named and subject_words < fewest

    def __str__(self) -> str:
        words = f"{len(self.places)} of {len(self.words)} content words"
        return f"{words} of the labels occur in the brief"


def _overlap(draft: Draft, subject: BriefContent) -> _Overlap:
    words = {word.form: word for word in draft.wording.words}
    places: dict[str, Word] = {}
    named = 0
    for form, word in words.items():
        place = subject.vocabulary.find(word)
        if place is None:
            continue
        places[form] = place
        if not word.common and not place.common:
            named += 1
    return _Overlap(words, places, named)


def _judge_overlap(
    overlap: _Overlap, draft: Draft, subject: BriefContent
) -> tuple[CheckOutcome, str]:
    if not draft.labels:
        return "not_applicable", "No node has a label."
    if overlap.is_generic:
        return "fail", "The labels are generic: they have hardly a word that names a subject."
    stems = len(subject.vocabulary.stems)
    if not subject.vocabulary.says_enough:
        needed = f"{SMALLEST_VOCABULARY} are needed to recognise its graph by them"
        message = f"The brief is too short: it has {stems} different content words, and {needed}."
        return "not_applicable", message
    is_short = stems < SHORT_BRIEF
    scale = min(1.0, stems / LONG_BRIEF)
    grounded_from, foreign_below = GROUNDED_FROM * scale, FOREIGN_BELOW * scale
    telling_words = overlap.named
    if is_short:
        grounded_from, foreign_below = GROUNDED_IN_SHORT_FROM, FOREIGN_TO_SHORT_BELOW
        telling_words = len(overlap.places)
    if overlap.share >= grounded_from:
        return "pass", f"{overlap}."
    if not subject.is_in_language_of(draft.wording):
        numbers = _numbers(draft, subject)
        message = "The labels are in another language than the brief"
        if numbers.telling >= MIN_NUMBERS and not numbers.telling_in_brief:
            return "fail", f"{message}, and none of {numbers.telling} numbers is in it."
        if draft.wording.language is None and draft.wording.script in SCRIPTS_OF_LISTED_LANGUAGES:
            return "warn", f"{message}, and in none that is recognised."
        return "not_applicable", f"{message}."
    if telling_words >= foreign_below * len(overlap.words):
        return "warn", f"Only {overlap}."
    if is_short and options_kept(draft, subject).outcome == "pass":
        return "warn", f"Only {overlap}, but the options are the brief's."
    if telling_words < NAMED_FROM:
        return "fail", f"Only {overlap}."
    numbers = _numbers(draft, subject)
    if numbers.are_the_briefs:
        shares = f"{numbers.in_brief} of {numbers.stated} numbers"
        return "warn", f"Only {overlap}, but {shares} are the brief's."
    return "fail", f"Only {overlap}."


@dataclass(frozen=True, slots=True)
class _Numbers:
    """How many numbers a graph states, how many of them are the brief's or follow from its target,
    and the same of those with two significant digits, which are rarely met by chance.
    """

    stated: int
    in_brief: int
    telling: int
    telling_in_brief: int

    @property
    def are_the_briefs(self) -> bool:
        fewest = max(MIN_NUMBERS, NUMBERS_GIVEN_FROM * self.stated)
        return self.telling_in_brief > 0 and self.in_brief >= fewest


def _numbers(draft: Draft, subject: BriefContent) -> _Numbers:
    claims = [*draft.claims, draft.threshold] if draft.threshold else draft.claims
    written = numbers_in("\n".join(label.text for label in draft.labels), subject.language)
    readings_of_all = {claim.readings for claim in claims} | {entry.readings for entry in written}
    stated = [readings for readings in readings_of_all if not readings & {0.0, 1.0}]
    in_brief = [readings for readings in stated if subject.number(readings)]
    telling = [readings for readings in stated if _is_telling(readings)]
    target = draft.threshold
    if target and target.readings not in in_brief and follows_from_target(target, subject):
        in_brief.append(target.readings)
    telling_in_brief = [readings for readings in telling if subject.number(readings)]
    return _Numbers(len(stated), len(in_brief), len(telling), len(telling_in_brief))


def _is_telling(readings: frozenset[float]) -> bool:
    return all(significant_digits(reading) > 1 for reading in readings)


def prompt_copy(
    draft: Draft, subject: BriefContent, examples: Mapping[str, set[str]]
) -> CheckResult:
    """How many labels are those of an example graph in the prompt, word for word or with half of
    the words changed. `examples` has the content words of each of its labels.

    A label whose content words all occur in the brief is no copy: the brief explains it. Not
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
    foreign = {word.form for word in label.words if subject.vocabulary.find(word) is None}
    if label.normal in examples:
        return bool(foreign)
    fewest = COPIED_WORDS * len(words)
    return fewest >= 1 and any(len(foreign & example) >= fewest for example in examples.values())
