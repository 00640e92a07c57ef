"""Whether a graph keeps the brief's options apart and complete, and agrees with itself."""

from collections import Counter
from collections.abc import Sequence
from itertools import combinations
from typing import Final

from rapidfuzz import fuzz

from stages.contracts.scorecard import CheckResult
from stages.score.fidelity.draft import Draft
from stages.score.fidelity.subject import Subject

TWIN_SIMILARITY: Final = 85.0
"""Similarity of two option labels, from 0 to 100, from which they are nearly equal."""


def direction(draft: Draft) -> CheckResult:
    """Whether the sign of every mean agrees with the edge's `effect_direction`; a mean of 0 and other words are left out."""
    signed = [
        (edge, edge.mean)
        for edge in draft.effects
        if edge.mean is not None and edge.effect_direction in ("positive", "negative")
    ]
    if not signed:
        message = "No edge with a mean states a direction."
        return CheckResult(name="direction", outcome="not_applicable", message=message)
    against = [(edge, mean) for edge, mean in signed if (mean > 0) != (edge.effect_direction == "positive")]
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
    wanted = subject.options
    if not wanted:
        message = "The brief's front-matter lists no options."
        return CheckResult(name="options_kept", outcome="not_applicable", message=message)
    fits = [
        [
            index
            for index, option in enumerate(draft.options)
            if any(_holds(option.label.normal, alias) for alias in aliases)
        ]
        for aliases in wanted
    ]
    served = set(_matching(fits).values())
    missing = tuple(aliases[0] for index, aliases in enumerate(subject.expectations.options) if index not in served)
    message = (
        f"{len(wanted) - len(missing)} of the {len(wanted)} options that the brief names are options of the graph."
    )
    return CheckResult(
        name="options_kept",
        outcome="warn" if missing else "pass",
        message=message,
        labels=missing,
        share=1 - len(missing) / len(wanted),
    )


def twin_options(draft: Draft) -> CheckResult:
    """Whether two options set the same factors to the same values under nearly the same label."""
    if len(draft.options) < 2:
        message = "The graph has fewer than two options with a label."
        return CheckResult(name="twin_options", outcome="not_applicable", message=message)
    twins = [
        f"{one.label.text} / {other.label.text}"
        for one, other in combinations(draft.options, 2)
        if one.interventions == other.interventions
        and fuzz.token_set_ratio(one.label.normal, other.label.normal) >= TWIN_SIMILARITY
    ]
    message = f"{len(twins)} pairs of options have the same interventions and nearly the same label."
    return CheckResult(name="twin_options", outcome="warn" if twins else "pass", message=message, labels=tuple(twins))


def duplicate_labels(draft: Draft) -> CheckResult:
    """Whether two nodes have the same label, apart from case, accents and width."""
    if not draft.labels:
        return CheckResult(name="duplicate_labels", outcome="not_applicable", message="No node has a label.")
    counts = Counter(label.normal for label in draft.labels)
    repeated = tuple(dict.fromkeys(label.text for label in draft.labels if counts[label.normal] > 1))
    return CheckResult(
        name="duplicate_labels",
        outcome="warn" if repeated else "pass",
        message=f"{len(repeated)} labels are used by more than one node.",
        labels=repeated,
    )


def _holds(label: str, alias: Sequence[str]) -> bool:
    return all(word in label for word in alias)


def _matching(fits: Sequence[Sequence[int]]) -> dict[int, int]:
    """A largest assignment of labels to options: label to option. Augmenting paths, at most six options."""
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
    return owner
