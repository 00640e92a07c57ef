"""Tables of the site that are in no list of columns."""

from collections.abc import Sequence

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
