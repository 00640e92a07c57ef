"""The page of a cell: the brief and the drawn graph, what is wrong with it, its scores with their
evidence, the answer; and the list of all cells, with the data that its script filters.

The data are a classic script, because a browser reads no other file beside a page that is opened
from disk; `cells-filter.js` describes it.
"""

from collections.abc import Container, Iterator, Sequence
from functools import partial
from typing import TypeAlias

from graph_evaluator.present.page import CELLS, Frame, brief_page, cell_page, model_page
from graph_evaluator.present.table import Column, Entry, Table, listing
from graph_evaluator.records.graph import DraftGraph, read
from graph_evaluator.records.json_text import JsonObject, JsonValue, canonical, line
from graph_evaluator.records.response import Response
from graph_evaluator.records.scorecard import EdgeRef, Scorecard, ScoredCell, code_name, meaning_of
from graph_evaluator.report.choices import option_name, recommendation_text
from graph_evaluator.report.columns import OUTCOMES, outcome_of
from graph_evaluator.report.drawing.sketch import MAX_NODES, draw_graph, looks_of
from graph_evaluator.report.findings import Findings
from graph_evaluator.report.graph_text import coaching_of, edge_line, labels_of, node_line
from graph_evaluator.report.ranking import warnings_of_cell
from graph_evaluator.report.site import site_page
from graph_evaluator.shell import numbers

Link: TypeAlias = tuple[str, Entry]
"""The name of a cell's model, and its score with its page and the colour of its outcome."""


def cell_file(
    frame: Frame,
    cell: ScoredCell,
    name: str,
    card: Scorecard,
    response: Response | None,
    *,
    brief: str = "",
    of_brief: Sequence[Link] = (),
) -> tuple[str, bytes]:
    """The path and the content of the page of a cell of the model with this name.

    `response` is None when its file is missing, `brief` is empty when its is; `of_brief` are links
    to the cells of the brief.
    """
    at = cell_page(cell.cell)
    title = f"{name} on {cell.brief_id}"
    if cell.sample > 1:
        title += f", sample {cell.sample}"
    is_success = response is not None and response.answer.status == "success"
    graph, _ = read(response.answer.graph if response and is_success else None)
    return at, site_page(
        frame,
        "cell.html.j2",
        title=title,
        at=at,
        trail=((name, model_page(cell.model_id)), (cell.brief_id, brief_page(cell.brief_id))),
        outcome=outcome_of(cell),
        meaning=" ".join(meaning_of(card.status)) if card.status != "success" else "",
        card=card,
        response=response,
        brief=brief,
        others=[(other, score) for other, score in of_brief if score.href != at],
        code_name=code_name,
        coaching=coaching_of(graph),
        sketch=draw_graph(graph, "g", f"Graph drafted by {title}", looks_of(card.violations)),
        drawn=partial(drawn_nodes, graph),
        drawn_edge=partial(drawn_edge, graph),
        recommendation=card.recommendation,
        recommendation_text=recommendation_text,
        option_name=option_name,
        tables=[("The graph in words", _parts(graph)), ("Request", _request(response))],
    )


def link_to(cell: ScoredCell, name: str) -> Link:
    """What the pages of the same brief show of a cell of the model with this name."""
    sample = f", sample {cell.sample}" if cell.sample > 1 else ""
    score, look = numbers.score(cell.expected_score), outcome_of(cell).look
    return f"{name}{sample}", Entry(score, href=cell_page(cell.cell), look=look)


def drawn_nodes(graph: DraftGraph, ids: Container[str], labels: Container[str] = ()) -> str:
    """The ids on the page, separated by spaces, of the drawn nodes that have one of these ids or
    labels.
    """
    return " ".join(
        f"g-n{place}"
        for place, node in enumerate(graph.nodes[:MAX_NODES])
        if node.id in ids or node.label in labels
    )


def drawn_edge(graph: DraftGraph, edge: EdgeRef | None) -> str:
    """The ids on the page of a drawn edge and its ends; none without an edge."""
    if edge is None:
        return ""
    return f"g-e{edge.index} {drawn_nodes(graph, (edge.source, edge.target))}"


def _parts(graph: DraftGraph) -> Table:
    labels = labels_of(graph)
    nodes = [(node_line(node, labels), "node", node.id) for node in graph.nodes]
    edges = [(edge_line(edge, labels), "edge", "") for edge in graph.edges]
    columns = ("In words", "Part", Column("Id", code=True))
    return listing("parts", "Every node and edge", columns, [*nodes, *edges])


def _request(response: Response | None) -> Table:
    facts: list[tuple[str, JsonValue]] = []
    if response is not None:
        answer, measured = response.answer, response.answer.measured
        facts = [
            *sorted(response.request.items()),
            ("endpoint", measured.endpoint),
            ("answered by", measured.answered_model),
            ("service tier", measured.service_tier),
            ("finished", measured.created_at),
            ("fingerprint", answer.fingerprint),
            ("price from", response.cost.pricing_source),
            ("JSON found", answer.extraction_method),
            *(("warning", warning) for warning in response.warnings),
        ]
    rows = [
        (name, value if isinstance(value, str) else canonical(value).decode())
        for name, value in facts
        if value is not None
    ]
    title = "Settings of the request and the circumstances of the answer"
    return listing("request", title, ("Setting", "Value"), rows)


def cell_list_files(frame: Frame, findings: Findings) -> Iterator[tuple[str, bytes]]:
    """The list of all cells, by brief, and its data."""
    cells = [cell for brief in findings.briefs for cell in brief.cells]
    codes: set[str] = set()
    rows = []
    for cell in cells:
        found, warnings = dict.fromkeys(cell.codes), list(warnings_of_cell(cell))
        codes.update([cell.outcome, *found, *warnings])
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
            _rounded(None if latency_ms is None else latency_ms / 1000),
        ]
        rows.append(line(fields))
    names: JsonObject = {
        "models": {model.id: model.name for model in findings.candidates},
        "codes": {code: code_name(code) for code in sorted(codes)},
        "meanings": {code: meaning_of(code)[0] for code in sorted(codes)},
    }
    listed = b"window.CELLS = [\n" + b",".join(rows) + b"];\n"
    yield "cells.js", listed + b"window.CELL_NAMES = " + line(names).strip() + b";\n"
    models, unanswered = findings.candidates, OUTCOMES["no_answer"]
    template = "cells.html.j2"
    title = "All cells"
    yield (
        CELLS,
        site_page(frame, template, title=title, at=CELLS, models=models, unanswered=unanswered),
    )


def _rounded(value: float | None, places: int = 3) -> float | None:
    return None if value is None else round(value, places)
