"""The table of cells on the pages of models and briefs: one line per cell, linked to its page."""

from collections.abc import Iterable

from stages.report import number_formats as show
from stages.report.cells import CellResult
from stages.report.site.addresses import cell_page
from stages.report.site.entries import codes, counted, measured, verdict_of
from stages.report.site.table import Column, Entry, Table

_COLUMNS = (
    Column("Sample", numeric=True),
    Column("Outcome", choose=True),
    Column("Expected", numeric=True, hint="The overall score; 0 where the failure is the model's doing"),
    Column("Parameters", numeric=True, hint="Parameter quality, 0 to 1"),
    Column("Options", numeric=True, hint="Option differentiation, 0 to 1"),
    Column("Completeness", numeric=True, hint="0 to 1"),
    Column("Nodes", numeric=True),
    Column("Edges", numeric=True),
    Column("Violations"),
    Column("Output tokens", numeric=True),
    Column("Cost", numeric=True),
    Column("Latency", numeric=True),
)


def cell_table(cells: Iterable[CellResult], *, root: str, by: str, names: dict[str, str], caption: str) -> Table:
    """The cells of one model (`by` is "Brief") or of one brief (`by` is "Model"); `names` are the models' names."""
    rows = []
    for cell in cells:
        name = cell.brief_id if by == "Brief" else names.get(cell.model_id, cell.model_id)
        rows.append(
            (
                Entry(name, href=root + cell_page(cell.cell)),
                counted(cell.sample),
                verdict_of(cell),
                measured(cell.expected_score, show.score),
                measured(cell.param_quality, show.score),
                measured(cell.option_diff, show.score),
                measured(cell.completeness, show.score),
                counted(cell.node_count),
                counted(cell.edge_count),
                codes(cell.violation_codes),
                counted(cell.output_tokens),
                measured(cell.est_cost_usd, show.money),
                measured(cell.latency_ms, show.duration),
            )
        )
    return Table("cells", caption, (Column(by), *_COLUMNS), tuple(rows))
