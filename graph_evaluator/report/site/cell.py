"""The page of an answer: the graph, next to it its problems, its effects and the brief; and the
list of all answers, with the data that its script filters.

The data are a classic script, because a browser reads no other local file for a page that is opened
from disk; `cells-filter.js` describes it.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from markupsafe import Markup, escape

from graph_evaluator.present.page import CELLS, Frame, brief_page, cell_page, model_page
from graph_evaluator.present.table import Entry
from graph_evaluator.records.graph import DraftGraph
from graph_evaluator.records.json_text import JsonObject, JsonValue, canonical, line
from graph_evaluator.records.response import Response
from graph_evaluator.records.scorecard import (
    DIMENSION_WEIGHTS,
    EdgeRef,
    Scorecard,
    code_name,
    meaning_of,
)
from graph_evaluator.report.columns import DIMENSION_NAMES, OUTCOME_NAMES, OUTCOMES, outcome_of
from graph_evaluator.report.drawing.sketch import MAX_NODES, Sketch, draw_graph
from graph_evaluator.report.findings import Findings
from graph_evaluator.report.graph_text import coaching_of, labels_of, node_settings
from graph_evaluator.report.options import option_name, recommendation_text
from graph_evaluator.report.ranking import warnings_of_cell
from graph_evaluator.report.site import ReadAnswer, site_page
from graph_evaluator.shell import numbers
from graph_evaluator.shell.text import clip

IDENTITY = ("model_id", "brief_id", "sample", "fingerprint")
"""What a note says of its answer."""
MAX_FINDINGS = 200
MAX_PARTS = 300
"""Nodes and edges in words."""
MAX_LINKS = 20
"""Maximum links of an issue, to nodes and edges together."""
MAX_LABEL = 200
"""Columns of the label of a node."""
NOTICED = {"fail": ("failed", "bad"), "warn": ("warned", "warn")}
"""The check outcomes that are issues: each as a tag, and its colour."""
OF_CALLS = ("api", "settings", "round", "draw")
"""What says nothing about the request of a recorded answer."""


def cell_file(frame: Frame, answer: ReadAnswer, brief: str = "") -> tuple[str, bytes]:
    """The path and the content of the page of an answer.

    `brief` is empty where its file is missing.
    """
    card, graph = answer.card, answer.graph
    at = cell_page(card.cell)
    title = f"{answer.model} on {card.brief_id}"
    if card.sample > 1:
        title += f", sample {card.sample}"
    sketch = draw_graph(graph, "g", f"Graph drafted by {title}", card.violations)
    parts = DrawnParts(graph, sketch)
    status = meaning_of(card.status)
    pages = ((answer.model, model_page(card.model_id)), (card.brief_id, brief_page(card.brief_id)))
    return at, site_page(
        frame,
        "cell.html.j2",
        title=title,
        at=at,
        trail=pages,
        outcome=outcome_of(card),
        meaning=f"{status.meaning} {status.advice(recorded=card.recorded)}",
        card=card,
        identity=line({name: getattr(card, name) for name in IDENTITY}).decode(),
        response=answer.response,
        brief=brief,
        code_name=code_name,
        meaning_of=meaning_of,
        canonical=canonical,
        dimensions=DIMENSION_NAMES,
        coaching=coaching_of(graph),
        sketch=sketch,
        parts=parts,
        issues=list(issues_of(card, parts)) if card.status == "success" else [],
        recommendation_text=recommendation_text,
        option_name=option_name,
        node_rows=list(_node_rows(graph, parts)),
        edge_rows=list(_edge_rows(graph, parts)),
        request=_request(answer.response),
    )


class DrawnParts:
    """Links to the nodes and edges of a drawing, as HTML."""

    def __init__(self, graph: DraftGraph, sketch: Sketch) -> None:
        self._sketch = sketch
        self._labels = {node.id: node.label or node.id for node in reversed(graph.nodes)}
        self._edges = {
            f"{edge.source} -> {edge.target}": edge
            for edge in reversed(graph.edges)
            if edge.index in sketch.edges
        }
        by_label, by_id = {}, {}
        for place, node in reversed(list(enumerate(graph.nodes[:MAX_NODES]))):
            label = node.label or node.id
            by_label[label] = by_id[node.id] = self._link(label, f"n{place}")
        self._nodes = by_label | by_id

    def _link(self, text: str, part: str = "") -> Markup:
        """A text that leads to a part of the drawing, if there is one."""
        shown = f"<bdi>{escape(clip(text, MAX_LABEL))}</bdi>"
        if part:
            shown = f'<a href="#{self._sketch.name}-{part}">{shown}</a>'
        return Markup(shown)  # noqa: S704 (the text is escaped)

    def link(self, name: str) -> Markup:
        """A link to a node, by id or label, or to an edge, as "ID -> ID"; a text without a link for
        what is not drawn.
        """
        edge = self._edges.get(name)
        if edge is None:
            return self._nodes.get(name) or self._link(name)
        ends = [clip(self._labels.get(end, end), MAX_LABEL) for end in (edge.source, edge.target)]
        return self._link(" → ".join(ends), f"e{edge.index}")

    def of(self, names: Iterable[str], edges: Iterable[EdgeRef | None] = ()) -> list[Markup]:
        """The first `MAX_LINKS` links to nodes and edges, each once."""
        texts = [*names, *(f"{edge.source} -> {edge.target}" for edge in edges if edge)]
        return list(dict.fromkeys(map(self.link, texts)))[:MAX_LINKS]


def _node_rows(graph: DraftGraph, parts: DrawnParts) -> Iterator[tuple[str, ...]]:
    """Each node with its kind, category, settings and id."""
    labels = labels_of(graph)
    for node in graph.nodes[:MAX_PARTS]:
        settings = "; ".join(node_settings(node, labels))
        texts = (node.kind, node.category or "", settings, node.id)
        columns = (80, 80, 400, 80)
        yield parts.link(node.id), *map(clip, texts, columns)


def _edge_rows(graph: DraftGraph, parts: DrawnParts) -> Iterator[tuple[str, ...]]:
    """Each edge with its ends, its numbers and its type."""
    for edge in graph.edges[:MAX_PARTS]:
        figures = (edge.mean, edge.std, edge.exists_probability)
        shown = ["not given" if figure is None else str(figure) for figure in figures]
        kind = "common cause" if edge.bidirected else ""
        yield parts.link(edge.source), parts.link(edge.target), *shown, kind


@dataclass(frozen=True, slots=True)
class Issue:
    """One thing that is wrong with an answer, or costs it marks.

    `tag` says how bad it is. `links` are the nodes and edges concerned, `path` is the place in the
    answer, None for none.
    """

    tag: Entry
    code: str
    message: str
    links: list[Markup]
    path: str | None = None


def issues_of(card: Scorecard, parts: DrawnParts) -> Iterator[Issue]:
    """Everything that is wrong with a graph: violations, checks that failed, checks that warned,
    sub-scores below 1 by the form that they cost, and warnings.
    """
    for number, violation in enumerate(card.violations[:MAX_FINDINGS], start=1):
        links = parts.of(violation.nodes, violation.edges)
        yield Issue(
            Entry(str(number), look="bad"), violation.code, violation.message, links, violation.path
        )
    for outcome, (text, look) in NOTICED.items():
        for check in card.fidelity:
            if check.outcome == outcome:
                links = parts.of(check.labels)
                yield Issue(Entry(text, look=look), check.name, check.message, links)
    lost = [
        (DIMENSION_WEIGHTS[dimension] * mark.weight * (1 - mark.value), mark)
        for dimension, marks in card.sub_scores.items()
        for mark in marks
        if mark.value < 1
    ]
    for form, mark in sorted(lost, key=lambda loss: -loss[0]):
        tag = Entry(f"{numbers.difference(-form)} form")
        yield Issue(tag, mark.name, mark.message, parts.of(mark.nodes, mark.edges))
    for warning in card.warnings[:MAX_FINDINGS]:
        tag = Entry("warning, form unchanged", look="warn")
        yield Issue(
            tag, warning.code, warning.message, parts.of(warning.nodes, warning.edges), warning.path
        )


def _request(response: Response | None) -> dict[str, JsonValue]:
    """The settings of the request and the circumstances of the answer."""
    if response is None:
        return {}
    answer, measured = response.answer, response.answer.measured
    is_recorded = measured.endpoint == "recorded"
    sent = {
        name: value
        for name, value in sorted(response.request.items())
        if not (is_recorded and name in OF_CALLS)
    }
    return sent | {
        "endpoint": measured.endpoint,
        "answered by": measured.answered_model,
        "service tier": measured.service_tier,
        "finished": measured.created_at,
        "fingerprint": answer.fingerprint,
        "price from": response.cost.pricing_source,
        "JSON found": answer.extraction_method,
        "warnings": "; ".join(response.warnings) or None,
    }


def cell_list_files(frame: Frame, findings: Findings) -> Iterator[tuple[str, bytes]]:
    """The list of all cells, by brief, and its data."""
    rows = []
    codes: set[str] = set()
    for cell in (cell for brief in findings.briefs for cell in brief.cells):
        found, warnings = dict.fromkeys(cell.codes), warnings_of_cell(cell)
        codes.update((cell.outcome, *found, *warnings))
        latency_ms = cell.measured.latency_ms
        fields: list[JsonValue] = [
            cell_page(cell.cell),
            cell.model_id,
            cell.brief_id,
            cell.sample,
            cell.outcome,
            [*found],
            [*warnings],
            _rounded(cell.expected_score),
            _rounded(cell.counted_content),
            _rounded(cell.cost.est_cost_usd, 10),
            _rounded(latency_ms and latency_ms / 1000),
        ]
        rows.append(line(fields))
    names: JsonObject = {
        "models": {**findings.names},
        "groups": {**OUTCOME_NAMES},
        "codes": {code: code_name(code) for code in sorted(codes)},
        "meanings": {code: meaning_of(code).meaning for code in sorted(codes)},
    }
    listed = b"window.CELLS = [\n" + b",".join(rows) + b"];\n"
    yield "cells.js", listed + b"window.CELL_NAMES = " + line(names).strip() + b";\n"
    yield (
        CELLS,
        site_page(
            frame,
            "cells.html.j2",
            title="All answers",
            at=CELLS,
            models=findings.candidates,
            unanswered=OUTCOMES["no_answer"],
        ),
    )


def _rounded(value: float | None, places: int = 3) -> float | None:
    return None if value is None else round(value, places)
