"""The site: pages that answer which model to take, how sure that is, what it costs and what went wrong; no network, no server."""

from collections.abc import Callable, Iterator, Mapping, Sequence

import pandas as pd

from stages.contracts.brief import Brief
from stages.contracts.cell import Cell
from stages.contracts.graph import DraftGraph, read
from stages.contracts.model_config import ModelConfig
from stages.contracts.response import Response
from stages.contracts.scorecard import Scorecard
from stages.report.cells import Row, cell_of, rows_of, sub_scores
from stages.report.findings import Findings
from stages.report.site.cell import cell_file
from stages.report.site.frame import Frame, brief_page, cell_page, model_page, page, root_of
from stages.report.site.overview import overview_file
from stages.report.site.side_by_side import Drafted, side_by_side
from stages.report.site.table import Column, Entry, Table, cell_table, failure_tables, listing
from stages.shell import numbers

__all__ = ["build"]

MAX_DRAFTS = 4


def build(
    findings: Findings, briefs: Mapping[str, Brief], find: Callable[[Cell], tuple[Scorecard, Response | None]]
) -> Iterator[tuple[str, bytes]]:
    """Every file of the site, one after another: what is yielded can be written and forgotten.

    Args:
        findings: All findings of the run.
        briefs: The briefs by id; a cell's brief may be missing.
        find: Reads the scorecard and the response of a cell, None when its file is missing. Called again for the graphs that
            are shown side by side.

    Yields:
        Relative paths (made from checked ids only) and contents. Equal inputs give equal bytes.

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
        yield _brief_file(frame, brief, by_brief.get_group(brief.brief_id), briefs.get(brief.brief_id), graph_of)
    for row in rows_of(findings.cells):
        yield cell_file(frame, row, *find(cell_of(row)))


def _model_file(frame: Frame, findings: Findings, model: Row, cells: Sequence[Row]) -> tuple[str, bytes]:
    """A model's page: its figures, its cells, its failures and its settings."""
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
    return listing("sub-scores", f"Means over {numbers.counted(model.scored, 'valid graph')}", columns, rows)


def _settings(model_id: str, config: ModelConfig | None) -> Table:
    rows = [("id", model_id)]
    if config is not None:
        sent = config.params.model_dump(exclude_none=True)
        rows += [("provider", config.provider), ("model", config.model)]
        rows += [(key, str(sent[key])) for key in sorted(sent)]
        rows.append(("pricing", config.pricing.source if config.pricing else "published prices"))
    return listing("settings", "How the model was called", ("Setting", "Value"), rows)


def _brief_file(
    frame: Frame, row: Row, cells: pd.DataFrame, brief: Brief | None, graph_of: Callable[[Row], DraftGraph]
) -> tuple[str, bytes]:
    """A brief's page: the models' cells on it, the best graph of each of the best models side by side, and its text."""
    at = brief_page(row.brief_id)
    root = root_of(at)
    best = cells[cells["status"] == "success"].sort_values("expected_score", ascending=False, kind="stable")
    best = best.drop_duplicates("model_id")  # the cells come by model and sample
    graphs = [(one, graph_of(one)) for one in rows_of(best.head(MAX_DRAFTS))]
    drafts = [Drafted(one.name, root + cell_page(cell_of(one)), graph) for one, graph in graphs if graph.nodes]
    return at, page(
        frame,
        "brief.html.j2",
        title=row.brief_id,
        at=at,
        row=row,
        models=cells["model_id"].nunique(),
        brief=brief,
        cells=cell_table(list(rows_of(cells)), "name", root=root, caption=f"Cells of {row.brief_id}"),
        drafts=drafts,
        with_graph=len(best),
        pairs=[
            side_by_side(number, f"{drafts[0].name} and {other.name}", drafts[0], other)
            for number, other in enumerate(drafts[1:], start=1)
        ],
    )
