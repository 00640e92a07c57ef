"""The page of an answer: the graph, next to it its problems, its effects and the brief; and the
list of all answers, with the data that its script filters.

The data are a classic script, because a browser reads no other local file for a page that is opened
from disk; `cells-filter.js` describes it.
"""

from collections.abc import Iterator

from graph_evaluator.present.page import CELLS, Frame, brief_page, cell_page, model_page
from graph_evaluator.records.json_text import JsonObject, JsonValue, canonical, line
from graph_evaluator.records.response import Response
from graph_evaluator.records.scorecard import code_name, meaning_of
from graph_evaluator.report.choices import option_name, recommendation_text
from graph_evaluator.report.columns import DIMENSION_NAMES, OUTCOME_NAMES, OUTCOMES, outcome_of
from graph_evaluator.report.drawing.sketch import draw_graph
from graph_evaluator.report.findings import Findings
from graph_evaluator.report.graph_text import coaching_of, labels_of, node_settings
from graph_evaluator.report.ranking import warnings_of_cell
from graph_evaluator.report.site import ReadAnswer, site_page
from graph_evaluator.report.site.issues import DrawnParts, issues_of

IDENTITY = ("model_id", "brief_id", "sample", "fingerprint")
"""What a note says of its answer."""
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
        canonical=canonical,
        dimensions=DIMENSION_NAMES,
        coaching=coaching_of(graph),
        sketch=sketch,
        parts=parts,
        issues=list(issues_of(card, parts)) if card.status == "success" else [],
        recommendation=card.recommendation,
        recommendation_text=recommendation_text,
        option_name=option_name,
        graph=graph,
        labels=labels_of(graph),
        node_settings=node_settings,
        request=_request(answer.response),
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
        "groups": dict(OUTCOME_NAMES),
        "codes": {code: code_name(code) for code in sorted(codes)},
        "meanings": {code: meaning_of(code)[0] for code in sorted(codes)},
    }
    listed = b"window.CELLS = [\n" + b",".join(rows) + b"];\n"
    yield "cells.js", listed + b"window.CELL_NAMES = " + line(names).strip() + b";\n"
    models, unanswered = findings.candidates, OUTCOMES["no_answer"]
    page = site_page(
        frame,
        "cells.html.j2",
        title="All answers",
        at=CELLS,
        models=models,
        unanswered=unanswered,
    )
    yield CELLS, page


def _rounded(value: float | None, places: int = 3) -> float | None:
    return None if value is None else round(value, places)
