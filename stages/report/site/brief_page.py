"""A brief's page: the models' cells on it, the best graphs side by side, and its text."""

from collections.abc import Callable, Iterator, Sequence

from stages.contracts.brief import Brief
from stages.contracts.cell import Cell
from stages.contracts.graph import DraftGraph
from stages.report.cells import Row
from stages.report.site.addresses import brief_page, cell_page, root_of
from stages.report.site.frame import Frame, page
from stages.report.site.side_by_side import Drafted, drafted, side_by_side
from stages.report.site.table import cell_of, cell_table

GraphOf = Callable[[Cell], DraftGraph | None]
MAX_DRAFTS = 4
MAX_BODY = 100_000


def brief_file(
    frame: Frame, row: Row, cells: Sequence[Row], brief: Brief | None, graph_of: GraphOf
) -> tuple[str, bytes]:
    """The path and the content of a brief's page.

    Args:
        frame: What every page says.
        row: Its row of the table of briefs.
        cells: Its rows of the frame of cells.
        brief: The brief, if it is still there.
        graph_of: Reads the graph of a cell; None where there is none.
    """
    brief_id = row.brief_id
    at = brief_page(brief_id)
    root = root_of(at)
    best = _best(cells)
    drafts = list(_drafts(best[:MAX_DRAFTS], root, graph_of))
    return at, page(
        frame,
        "brief.html.j2",
        title=brief_id,
        at=at,
        row=row,
        models=len({one.model_id for one in cells}),
        brief=brief,
        cells=cell_table(cells, "name", root=root, caption=f"Cells of {brief_id}"),
        pairs=[
            side_by_side(number, f"{drafts[0].name} and {other.name}", drafts[0], other)
            for number, other in enumerate(drafts[1:], start=1)
        ],
        pairs_note=_note(drafts, len(best)),
        most=MAX_BODY,
    )


def _best(cells: Sequence[Row]) -> list[Row]:
    """The best cell of each model among those with a graph, the best models first."""
    drawn = [row for row in cells if row.status == "success"]
    best: dict[str, Row] = {}
    for row in sorted(drawn, key=lambda row: (-row.expected_score, row.model_id, row.sample)):
        best.setdefault(row.model_id, row)
    return list(best.values())


def _drafts(best: Sequence[Row], root: str, graph_of: GraphOf) -> Iterator[Drafted]:
    """The best graph of each model, the best models first."""
    for row in best:
        graph = graph_of(cell_of(row))
        if graph is not None and graph.nodes:
            yield drafted(row.name, root + cell_page(cell_of(row)), graph)


def _note(drafts: Sequence[Drafted], models: int) -> str:
    if not drafts:
        return ""
    rest = f" Of {models} models with a graph the {len(drafts)} best are shown." if models > len(drafts) else ""
    return (
        f"The best graph, by {drafts[0].name}, against the others. Nodes are the same when their ids or else their "
        f"kinds and labels are.{rest}"
    )
