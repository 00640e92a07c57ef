"""Fidelity checks: deterministic tests of whether a graph belongs to its brief, keeps its options,
and agrees with itself.

No model judges another. A new check is a function here or in one of the files, and a line below.
"""

from collections.abc import Callable, Mapping

from graph_evaluator.records.params import ScoringRules
from graph_evaluator.records.scorecard import CheckOutcome, CheckResult
from graph_evaluator.score.fidelity import grounding
from graph_evaluator.score.fidelity.effects import (
    Meaning,
    check_effects,
    find_options,
    read_meaning,
)
from graph_evaluator.score.fidelity.subject import BriefContent, Draft, not_applicable
from graph_evaluator.score.fidelity.target import target

CONTRADICTED_TO_FAIL = 0.5
"""A larger share of the edges to the goal with the wrong sign fails."""
_SIGNS_AT_GOAL: dict[tuple[str | None, str | None], int] = {
    ("outcome", "goal"): 1,
    ("risk", "goal"): -1,
}


def direction(draft: Draft, _: BriefContent) -> CheckResult:
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
    return CheckResult(
        name="direction",
        outcome="warn" if contradictions else "pass",
        message=message,
        labels=tuple(contradictions),
        share=1 - len(contradictions) / stated,
    )


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
    mentions = find_options(draft.options, stated.options, subject.coded)
    missing = [stated.options[place][0] for place in places if not mentions[place]]
    kept = f"{len(places) - len(missing)} of the {len(places)} options"
    return CheckResult(
        name="options_kept",
        outcome="warn" if missing else "pass",
        message=f"{kept} that the brief names are options of the graph.",
        labels=tuple(missing),
        share=1 - len(missing) / len(places),
    )


def result_signs(draft: Draft, _: BriefContent) -> CheckResult:
    """Whether outcomes raise the goal and risks lower it, by the means; by `effect_direction` where
    means are unsigned.

    A net effect of 0 contradicts nothing. Not applicable without an edge from an outcome or risk to
    the goal.
    """
    results = 0
    contradictions: list[str] = []
    for edge, mean in zip(draft.model.edges, draft.model.means, strict=True):
        expected_sign = _SIGNS_AT_GOAL.get(draft.model.topology.ends(edge))
        if expected_sign is None:
            continue
        results += 1
        if mean * expected_sign < 0:
            contradictions.append(f"{edge.source} -> {edge.target}")
    if not results:
        message = "No edge leads from an outcome or a risk to the goal."
        return not_applicable("result_signs", message)
    outcome: CheckOutcome = "warn" if contradictions else "pass"
    if len(contradictions) > CONTRADICTED_TO_FAIL * results:
        outcome = "fail"
    message = f"Outcomes raise the goal and risks lower it on all {results} edges to the goal."
    if contradictions:
        edges = f"{len(contradictions)} of {results} edges to the goal"
        message = f"An outcome lowers the goal, or a risk raises it, on {edges}."
    return CheckResult(
        name="result_signs",
        outcome=outcome,
        message=message,
        labels=tuple(contradictions),
        share=1 - len(contradictions) / results,
    )


_CHECKS: tuple[Callable[[Draft, BriefContent], CheckResult], ...] = (
    target,
    direction,
    options_kept,
    result_signs,
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
