"""What is wrong with an answer or costs it marks, with links to the nodes and edges concerned."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from graph_evaluator.present.table import Entry
from graph_evaluator.records.graph import DraftGraph
from graph_evaluator.records.scorecard import (
    DIMENSION_WEIGHTS,
    CheckResult,
    EdgeRef,
    Finding,
    Scorecard,
    code_name,
    meaning_of,
)
from graph_evaluator.report.drawing.sketch import MAX_NODES, Sketch
from graph_evaluator.shell import numbers
from graph_evaluator.shell.text import clip

MAX_FINDINGS = 200
MAX_LINKS = 20
"""Maximum links of an issue, to nodes and edges together."""
MAX_LABEL = 200
"""Columns of the label of a node."""
NOTICED = {"fail": ("failed", "bad"), "warn": ("warned", "warn")}
"""The check outcomes that are issues: each as a tag, and its colour."""


class DrawnParts:
    """Links to the nodes and edges of a drawing."""

    def __init__(self, graph: DraftGraph, sketch: Sketch) -> None:
        by_label: dict[str, Entry] = {}
        by_id: dict[str, Entry] = {}
        for place, node in reversed(list(enumerate(graph.nodes[:MAX_NODES]))):
            label = node.label or node.id
            link = Entry(clip(label, MAX_LABEL), href=f"#{sketch.name}-n{place}")
            by_label[label] = by_id[node.id] = link
        self._links = by_label | by_id
        for edge in reversed(graph.edges):
            if edge.index in sketch.edges:
                ends = [link.text for link in self.of([edge.source, edge.target])]
                link = Entry(" → ".join(ends), href=f"#{sketch.name}-e{edge.index}")
                self._links[f"{edge.source} -> {edge.target}"] = link

    def of(self, names: Iterable[str], edges: Iterable[EdgeRef | None] = ()) -> list[Entry]:
        """Links to nodes, by id or label, and to edges, by "ID -> ID" too; a text without a link
        for what is not drawn.
        """
        texts = [*names, *(f"{edge.source} -> {edge.target}" for edge in edges if edge)]
        links = (self._links.get(text, Entry(clip(text, MAX_LABEL))) for text in texts)
        return list(dict.fromkeys(links))


@dataclass(frozen=True, slots=True, kw_only=True)
class Issue:
    """One thing that is wrong with an answer, or costs it marks.

    `tag` says how bad it is, `fix` what to do about it. `links` are the nodes and edges concerned,
    `path` is the place in the answer, empty for none.
    """

    name: str
    tag: Entry
    title: str
    message: str
    fix: str
    links: Sequence[Entry] = ()
    path: str = ""


def issues_of(card: Scorecard, parts: DrawnParts) -> Iterator[Issue]:
    """Everything that is wrong with a graph: violations, checks that failed, checks that warned,
    sub-scores below 1 by the form that they cost, and warnings.
    """
    recorded = card.recorded
    for number, violation in enumerate(card.violations[:MAX_FINDINGS], start=1):
        tag = Entry(str(number), look="bad")
        yield _issue_of_finding(violation, f"violation-{number}", tag, parts, recorded=recorded)
    for outcome in NOTICED:
        for check in card.fidelity:
            if check.outcome == outcome:
                yield _issue_of_check(check, parts)
    yield from _lost_marks(card, parts)
    for number, warning in enumerate(card.warnings[:MAX_FINDINGS], start=1):
        tag = Entry("warning, form unchanged", look="warn")
        yield _issue_of_finding(warning, f"warning-{number}", tag, parts, recorded=recorded)


def _issue_of_finding(
    found: Finding, name: str, tag: Entry, parts: DrawnParts, *, recorded: bool
) -> Issue:
    return Issue(
        name=name,
        tag=tag,
        title=code_name(found.code),
        message=found.message,
        fix=meaning_of(found.code).advice(recorded=recorded),
        links=parts.of(found.nodes, found.edges)[:MAX_LINKS],
        path=found.path or "",
    )


def _issue_of_check(check: CheckResult, parts: DrawnParts) -> Issue:
    text, look = NOTICED[check.outcome]
    return Issue(
        name=f"check-{check.name}",
        tag=Entry(text, look=look),
        title=code_name(check.name),
        message=check.message,
        fix=meaning_of(check.name).fix,
        links=parts.of(check.labels)[:MAX_LINKS],
    )


def _lost_marks(card: Scorecard, parts: DrawnParts) -> list[Issue]:
    lost = [
        (DIMENSION_WEIGHTS[dimension] * mark.weight * (1 - mark.value), mark)
        for dimension, marks in card.sub_scores.items()
        for mark in marks
        if mark.value < 1
    ]
    lost.sort(key=lambda loss: -loss[0])
    return [
        Issue(
            name=f"score-{mark.name}",
            tag=Entry(f"{numbers.difference(-form)} form"),
            title=code_name(mark.name),
            message=mark.message,
            fix=meaning_of(mark.name).fix,
            links=parts.of(mark.nodes, mark.edges)[:MAX_LINKS],
        )
        for form, mark in lost
    ]
