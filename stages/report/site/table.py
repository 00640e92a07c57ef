"""Tables of the site: cells and failures with links and colours, and what is in no frame."""

from collections.abc import Sequence

import pandas as pd

from stages.report.columns import CELLS
from stages.report.tables import table_of
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
    *,
    sortable: bool = True,
) -> Table:
    """A table of what is in no frame; texts are cut, and the title counts the rows left out."""
    if len(rows) > MAX_ROWS:
        title += f", the first {MAX_ROWS} of {len(rows):,}"
    titled = [Column(column) if isinstance(column, str) else column for column in columns]
    shown = [[_clipped(value) for value in row] for row in rows[:MAX_ROWS]]
    return make_table(titled, shown, title=title, name=name, sortable=sortable)


def _clipped(value: Raw) -> Raw:
    if isinstance(value, str) and len(value) > MAX_CHARACTERS:
        return clip(value, MAX_CHARACTERS)
    return value


def look_of(usable: bool, answered: bool) -> str:
    """The colour of a cell's outcome."""
    if usable:
        return "good"
    return "bad" if answered else "warn"


def cell_table(cells: pd.DataFrame, by: str, *, root: str, title: str) -> Table:
    """A row per cell, linked to its page; `by` is what heads the rows: `brief` or `name`."""
    sample = "sample" if (cells["sample"] > 1).any() else ""
    figures = (
        "param_quality option_diff completeness content nodes edges failures output cost latency"
    )
    outcomes = zip(cells["usable"], cells["answered"], strict=True)
    return table_of(
        cells.assign(look=[look_of(*outcome) for outcome in outcomes]),
        CELLS,
        f"{by} expected outcome {sample} {figures}",
        title=title,
        name="cells",
        root=root,
    )
