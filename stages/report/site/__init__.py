"""The site: pages that answer which model to take, how sure that is, what it costs and what went wrong; no network, no server."""

from collections.abc import Callable, Iterator, Mapping

from stages.contracts.brief import Brief
from stages.contracts.cell import Cell
from stages.contracts.graph import DraftGraph, read
from stages.contracts.response import Response
from stages.contracts.scorecard import Scorecard
from stages.report.cells import Row, rows_of
from stages.report.findings import Findings
from stages.report.site.brief_page import brief_file
from stages.report.site.cell_page import cell_file
from stages.report.site.frame import Frame
from stages.report.site.model_page import model_file
from stages.report.site.overview import overview_file
from stages.report.site.table import cell_of

__all__ = ["build"]


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

    def graph_of(cell: Cell) -> DraftGraph | None:
        _, response = find(cell)
        return read(response.parsed_graph)[0] if response else None

    by_model: dict[str, list[Row]] = {}
    by_brief: dict[str, list[Row]] = {}
    cells = list(rows_of(findings.cells))
    for row in cells:
        by_model.setdefault(row.model_id, []).append(row)
        by_brief.setdefault(row.brief_id, []).append(row)
    yield overview_file(frame, findings)
    for model in rows_of(findings.models):
        yield model_file(frame, findings, model, by_model[model.model_id])
    for brief in rows_of(findings.briefs):
        yield brief_file(frame, brief, by_brief[brief.brief_id], briefs.get(brief.brief_id), graph_of)
    for row in cells:
        yield cell_file(frame, row, *find(cell_of(row)))
