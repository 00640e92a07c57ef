"""Fidelity checks: deterministic tests of whether a graph belongs to its brief.

No model judges another. Here are the table of the checks, and what decides them for the hash of the
rules; a new check is a function in one of the files and a line here.
"""

from collections.abc import Callable, Mapping

from graph_evaluator.language.words import WORD_LISTS
from graph_evaluator.records.params import ScoringRules
from graph_evaluator.records.scorecard import CHECKS, CheckResult
from graph_evaluator.score.fidelity import claimed_numbers, consistency, effects, grounding
from graph_evaluator.score.fidelity.effects import Meaning, check_effects, read_meaning
from graph_evaluator.score.fidelity.numbers import FRACTIONS, SCALES
from graph_evaluator.score.fidelity.subject import BriefContent, Draft

_CHECKS: tuple[Callable[[Draft, BriefContent], CheckResult], ...] = (
    claimed_numbers.target,
    claimed_numbers.numbers,
    consistency.direction,
    consistency.options_kept,
    consistency.twin_options,
    consistency.duplicate_labels,
    consistency.result_signs,
)
"""The checks of a graph and its brief alone, in the order of their results, each named as in
`records.scorecard`.
"""


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
        grounding.grounding(draft, subject, rules.min_content),
        grounding.prompt_copy(draft, subject, examples),
        *(check(draft, subject) for check in _CHECKS),
        check_effects(meaning, subject, rules.min_content),
    )
    return checks, meaning


FIDELITY_RULES: dict[str, object] = {
    "checks": CHECKS,
    "grounding": (
        grounding.GROUNDED_FROM, grounding.FOREIGN_BELOW, grounding.LONG_BRIEF,
        grounding.SHORT_BRIEF, grounding.GROUNDED_IN_SHORT_FROM, grounding.FOREIGN_TO_SHORT_BELOW,
        grounding.MIN_SUBJECT_WORDS, grounding.SUBJECT_WORDS_FROM, grounding.NAMED_FROM,
        grounding.MIN_NUMBERS, grounding.NUMBERS_GIVEN_FROM,
    ),
    "prompt_copy": (
        grounding.COPIES_TO_FAIL, grounding.COPIED_SHARE_TO_FAIL, grounding.COPIES_TO_WARN,
        grounding.COPIED_SHARE_TO_WARN, grounding.COPIED_WORDS,
    ),
    "target": (
        claimed_numbers.SHARE_TOLERANCE, claimed_numbers.NEAR, claimed_numbers.UNIT_FACTORS,
        claimed_numbers.COMPARABLE, claimed_numbers.SMALLEST_AMOUNT,
        claimed_numbers.SHARE_DIGITS, claimed_numbers.AMOUNT_DIGITS,
    ),
    "twin_options": consistency.TWIN_SIMILARITY,
    "result_signs": consistency.CONTRADICTED_TO_FAIL,
    "effects": (
        effects.CODED_TO_MEASURE, effects.CONTRADICTIONS_TO_FAIL, effects.EFFECTS_TO_FAIL,
        effects.RIGHT_SHARE_TO_PASS, effects.NO_EFFECT,
    ),
    "words": WORD_LISTS,
    "scales": SCALES,
    "fractions": FRACTIONS,
}  # fmt: skip
"""What decides the outcomes of the checks beside the code, for the hash of the rules. How words and
languages are recognised is code, which the scoring version stands for.
"""
