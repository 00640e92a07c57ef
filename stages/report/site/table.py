"""Tables of the site: the cells of a page, and what is in no list of columns."""

from collections.abc import Sequence

from stages.report.columns import EXPECTED_OF_CELL, FIGURES_OF_CELL, SAMPLE, OfCell
from stages.report.tables import table_of
from stages.shared.analysis.scored_cell import ScoredCell
from stages.shared.present.table import Column, Raw, Table, make_table
from stages.shared.shell.text import clip

PACKAGE = "stages.report.site"
"""Where the templates of the site are."""
MAX_ROWS = 300
"""Rows of a listing at most."""
MAX_CHARACTERS = 400


def listing(
    name: str,
    title: str,
    columns: Sequence[str | Column],
    rows: Sequence[Sequence[Raw]],
) -> Table:
    """A table of values; texts are cut, and the title counts the rows left out."""
    if len(rows) > MAX_ROWS:
        title += f", the first {MAX_ROWS} of {len(rows):,}"
    titled = [Column(column) if isinstance(column, str) else column for column in columns]
    shown = [[_clipped(value) for value in row] for row in rows[:MAX_ROWS]]
    return make_table(titled, shown, title=title, name=name)


def _clipped(value: Raw) -> Raw:
    if isinstance(value, str) and len(value) > MAX_CHARACTERS:
        return clip(value, MAX_CHARACTERS)
    return value


def cell_table(
    cells: Sequence[ScoredCell], head: OfCell, outcome: OfCell, *, root: str, title: str
) -> Table:
    """A row per cell; `head` is the column that heads the rows, `outcome` leads to their pages."""
    sample = (SAMPLE,) if any(cell.sample > 1 for cell in cells) else ()
    fields = (head, EXPECTED_OF_CELL, outcome, *sample, *FIGURES_OF_CELL)
    return table_of(cells, fields, title=title, name="cells", root=root)
