"""A cell's page: the drawn graph, the scores and what they count, what is wrong with it, and the answer as received."""

from collections.abc import Iterator, Sequence

from stages.contracts.graph import DraftGraph, read
from stages.contracts.json_text import NotJson, canonical
from stages.contracts.response import Response
from stages.contracts.scorecard import CheckResult, Finding, Outcome, Scorecard
from stages.report.cells import Row
from stages.report.drawing import draw_graph, emphasis_of
from stages.report.failures import meaning_of
from stages.report.site.addresses import brief_page, cell_page, model_page
from stages.report.site.frame import Frame, page
from stages.report.site.table import MAX_ROWS, Column, Table, cell_of, listing, look_of
from stages.report.tables import outcome
from stages.shell import numbers
from stages.shell.text import clip

MAX_RAW = 60_000
MAX_FINDINGS = 200
MAX_EVIDENCE = 20
"""Labels, numbers and passages of one fidelity check that are shown."""
_LOOKS: dict[Outcome, str] = {"fail": "bad", "warn": "warn", "pass": "good", "not_applicable": ""}


def cell_file(frame: Frame, row: Row, card: Scorecard, response: Response | None) -> tuple[str, bytes]:
    """The path and the content of a cell's page.

    Args:
        frame: What every page says.
        row: The cell's row of the frame of cells.
        card: The cell's scorecard.
        response: Its response; None when the file is missing.
    """
    cell = cell_of(row)
    at = cell_page(cell)
    title = f"{row.name} on {cell.brief_id}" + (f", sample {cell.sample}" if cell.sample > 1 else "")
    drafted = response.parsed_graph if response and response.status == "success" else None
    graph, _ = read(drafted or {"nodes": [], "edges": []})
    text = response.raw_text or "" if response else ""
    return at, page(
        frame,
        "cell.html.j2",
        title=title,
        at=at,
        trail=((row.name, model_page(cell.model_id)), (cell.brief_id, brief_page(cell.brief_id))),
        outcome=outcome(row.status, usable=row.usable, valid=row.structural_valid),
        look=look_of(row),
        lede=_lede(card),
        card=card,
        error=clip(response.error_message or "", 2000) if response else "",
        sketch=draw_graph(graph, emphasis_of(card.violations)),
        no_graph=_no_graph(card, response),
        violations=_findings(card.violations, graph),
        warnings=_findings(card.warnings, graph),
        checks=_checks(card.fidelity, graph),
        tables=(*_graph_tables(graph), ("Request", _request(response))),
        raw=text[:MAX_RAW] if text else None,
        raw_note=f"The first {MAX_RAW:,} of {len(text):,} characters." if len(text) > MAX_RAW else "",
        raw_size=numbers.counted(len(text), "character"),
    )


def _no_graph(card: Scorecard, response: Response | None) -> str:
    if card.status != "success":
        return "There is none."
    return "The answer has no nodes and no edges." if response else "The response file is missing: run dvc checkout."


def _lede(card: Scorecard) -> str:
    if card.usable:
        return f"Overall score {numbers.score(card.overall_score)}."
    if card.structural_valid:
        failed = ", ".join(check.name for check in card.fidelity if check.outcome == "fail")
        return f"The graph does not belong to its brief, so it counts as 0: {failed}."
    if card.status == "success":
        rules = numbers.counted(len(set(card.violation_codes)), "structural rule")
        return f"The graph breaks {rules}, so it has no scores."
    return " ".join(meaning_of(card.status))


def _findings(found: Sequence[Finding], graph: DraftGraph) -> list[dict[str, str]]:
    """Findings with the ids of the drawn nodes that they name."""
    places: dict[str, list[int]] = {}
    for place, node in enumerate(graph.nodes):
        places.setdefault(node.id, []).append(place)
    return [
        {
            "code": item.code,
            "message": clip(item.message, 1000),
            "path": clip(item.path or "", 200),
            "highlights": " ".join(f"g-n{place}" for node in item.nodes[:50] for place in places.get(node, ())),
        }
        for item in found[:MAX_FINDINGS]
    ]


def _checks(found: Sequence[CheckResult], graph: DraftGraph) -> list[dict[str, object]]:
    """Fidelity checks with their evidence and the ids of the drawn nodes whose labels or ids they name."""
    return [
        {
            "name": check.name.replace("_", " "),
            "outcome": check.outcome.replace("_", " "),
            "look": _LOOKS[check.outcome],
            "message": clip(check.message, 1000),
            "labels": [clip(label, 200) for label in check.labels[:MAX_EVIDENCE]],
            "numbers": [numbers.parameter(number) for number in check.numbers[:MAX_EVIDENCE]],
            "passages": [clip(passage.text, 200) for passage in check.passages[:MAX_EVIDENCE]],
            "highlights": " ".join(
                f"g-n{place}" for place, node in enumerate(graph.nodes) if {node.id, node.label} & set(check.labels)
            ),
        }
        for check in found
    ]


def _graph_tables(graph: DraftGraph) -> Iterator[tuple[str, Table]]:
    """What the graph holds, each with its heading; the first of several nodes with one id names it."""
    labels = {node.id: node.label or node.id for node in reversed(graph.nodes)}
    interventions = [
        (node.label or node.id, labels.get(key, key), node.interventions[key])
        for node in graph.nodes
        for key in sorted(node.interventions)
    ]
    columns = ("Option", "Factor", Column("Set to", numeric=True))
    yield "Interventions", listing("interventions", "What each option sets", columns, interventions)
    nodes = [(node.id, node.kind, node.category or "", node.label or "") for node in graph.nodes]
    yield "Nodes", listing("nodes", "Every node", ("Id", "Kind", "Category", "Label"), nodes)
    edges = [
        (
            *(labels.get(end, end) for end in (edge.source, edge.target)),
            *(edge.mean, edge.std, edge.exists_probability),
            edge.edge_type or "directed",
        )
        for edge in graph.edges
    ]
    figures = [Column(one, numeric=True) for one in ("Mean strength", "Standard deviation", "Exists with probability")]
    yield "Edges", listing("edges", "Every edge", ("From", "To", *figures, "Type"), edges)


def _request(response: Response | None) -> Table:
    """The request's settings, where it was sent, and how it was answered."""
    rows: list[tuple[str, str | None]] = []
    if response is not None:
        rows += [(key, _json(value)) for key, value in sorted(response.request.items())[:MAX_ROWS]]
        rows += [
            ("endpoint", response.endpoint),
            ("answered by", response.answered_model),
            ("service tier", response.service_tier),
            ("finished", response.measured.created_at),
            ("fingerprint", response.fingerprint),
            ("price from", response.measured.pricing_source),
            ("JSON found", response.extraction_method),
        ]
        rows += [("warning", warning) for warning in response.warnings[:20]]
    caption = "Settings of the request and the circumstances of the answer"
    return listing(
        "request", caption, ("Setting", "Value"), [row for row in rows if row[1] is not None], sortable=False
    )


def _json(value: object) -> str:
    if isinstance(value, str):
        return value
    try:
        return canonical(value).decode(errors="replace")
    except (NotJson, TypeError, ValueError, RecursionError):
        return "(cannot be shown)"
