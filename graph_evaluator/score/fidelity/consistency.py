"""Whether a graph keeps the brief's options apart and complete, and agrees with itself."""

from collections import Counter
from collections.abc import Sequence
from itertools import combinations

from rapidfuzz import fuzz

from graph_evaluator.graph.topology import settings_of
from graph_evaluator.records.scorecard import CheckOutcome, CheckResult
from graph_evaluator.score.fidelity.effects import find_options
from graph_evaluator.score.fidelity.subject import BriefContent, Draft, not_applicable
from graph_evaluator.shell.numbers import counted

TWIN_SIMILARITY = 85.0
"""Similarity of two option labels, from 0 to 100, from which they are nearly equal."""
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
    means: list[float] = []
    for edge in draft.graph.edges:
        states_direction = edge.effect_direction in ("positive", "negative")
        if not edge.mean or edge.bidirected or not states_direction:
            continue
        stated += 1
        if (edge.mean > 0) != (edge.effect_direction == "positive"):
            contradictions.append(f"{edge.source} -> {edge.target}")
            means.append(edge.mean)
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
        numbers=tuple(means),
        share=1 - len(contradictions) / stated,
    )


def options_kept(draft: Draft, subject: BriefContent) -> CheckResult:
    """Whether each option that the front-matter lists and does not exclude has one of the graph.

    The codebook finds an option, else an alias whose words are all in the label.
    One label serves one option. Not applicable without `options` in the front-matter.
    """
    stated = subject.expectations
    excluded = set(map(stated.option_called, stated.excluded))
    places = [place for place in range(len(stated.options)) if place not in excluded]
    if not places:
        return not_applicable("options_kept", "The brief's front-matter lists no options.")
    mentions = find_options(draft.options, stated.options, subject.coded)
    fitting = [[mention.node.id for mention in named] for named in mentions]
    option_of: dict[str, int] = {}
    missing: list[str] = []
    for place in places:
        if not _find_label(place, fitting, option_of, set()):
            missing.append(stated.options[place][0])
    kept = f"{len(places) - len(missing)} of the {len(places)} options"
    return CheckResult(
        name="options_kept",
        outcome="warn" if missing else "pass",
        message=f"{kept} that the brief names are options of the graph.",
        labels=tuple(missing),
        share=1 - len(missing) / len(places),
    )


def _find_label(
    option: int, fitting: Sequence[Sequence[str]], option_of: dict[str, int], tried: set[str]
) -> bool:
    """Find a label for an option that no other has, moving others to other labels (augmenting
    paths, at most six options); False where there is none.
    """
    for label in fitting[option]:
        if label in tried:
            continue
        tried.add(label)
        owner = option_of.get(label)
        if owner is None or _find_label(owner, fitting, option_of, tried):
            option_of[label] = option
            return True
    return False


def result_signs(draft: Draft, _: BriefContent) -> CheckResult:
    """Whether outcomes raise the goal and risks lower it, by the means; by `effect_direction` where
    means are unsigned.

    A net effect of 0 contradicts nothing. Not applicable without an edge from an outcome or risk to
    the goal.
    """
    kinds = {node.id: node.kind for node in draft.graph.nodes}
    results = 0
    contradictions: list[str] = []
    means: list[float] = []
    for edge, mean in zip(draft.model.edges, draft.model.means, strict=True):
        expected_sign = _SIGNS_AT_GOAL.get((kinds.get(edge.source), kinds.get(edge.target)))
        if expected_sign is None:
            continue
        results += 1
        if mean * expected_sign < 0:
            contradictions.append(f"{edge.source} -> {edge.target}")
            means.append(mean)
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
        numbers=tuple(means),
        share=1 - len(contradictions) / results,
    )


def twin_options(draft: Draft, _: BriefContent) -> CheckResult:
    """Whether two options set the same factors to the same values under nearly the same label."""
    if len(draft.options) < 2:
        message = "The graph has fewer than two options with a label."
        return not_applicable("twin_options", message)
    twins: list[str] = []
    for first, second in combinations(draft.options, 2):
        similarity = fuzz.token_set_ratio(first.normal, second.normal)
        if similarity >= TWIN_SIMILARITY and settings_of(first.node) == settings_of(second.node):
            twins += [first.text, second.text]
    message = "No two options have the same interventions and nearly the same label."
    if twins:
        pairs = counted(len(twins) // 2, "pair of options", "pairs of options")
        message = f"The same interventions and nearly the same label: {pairs}."
    return CheckResult(
        name="twin_options",
        outcome="warn" if twins else "pass",
        message=message,
        labels=tuple(twins),
    )


def duplicate_labels(draft: Draft, _: BriefContent) -> CheckResult:
    """Whether two nodes have the same label, apart from case, accents and width."""
    if not draft.labels:
        return not_applicable("duplicate_labels", "No node has a label.")
    counts = Counter(label.normal for label in draft.labels)
    repeated = [label.text for label in draft.labels if counts[label.normal] > 1]
    distinct = tuple(dict.fromkeys(repeated))
    message = "Every label is used by one node."
    if distinct:
        message = f"Used by more than one node: {counted(len(distinct), 'label')}."
    return CheckResult(
        name="duplicate_labels",
        outcome="warn" if distinct else "pass",
        message=message,
        labels=distinct,
    )
