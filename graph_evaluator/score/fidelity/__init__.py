"""Fidelity checks: deterministic tests of whether a graph belongs to its brief.

No model judges another. A new check is a function in one of the files and a line here.
"""

from collections.abc import Callable, Mapping

from graph_evaluator.records.params import ScoringRules
from graph_evaluator.records.scorecard import CheckResult
from graph_evaluator.score.fidelity import consistency, grounding
from graph_evaluator.score.fidelity.effects import Meaning, check_effects, read_meaning
from graph_evaluator.score.fidelity.subject import BriefContent, Draft
from graph_evaluator.score.fidelity.target import target

_CHECKS: tuple[Callable[[Draft, BriefContent], CheckResult], ...] = (
    target,
    consistency.direction,
    consistency.options_kept,
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
