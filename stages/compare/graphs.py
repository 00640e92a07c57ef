"""Adapter: the page with the drafted graphs of the cells that moved farthest, from both revisions, side by side."""

from collections.abc import Iterator
from itertools import islice

from stages.compare.changes import MovedCell, moved_cells
from stages.compare.comparison import Comparison
from stages.compare.revisions import NotStored, Revision, Revisions
from stages.compare.sides import Side
from stages.contracts.errors import InputError
from stages.contracts.graph import DraftGraph, read
from stages.contracts.model_config import IDENTIFIER
from stages.contracts.run import TOOL_VERSION
from stages.report.site.frame import Frame, page
from stages.report.site.side_by_side import GraphPair, drafted, side_by_side
from stages.score.response_files import read_response
from stages.shell import numbers, paths

MOST = 12
"""Cells that the page shows at most."""


def graphs_page(result: Comparison, revisions: Revisions) -> bytes:
    """The page with the first sample's graphs of the cells that moved farthest and have one on both sides."""
    pairs = list(islice(_pairs(result, revisions), MOST))
    base, head = result.base.name, result.head.name
    lede = f"The drafted graphs of {numbers.counted(len(pairs), 'cell')} at {base} and at {head}, the largest change first."
    return page(
        Frame(result.head.run.run_id, result.head.run.prompt.path, TOOL_VERSION, result.notes),
        "graphs.html.j2",
        package="stages.compare",
        title=f"{base} and {head}",
        lede=lede if pairs else "No cell has a graph on both sides.",
        pairs=pairs,
    )


def _pairs(result: Comparison, revisions: Revisions) -> Iterator[GraphPair]:
    number = 0
    for cell in moved_cells(result.moves):
        before, after = (_graph(revisions, side, cell) for side in (result.base, result.head))
        if before is None or after is None:
            continue
        number += 1
        name = f"{cell.model_id} on {cell.brief_id}"
        title = f"{name}, {numbers.score(cell.base)} → {numbers.score(cell.head)}"
        sides = ((result.base, before), (result.head, after))
        yield side_by_side(number, title, *(drafted(f"{name} at {side.name}", "", graph) for side, graph in sides))


def _graph(revisions: Revisions, side: Side, cell: MovedCell) -> DraftGraph | None:
    model_id = side.model or cell.model_id
    if not (IDENTIFIER.fullmatch(model_id) and IDENTIFIER.fullmatch(cell.brief_id)):
        return None
    file = paths.RESPONSES / paths.response_file(model_id, cell.brief_id, 1)
    try:
        content = revisions.read(Revision(side.name, side.revision, side.date), file)
        response = read_response(content, file=file.as_posix()) if content is not None else None
    except (NotStored, InputError):
        return None
    graph = read(response.parsed_graph)[0] if response is not None and response.status == "success" else None
    return graph if graph is not None and graph.nodes else None
