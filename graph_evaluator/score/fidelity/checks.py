"""Fidelity checks: deterministic tests of whether the labels of a graph name what its brief is
about and were not copied from the prompt, whether it keeps the options, and agrees with itself.

No model judges another. A new check is a function here or in another file, and a line below.
"""

from collections.abc import Mapping, Sequence

from graph_evaluator.language.words import SMALLEST_VOCABULARY
from graph_evaluator.records.params import ScoringRules
from graph_evaluator.records.scorecard import CheckName, CheckOutcome, CheckResult
from graph_evaluator.score.fidelity.effects import (
    Meaning,
    check_effects,
    find_options,
    read_by_words,
    read_meaning,
)
from graph_evaluator.score.fidelity.subject import BriefContent, Draft, Label, not_applicable
from graph_evaluator.score.fidelity.target import target

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
CONTRADICTED_TO_FAIL = 0.5
"""A larger share of the edges to the goal with the wrong sign fails."""
_SIGNS_AT_GOAL: dict[tuple[str | None, str | None], int] = {
    ("outcome", "goal"): 1,
    ("risk", "goal"): -1,
}


def grounding(draft: Draft, subject: BriefContent, min_content: float) -> CheckResult:
    """The share of the labels' different content words that occur in the brief, in any inflection.

    Labels are those of options, factors, outcomes, risks and goal. Not applicable without labels,
    to a brief of fewer than 8 different words, and to labels in another language than the brief.
    What would fail warns where more than `min_content` of the stated effects seem right.
    """
    words = {word.form: word.stem for word in draft.wording.words}
    shared = {form for form, stem in words.items() if stem in subject.vocabulary}
    outcome, message = _judge_overlap(len(shared), len(words), draft, subject)
    if outcome == "fail":
        effects = [result.outcome for result in read_by_words(draft, subject)]
        if effects.count("right") > min_content * len(effects):
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
    labels, body = draft.wording, subject.wording
    if labels.script != body.script or labels.language not in (None, body.language):
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
    message = f"{labels} are those of an example graph in the prompt."
    return _result("prompt_copy", outcome, message, copies, len(draft.labels))


def _is_copy(label: Label, subject: BriefContent, examples: Mapping[str, set[str]]) -> bool:
    words = {word.form for word in label.words}
    foreign = {word.form for word in label.words if word.stem not in subject.vocabulary}
    if label.normal in examples:
        return bool(foreign)
    fewest = COPIED_WORDS * len(words)
    if len(foreign) < len(words):
        fewest = max(COPIED_WORDS_OF_A_NAMED, fewest)
    return fewest >= 1 and any(len(foreign & example) >= fewest for example in examples.values())


def direction(draft: Draft) -> CheckResult:
    """Whether the sign of every mean agrees with the edge's `effect_direction`; a mean of 0 and
    other words are left out.
    """
    stated = 0
    contradictions: list[str] = []
    for edge in draft.graph.edges:
        states_direction = edge.effect_direction in ("positive", "negative")
        if not edge.mean or edge.bidirected or not states_direction:
            continue
        stated += 1
        if (edge.mean > 0) != (edge.effect_direction == "positive"):
            contradictions.append(f"{edge.source} -> {edge.target}")
    if not stated:
        return not_applicable("direction", "No edge with a mean states a direction.")
    message = f"All {stated} signs agree with effect_direction."
    if contradictions:
        edges = f"{len(contradictions)} of {stated} edges"
        message = f"The sign of the mean contradicts effect_direction on {edges}."
    outcome: CheckOutcome = "warn" if contradictions else "pass"
    return _result("direction", outcome, message, contradictions, stated)


def options_kept(draft: Draft, subject: BriefContent) -> CheckResult:
    """Whether each option that the front-matter lists and does not exclude has one of the graph.

    The codebook finds an option, else an alias whose words are all in the label.
    Not applicable without `options` in the front-matter.
    """
    stated = subject.expectations
    excluded = set(map(stated.option_called, stated.excluded))
    places = [place for place in range(len(stated.options)) if place not in excluded]
    if not places:
        return not_applicable("options_kept", "The brief's front-matter lists no options.")
    mentions = find_options(draft, subject)
    missing = [stated.options[place][0] for place in places if not mentions[place]]
    kept = f"{len(places) - len(missing)} of the {len(places)} options"
    message = f"{kept} that the brief names are options of the graph."
    return _result("options_kept", "warn" if missing else "pass", message, missing, len(places))


def result_signs(draft: Draft) -> CheckResult:
    """Whether outcomes raise the goal and risks lower it, by the means; by `effect_direction` where
    means are unsigned.

    A net effect of 0 contradicts nothing. Not applicable without an edge from an outcome or risk to
    the goal.
    """
    model = draft.model
    signs = [_SIGNS_AT_GOAL.get(model.topology.ends(edge), 0) for edge in model.edges]
    number = len(signs) - signs.count(0)
    if not number:
        message = "No edge leads from an outcome or a risk to the goal."
        return not_applicable("result_signs", message)
    wrong = [
        f"{edge.source} -> {edge.target}"
        for edge, mean, sign in zip(model.edges, model.means, signs, strict=True)
        if mean * sign < 0
    ]
    outcome: CheckOutcome = "warn" if wrong else "pass"
    if len(wrong) > CONTRADICTED_TO_FAIL * number:
        outcome = "fail"
    message = f"Outcomes raise the goal and risks lower it on all {number} edges to the goal."
    if wrong:
        edges = f"{len(wrong)} of {number} edges to the goal"
        message = f"An outcome lowers the goal, or a risk raises it, on {edges}."
    return _result("result_signs", outcome, message, wrong, number)


def _result(
    name: CheckName, outcome: CheckOutcome, message: str, faults: Sequence[str], number: int
) -> CheckResult:
    """The result of a check that has faults in this number of things."""
    share = 1 - len(faults) / number
    return CheckResult(
        name=name, outcome=outcome, message=message, labels=tuple(faults), share=share
    )


def check_graph(
    draft: Draft,
    subject: BriefContent,
    examples: Mapping[str, set[str]],
    rules: ScoringRules,
) -> tuple[tuple[CheckResult, ...], Meaning]:
    """The results of all checks of a graph without a directed cycle, as an answer to a brief, and
    what it says about the stated effects. `examples` are the labels of the prompt's example
    graphs, each with its content words. Never raises.

    They depend on the graph, its own brief and the prompt only, never on other briefs or answers.
    """
    meaning = read_meaning(draft, subject)
    checks = (
        grounding(draft, subject, rules.min_content),
        prompt_copy(draft, subject, examples),
        target(draft, subject),
        direction(draft),
        options_kept(draft, subject),
        result_signs(draft),
        check_effects(meaning, subject, rules.min_content),
    )
    return checks, meaning
