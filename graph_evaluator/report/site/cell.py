"""The page of an answer: the graph, next to it its problems, its effects and the brief; and the
list of all answers, with the data that its script filters.

The data are a classic script, because a browser reads no other local file for a page that is opened
from disk; `cells-filter.js` describes it.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property, partial

from markupsafe import Markup, escape

from graph_evaluator.present.page import CELLS, Frame, brief_page, cell_page, model_page, page
from graph_evaluator.records.codes import code_name, meaning_of
from graph_evaluator.records.graph import DraftGraph, read
from graph_evaluator.records.json_text import JsonObject, JsonValue, canonical, line
from graph_evaluator.records.response import Response
from graph_evaluator.records.scorecard import DIMENSION_WEIGHTS, EdgeRef, Scorecard, SubScore
from graph_evaluator.report.columns import DIMENSION_NAMES, OUTCOME_NAMES, OUTCOMES, outcome_of
from graph_evaluator.report.drawing.sketch import MAX_NODES, Sketch, draw_graph
from graph_evaluator.report.findings import Findings
from graph_evaluator.report.graph_text import coaching_of, labels_of, node_settings
from graph_evaluator.report.options import option_name, recommendation_text
from graph_evaluator.shell.text import clip

IDENTITY = ("model_id", "brief_id", "sample", "fingerprint")
"""What a note says of its answer."""
MAX_LINKS = 20
"""Maximum links of an issue, to nodes and edges together."""
MAX_LABEL = 200
"""Columns of the label of a node."""
OF_CALLS = ("api", "settings", "round", "draw")
"""What says nothing about the request of a recorded answer."""
site_page = partial(page, package=__package__)
"""A page by a template of the site."""


@dataclass(frozen=True)
class ReadAnswer:
    """An answer with its evidence, by the model of this name; `response` is None where its file is
    missing.
    """

    model: str
    card: Scorecard
    response: Response | None

    @property
    def name(self) -> str:
        """The name of its model, with the sample from the second one on."""
        sample = self.card.sample
        return f"{self.model}, sample {sample}" if sample > 1 else self.model

    @cached_property
    def graph(self) -> DraftGraph:
        """Its graph, an empty one where it has none."""
        answer = self.response.answer if self.response else None
        return read(answer.graph if answer and answer.status == "success" else None)[0]


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
        lost=_lost_marks(card),
        recommendation_text=recommendation_text,
        option_name=option_name,
        graph=graph,
        node_settings=node_settings,
        labels=labels_of(graph),
        request=_request(answer.response),
    )


class DrawnParts:
    """Links to the nodes and edges of a drawing, as HTML."""

    def __init__(self, graph: DraftGraph, sketch: Sketch) -> None:
        self._drawing = sketch.name
        by_id: dict[str, tuple[str, str]] = {}
        by_label: dict[str, tuple[str, str]] = {}
        for place, node in reversed(list(enumerate(graph.nodes[:MAX_NODES]))):
            label = node.label or node.id
            by_id[node.id] = by_label[label] = clip(label, MAX_LABEL), f"n{place}"
        # the text and the place in the drawing of what a finding names
        self._parts = by_label | by_id
        for edge in reversed(graph.edges):
            if edge.index in sketch.edges:
                ends = [
                    by_id.get(end, (clip(end, MAX_LABEL), ""))[0]
                    for end in (edge.source, edge.target)
                ]
                part = (" → ".join(ends), f"e{edge.index}")
                self._parts[f"{edge.source} -> {edge.target}"] = part

    def link(self, name: str) -> Markup:
        """A link to a node, by id or label, or to an edge, as "ID -> ID"; a text without a link for
        what is not drawn.
        """
        text, part = self._parts.get(name, (clip(name, MAX_LABEL), ""))
        shown = f"<bdi>{escape(text)}</bdi>"
        if part:
            shown = f'<a href="#{self._drawing}-{part}">{shown}</a>'
        return Markup(shown)  # noqa: S704 (the text is escaped)

    def of(self, names: Iterable[str], edges: Iterable[EdgeRef] = ()) -> list[Markup]:
        """The first `MAX_LINKS` links to nodes and edges, each once."""
        texts = [*names, *(f"{edge.source} -> {edge.target}" for edge in edges)]
        return list(dict.fromkeys(map(self.link, texts)))[:MAX_LINKS]


def _lost_marks(card: Scorecard) -> list[tuple[float, SubScore]]:
    """The sub-scores below 1 with the form that they cost, the largest loss first."""
    lost = [
        (DIMENSION_WEIGHTS[dimension] * mark.weight * (1 - mark.value), mark)
        for dimension, marks in card.sub_scores.items()
        for mark in marks
        if mark.value < 1 and mark.weight
    ]
    return sorted(lost, key=lambda loss: -loss[0])


def _request(response: Response | None) -> dict[str, JsonValue]:
    """The settings of the request and the circumstances of the answer."""
    if response is None:
        return {}
    answer, measured = response.answer, response.answer.measured
    hidden = OF_CALLS if measured.endpoint == "recorded" else ()
    sent = {name: value for name, value in sorted(response.request.items()) if name not in hidden}
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
    for cell in sorted(findings.cells, key=lambda cell: cell.brief_id):
        found = dict.fromkeys(cell.codes)
        warned = [check for check in cell.noticed_checks if check not in found]
        warnings = dict.fromkeys((*cell.warning_codes, *warned))
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
