"""The tables of a cell's page: what the options set, the nodes, the edges, the request."""

import math

from stages.contracts.graph import DraftGraph
from stages.contracts.json_text import NotJson, canonical
from stages.contracts.response import Response
from stages.report.drawing.wording import number
from stages.report.site.table import Column, Entry, Table
from stages.report.visible_text import cut, visible

MAX_ROWS = 300
_LABEL = 400


def graph_tables(graph: DraftGraph) -> tuple[Table, ...]:
    """Interventions, nodes and edges."""
    labels: dict[str, str] = {}
    for node in graph.nodes:
        labels.setdefault(node.id, cut(visible(node.label or node.id), _LABEL))
    return _interventions(graph, labels), _nodes(graph), _edges(graph, labels)


def request_table(response: Response) -> Table:
    """The request's settings, where it went and what came back."""
    facts = [
        ("endpoint", response.endpoint),
        ("answered by", response.answered_model),
        ("service tier", response.service_tier),
        ("finished", response.measured.created_at),
        ("fingerprint", response.fingerprint),
        ("price from", response.measured.pricing_source),
        ("JSON found", response.extraction_method),
    ]
    rows = [(_text(key), _text(_json(value))) for key, value in sorted(response.request.items())[:MAX_ROWS]]
    rows += [(_text(key), _text(value)) for key, value in facts if value is not None]
    rows += [(_text("warning"), _text(warning)) for warning in response.warnings[:20]]
    return Table(
        "request", "Settings of the request and the circumstances of the answer", _PLAIN, tuple(rows), sortable=False
    )


_PLAIN = (Column("Setting"), Column("Value"))


def _json(value: object) -> str:
    if isinstance(value, str):
        return value
    try:
        return canonical(value).decode("utf-8", errors="replace")
    except (NotJson, TypeError, ValueError, RecursionError):
        return "(cannot be shown)"


def _text(text: str) -> Entry:
    return Entry(cut(visible(text), _LABEL), long=True)


def _value(value: float | None) -> Entry:
    measured = value is not None and math.isfinite(value)
    return Entry(number(value), value if measured else None)


def _interventions(graph: DraftGraph, labels: dict[str, str]) -> Table:
    found = [(node, key, node.interventions[key]) for node in graph.nodes for key in sorted(node.interventions)]
    rows = tuple(
        (_text(labels[node.id]), _text(labels.get(key, key)), _value(value)) for node, key, value in found[:MAX_ROWS]
    )
    columns = (Column("Option"), Column("Factor"), Column("Set to", numeric=True))
    return Table("interventions", _caption("What each option sets", len(found)), columns, rows)


def _nodes(graph: DraftGraph) -> Table:
    rows = tuple(
        (_text(node.id), _text(node.kind), _text(node.category or ""), _text(node.label or ""))
        for node in graph.nodes[:MAX_ROWS]
    )
    columns = (Column("Id"), Column("Kind"), Column("Category"), Column("Label"))
    return Table("nodes", _caption("Every node", len(graph.nodes)), columns, rows)


def _edges(graph: DraftGraph, labels: dict[str, str]) -> Table:
    rows = tuple(
        (
            _text(labels.get(edge.source, edge.source)),
            _text(labels.get(edge.target, edge.target)),
            _value(edge.mean),
            _value(edge.std),
            _value(edge.exists_probability),
            _text(edge.edge_type or "directed"),
        )
        for edge in graph.edges[:MAX_ROWS]
    )
    columns = (
        Column("From"),
        Column("To"),
        Column("Mean strength", numeric=True),
        Column("Standard deviation", numeric=True),
        Column("Exists with probability", numeric=True),
        Column("Type"),
    )
    return Table("edges", _caption("Every edge", len(graph.edges)), columns, rows)


def _caption(what: str, rows: int) -> str:
    return what if rows <= MAX_ROWS else f"{what}, the first {MAX_ROWS} of {rows:,}"
