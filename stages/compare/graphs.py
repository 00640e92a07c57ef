"""Adapter: the drafted graphs of the cells that moved farthest, read from both revisions."""

from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

from stages.compare.comparison import Comparison
from stages.compare.revisions import NotStored, Revision, Revisions
from stages.contracts.errors import InputError
from stages.contracts.graph import DraftGraph, read
from stages.contracts.model_config import IDENTIFIER
from stages.report.site.frame import Frame, page
from stages.report.site.side_by_side import GraphPair, drafted, side_by_side
from stages.score.response_files import read_response
from stages.shell import numbers, paths

MOST = 12
"""Cells that the page shows at most."""


class Moved(NamedTuple):
    """One model on one brief and its mean scores before and after."""

    model_id: str
    brief_id: str
    base: float
    head: float


def moved(result: Comparison) -> tuple[Moved, ...]:
    """The cells whose scores changed, the farthest first."""
    found = [
        Moved(model.model_id, move.brief_id, model.base, model.head)
        for move in result.moves
        for model in move.models
        if model.base != model.head
    ]
    return tuple(sorted(found, key=lambda cell: (-abs(cell.head - cell.base), cell.brief_id, cell.model_id)))


def graphs_page(result: Comparison, revisions: Revisions) -> bytes:
    """The page with the first sample's graphs of the cells that moved farthest and have one at both revisions."""
    base, head = revisions.resolve(result.base.name), revisions.resolve(result.head.name)
    return page(
        Frame(result.head.run.run_id, result.head.run.prompt.path, result.head.run.tool_version, tuple(result.notes)),
        "compare-graphs.html.j2",
        package="stages.compare",
        title=f"{base.name} and {head.name}",
        base=base.name,
        head=head.name,
        pairs=list(islice(_pairs(moved(result), revisions, base, head), MOST)),
    )


def _pairs(cells: tuple[Moved, ...], revisions: Revisions, base: Revision, head: Revision) -> Iterator[GraphPair]:
    number = 0
    for cell in cells:
        before, after = (_graph(revisions, revision, cell) for revision in (base, head))
        if before is not None and after is not None:
            number += 1
            name = f"{cell.model_id} on {cell.brief_id}"
            change = f"{numbers.score(cell.base)} → {numbers.score(cell.head)}"
            sides = drafted(f"{name} at {base.name}", "", before), drafted(f"{name} at {head.name}", "", after)
            yield side_by_side(number, f"{name}, {change}", *sides)


def _graph(revisions: Revisions, revision: Revision, cell: Moved) -> DraftGraph | None:
    if not (IDENTIFIER.fullmatch(cell.model_id) and IDENTIFIER.fullmatch(cell.brief_id)):
        return None
    file = paths.RESPONSES / paths.response_file(cell.model_id, cell.brief_id, 1)
    try:
        content = revisions.read(revision, file)
        response = read_response(content, file=file.as_posix()) if content is not None else None
    except (NotStored, InputError):
        return None
    graph = read(response.parsed_graph)[0] if response is not None and response.status == "success" else None
    return graph if graph is not None and graph.nodes else None
