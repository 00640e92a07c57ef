"""A cell's page: the drawn graph, the scores and what they count, what is wrong with it, and the answer as received."""

from collections.abc import Container, Iterator

from stages.contracts.graph import DraftGraph, read
from stages.contracts.json_text import canonical
from stages.contracts.response import Response
from stages.contracts.scorecard import Scorecard
from stages.report.cells import Row, cell_of
from stages.report.drawing import MAX_NODES, draw_graph, emphasis_of
from stages.report.failures import meaning_of
from stages.report.site.frame import Frame, brief_page, cell_page, model_page, page
from stages.report.site.table import MAX_ROWS, Column, Table, listing, look_of
from stages.report.tables import outcome
from stages.shell import numbers


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
    graph, _ = read(response.parsed_graph if response and response.status == "success" else None)

    def drawn(ids: Container[str], labels: Container[str] = ()) -> str:
        """The drawn nodes that have one of these ids or labels, by their ids on the page."""
        nodes = enumerate(graph.nodes[:MAX_NODES])
        return " ".join(f"g-n{place}" for place, node in nodes if node.id in ids or node.label in labels)

    return at, page(
        frame,
        "cell.html.j2",
        title=f"{row.name} on {cell.brief_id}" + (f", sample {cell.sample}" if cell.sample > 1 else ""),
        at=at,
        trail=((row.name, model_page(cell.model_id)), (cell.brief_id, brief_page(cell.brief_id))),
        outcome=outcome(row.status, usable=row.usable, valid=row.structural_valid),
        look=look_of(row),
        lede=_lede(card),
        card=card,
        response=response,
        sketch=draw_graph(graph, emphasis_of(card.violations)),
        drawn=drawn,
        tables=[*_graph_tables(graph), ("Request", _request(response))],
    )


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


def _graph_tables(graph: DraftGraph) -> Iterator[tuple[str, Table]]:
    """What the graph holds, each with its heading; the first of several nodes with one id names it."""
    labels = {node.id: node.label or node.id for node in reversed(graph.nodes)}
    interventions = [
        (node.label or node.id, labels.get(key, key), value)
        for node in graph.nodes
        for key, value in sorted(node.interventions.items())
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
        rows = [
            *(
                (key, value if isinstance(value, str) else canonical(value).decode())
                for key, value in sorted(response.request.items())[:MAX_ROWS]
            ),
            ("endpoint", response.endpoint),
            ("answered by", response.answered_model),
            ("service tier", response.service_tier),
            ("finished", response.measured.created_at),
            ("fingerprint", response.fingerprint),
            ("price from", response.measured.pricing_source),
            ("JSON found", response.extraction_method),
            *(("warning", warning) for warning in response.warnings[:20]),
        ]
    given = [row for row in rows if row[1] is not None]
    caption = "Settings of the request and the circumstances of the answer"
    return listing("request", caption, ("Setting", "Value"), given, sortable=False)
