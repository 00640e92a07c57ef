"""The whole site as a stream of files."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from stages.contracts.brief import Brief
from stages.contracts.cell import Cell
from stages.report.cells import CellResult
from stages.report.digest import Digest
from stages.report.site.brief_page import BriefPages
from stages.report.site.cell_page import CellPages
from stages.report.site.evidence import Each, Find, Page, one_by_one
from stages.report.site.frame import frame_of
from stages.report.site.model_page import model_file
from stages.report.site.overview import overview


def build(digest: Digest, briefs: Mapping[str, Brief], find: Find, each: Each = one_by_one) -> Iterator[Page]:
    """Every file of the site, one after another: what is yielded can be written and forgotten.

    Args:
        digest: All findings of the run.
        briefs: The briefs by id; a cell's brief may be missing.
        find: Reads the scorecard and the response of a cell; asked for each cell once, and again for graphs that are compared.
        each: How the function that makes the page of a cell, or of a brief by its id, is applied to all.

    Yields:
        Relative paths (made from validated ids only) and contents. Equal inputs give equal bytes.

    Raises:
        UnsafeId: an id in the findings cannot be a file name.
    """
    frame = frame_of(digest)
    board = digest.leaderboard
    names = {standing.model_id: standing.display_name for standing in board.standings}
    by_model: dict[str, list[CellResult]] = {}
    by_brief: dict[str, list[CellResult]] = {}
    for result in digest.cells:
        by_model.setdefault(result.model_id, []).append(result)
        by_brief.setdefault(result.brief_id, []).append(result)
    pages = _Pages(
        CellPages(frame, names, find),
        BriefPages(frame, {brief.brief_id: brief for brief in board.briefs}, briefs, by_brief, names, find),
    )
    jobs: list[Cell | str] = [result.cell for result in digest.cells]
    # These come first: processes are started before the charts' library has started threads of its own.
    yield from each(pages, [*jobs, *(brief.brief_id for brief in board.briefs)])
    for one in board.standings:
        yield model_file(frame, digest, one, by_model.get(one.model_id, []))
    yield overview(frame, digest)


@dataclass(frozen=True)
class _Pages:
    """The pages that are made apart from one another: a cell's, or a brief's by its id."""

    of_cells: CellPages
    of_briefs: BriefPages

    def __call__(self, job: Cell | str) -> Page:
        return self.of_briefs(job) if isinstance(job, str) else self.of_cells(job)
