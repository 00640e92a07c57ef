"""The site: pages that answer which model to take, how sure that is, what it costs and what went wrong; no network, no server."""

from collections.abc import Callable, Container, Iterator, Mapping, Sequence

import pandas as pd

from stages.contracts.brief import Brief
from stages.contracts.graph import DraftGraph, read
from stages.contracts.json_text import canonical
from stages.contracts.model_config import ModelConfig
from stages.contracts.response import Cell, Response
from stages.contracts.scorecard import Scorecard
from stages.report.cells import Row, cell_of, rows_of, sub_scores
from stages.report.drawing import MAX_NODES, draw_graph, emphasis_of
from stages.report.failures import meaning_of
from stages.report.findings import Findings
from stages.report.site.frame import Frame, brief_page, cell_page, model_page, page, root_of
from stages.report.site.overview import overview_file
from stages.report.site.side_by_side import Drafted, side_by_side
from stages.report.site.table import (
    MAX_ROWS,
    Column,
    Entry,
    Table,
    cell_table,
    failure_tables,
    listing,
    look_of,
)
from stages.report.tables import outcome
from stages.shell import numbers

MAX_DRAFTS = 4


def build(
    findings: Findings,
    briefs: Mapping[str, Brief],
    find: Callable[[Cell], tuple[Scorecard, Response | None]],
) -> Iterator[tuple[str, bytes]]:
    """Every file of the site, one after another: what is yielded can be written and forgotten.

    Relative paths (made from checked ids only) and contents; equal inputs give equal bytes. `briefs` are those by id, as far as there
    are any; `find` reads the scorecard and the response of a cell, None when its file is missing.

    Raises:
        UnsafeId: an id in the findings cannot be a file name.
    """
    run = findings.run
    frame = Frame(run.run_id, run.prompt.path, run.tool_version, findings.notices)

    def graph_of(row: Row) -> DraftGraph:
        _, response = find(cell_of(row))
        return read(response.parsed_graph if response else None)[0]

    yield overview_file(frame, findings)
    by_model, by_brief = (findings.cells.groupby(key) for key in ("model_id", "brief_id"))
    for model in rows_of(findings.models):
        yield _model_file(frame, findings, model, list(rows_of(by_model.get_group(model.model_id))))
    for brief in rows_of(findings.briefs):
        yield _brief_file(
            frame, brief, by_brief.get_group(brief.brief_id), briefs.get(brief.brief_id), graph_of
        )
    for row in rows_of(findings.cells):
        yield cell_file(frame, row, *find(cell_of(row)))


def _model_file(
    frame: Frame, findings: Findings, model: Row, cells: Sequence[Row]
) -> tuple[str, bytes]:
    at = model_page(model.model_id)
    failures = [row for row in rows_of(findings.failures) if row.model_id == model.model_id]
    return at, page(
        frame,
        "model.html.j2",
        title=model.name,
        at=at,
        model=model,
        flags=[flag.message for flag in findings.flags if flag.model_id == model.model_id],
        cells=cell_table(cells, "brief", root=root_of(at), caption=f"Cells of {model.name}"),
        subs=_sub_scores(findings.models, model),
        failures=failure_tables(failures, "code share meaning fix briefs", root=root_of(at)),
        settings=_settings(model.model_id, findings.configs.get(model.model_id)),
    )


def _sub_scores(models: pd.DataFrame, model: Row) -> Table:
    means = models.loc[models["model_id"] == model.model_id, sub_scores(models)].iloc[0].dropna()
    rows = []
    for key, mean in means.items():
        dimension, _, name = str(key).replace("_", " ").partition(".")
        rows.append((name, Entry(numbers.score(mean), mean), dimension))
    columns = ("Sub-score", Column("Mean", numeric=True), Column("Dimension", choose=True))
    return listing(
        "sub-scores", f"Means over {numbers.counted(model.scored, 'valid graph')}", columns, rows
    )


def _settings(model_id: str, config: ModelConfig | None) -> Table:
    rows = [("id", model_id)]
    if config is not None:
        sent = config.params.model_dump(exclude_none=True)
        rows += [("provider", config.provider), ("model", config.model)]
        rows += [(key, str(sent[key])) for key in sorted(sent)]
        rows.append(("pricing", config.pricing.source if config.pricing else "published prices"))
    return listing("settings", "How the model was called", ("Setting", "Value"), rows)


def _brief_file(
    frame: Frame,
    row: Row,
    cells: pd.DataFrame,
    brief: Brief | None,
    graph_of: Callable[[Row], DraftGraph],
) -> tuple[str, bytes]:
    at = brief_page(row.brief_id)
    root = root_of(at)
    best = cells[cells["status"] == "success"].sort_values(
        "expected_score", ascending=False, kind="stable"
    )
    best = best.drop_duplicates("model_id")  # the cells come by model and sample
    graphs = [(one, graph_of(one)) for one in rows_of(best.head(MAX_DRAFTS))]
    drafts = [
        Drafted(one.name, root + cell_page(cell_of(one)), graph)
        for one, graph in graphs
        if graph.nodes
    ]
    return at, page(
        frame,
        "brief.html.j2",
        title=row.brief_id,
        at=at,
        row=row,
        models=cells["model_id"].nunique(),
        brief=brief,
        cells=cell_table(
            list(rows_of(cells)), "name", root=root, caption=f"Cells of {row.brief_id}"
        ),
        drafts=drafts,
        with_graph=len(best),
        pairs=[
            side_by_side(number, f"{drafts[0].name} and {other.name}", drafts[0], other)
            for number, other in enumerate(drafts[1:], start=1)
        ],
    )


def cell_file(
    frame: Frame, row: Row, card: Scorecard, response: Response | None
) -> tuple[str, bytes]:
    """The path and the content of a cell's page; `response` is None when its file is missing."""
    cell = cell_of(row)
    at = cell_page(cell)
    graph, _ = read(response.parsed_graph if response and response.status == "success" else None)

    def drawn(ids: Container[str], labels: Container[str] = ()) -> str:
        """The drawn nodes that have one of these ids or labels, by their ids on the page."""
        nodes = enumerate(graph.nodes[:MAX_NODES])
        return " ".join(
            f"g-n{place}" for place, node in nodes if node.id in ids or node.label in labels
        )

    return at, page(
        frame,
        "cell.html.j2",
        title=f"{row.name} on {cell.brief_id}"
        + (f", sample {cell.sample}" if cell.sample > 1 else ""),
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
    figures = [
        Column(one, numeric=True)
        for one in ("Mean strength", "Standard deviation", "Exists with probability")
    ]
    yield "Edges", listing("edges", "Every edge", ("From", "To", *figures, "Type"), edges)


def _request(response: Response | None) -> Table:
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
