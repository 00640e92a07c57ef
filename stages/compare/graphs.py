"""Adapter: the drafted graphs of the cells that moved farthest, read from both revisions."""

from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

from stages.compare.comparison import Comparison
from stages.compare.revisions import NotStored, Revision, Revisions
from stages.contracts.errors import InputError
from stages.contracts.graph import DraftGraph, read
from stages.contracts.model_config import IDENTIFIER
from stages.report.site.frame import Frame
from stages.report.site.revision_page import Twice, revision_page
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
    frame = Frame(result.head.run.run_id, result.head.run.prompt.path, "", result.notes)
    return revision_page(base.name, head.name, list(islice(_twice(moved(result), revisions, base, head), MOST)), frame)


def _twice(cells: tuple[Moved, ...], revisions: Revisions, base: Revision, head: Revision) -> Iterator[Twice]:
    for cell in cells:
        before, after = (_graph(revisions, revision, cell) for revision in (base, head))
        if before is not None and after is not None:
            told = f"{numbers.score(cell.base)} → {numbers.score(cell.head)}"
            yield Twice(f"{cell.model_id} on {cell.brief_id}", told, before, after)


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
