"""Whether a graph keeps the brief's options apart and complete, and agrees with itself."""

from collections import Counter
from collections.abc import Sequence
from itertools import combinations
from typing import Final

from rapidfuzz import fuzz

from stages.contracts.graph import DraftGraph, Node
from stages.contracts.scorecard import CheckResult
from stages.score.fidelity.subject import Draft, Subject
from stages.score.fidelity.words import normalise

TWIN_SIMILARITY: Final = 85.0
"""Similarity of two option labels, from 0 to 100, from which they are nearly equal."""


def direction(graph: DraftGraph) -> CheckResult:
    """Whether the sign of every mean agrees with the edge's `effect_direction`; a mean of 0 and other words are left out."""
    signed = [
        (edge, edge.mean)
        for edge in graph.edges
        if edge.mean and not edge.bidirected and edge.effect_direction in ("positive", "negative")
    ]
    if not signed:
        message = "No edge with a mean states a direction."
        return CheckResult(name="direction", outcome="not_applicable", message=message)
    against = [
        (edge, mean) for edge, mean in signed if (mean > 0) != (edge.effect_direction == "positive")
    ]
    return CheckResult(
        name="direction",
        outcome="warn" if against else "pass",
        message=f"The sign of the mean contradicts effect_direction on {len(against)} of {len(signed)} edges.",
        labels=tuple(f"{edge.source} -> {edge.target}" for edge, _ in against),
        numbers=tuple(mean for _, mean in against),
        share=1 - len(against) / len(signed),
    )


def options_kept(draft: Draft, subject: Subject) -> CheckResult:
    """Whether each option that the front-matter lists has an option of the graph.

    An option is found by an alias of which every word is a part of the label. One label serves one option. Not applicable
    without `options` in the front-matter.
    """
    wanted = subject.expectations.options
    if not wanted:
        message = "The brief's front-matter lists no options."
        return CheckResult(name="options_kept", outcome="not_applicable", message=message)
    labels = [label.normal for label in draft.options]
    served = _matched([_places(aliases, labels) for aliases in wanted])
    missing = tuple(aliases[0] for index, aliases in enumerate(wanted) if index not in served)
    found = len(wanted) - len(missing)
    return CheckResult(
        name="options_kept",
        outcome="warn" if missing else "pass",
        message=f"{found} of the {len(wanted)} options that the brief names are options of the graph.",
        labels=missing,
        share=1 - len(missing) / len(wanted),
    )


def _places(aliases: Sequence[str], labels: Sequence[str]) -> list[int]:
    """Which of the labels hold every word of one of the aliases."""
    words = [normalise(alias).split() for alias in aliases]
    return [
        index
        for index, label in enumerate(labels)
        if any(all(word in label for word in each) for each in words)
    ]


def _matched(fits: Sequence[Sequence[int]]) -> set[int]:
    """The options that a largest assignment of labels to options serves. Augmenting paths, at most six options."""
    owner: dict[int, int] = {}

    def assign(option: int, tried: set[int]) -> bool:
        for label in fits[option]:
            if label not in tried:
                tried.add(label)
                if label not in owner or assign(owner[label], tried):
                    owner[label] = option
                    return True
        return False

    for option in range(len(fits)):
        assign(option, set())
    return set(owner.values())


def twin_options(draft: Draft) -> CheckResult:
    """Whether two options set the same factors to the same values under nearly the same label."""
    if len(draft.options) < 2:
        message = "The graph has fewer than two options with a label."
        return CheckResult(name="twin_options", outcome="not_applicable", message=message)
    twins = tuple(
        f"{one.text} / {other.text}"
        for one, other in combinations(draft.options, 2)
        if _at_four_decimals(one.node) == _at_four_decimals(other.node)
        and fuzz.token_set_ratio(one.normal, other.normal) >= TWIN_SIMILARITY
    )
    message = (
        f"{len(twins)} pairs of options have the same interventions and nearly the same label."
    )
    return CheckResult(
        name="twin_options", outcome="warn" if twins else "pass", message=message, labels=twins
    )


def _at_four_decimals(option: Node) -> dict[str, float]:
    return {factor: round(value, 4) for factor, value in option.interventions.items()}


def duplicate_labels(draft: Draft) -> CheckResult:
    """Whether two nodes have the same label, apart from case, accents and width."""
    if not draft.labels:
        return CheckResult(
            name="duplicate_labels", outcome="not_applicable", message="No node has a label."
        )
    counts = Counter(label.normal for label in draft.labels)
    repeated = tuple(
        dict.fromkeys(label.text for label in draft.labels if counts[label.normal] > 1)
    )
    message = f"{len(repeated)} labels are used by more than one node."
    return CheckResult(
        name="duplicate_labels",
        outcome="warn" if repeated else "pass",
        message=message,
        labels=repeated,
    )
