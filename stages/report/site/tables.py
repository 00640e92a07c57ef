"""The tables that several pages show: cells, and failures in two groups."""

from collections.abc import Sequence

from stages.contracts.cell import Cell
from stages.report.cells import Row
from stages.report.site.addresses import cell_page, model_page
from stages.report.site.table import Table, table_of
from stages.report.tables import cell_fields, failure_fields

_CELLS = "expected outcome {}param_quality option_diff completeness nodes edges violations output cost latency"


def cell_of(row: Row) -> Cell:
    """The cell of a row of the frame of cells."""
    return Cell(row.model_id, row.brief_id, row.sample)


def look_of(row: Row) -> str:
    """The colour of a cell's outcome."""
    return "good" if row.usable else "bad" if row.answered else "warn"


def cell_table(cells: Sequence[Row], by: str, *, root: str, caption: str) -> Table:
    """A row per cell, linked to its page; `by` is what heads the rows: `brief` or `name`."""
    return table_of(
        "cells",
        caption,
        cells,
        cell_fields(),
        f"{by} {_CELLS.format('sample ' if any(row.sample > 1 for row in cells) else '')}",
        choose="outcome",
        links={by: lambda row: root + cell_page(cell_of(row))},
        looks={"outcome": look_of},
    )


def failure_tables(failures: Sequence[Row], columns: str, *, root: str = "", name: str = "failures") -> list[Table]:
    """Failures in two tables, each only if there are any: cells without an answer, and what the models did wrong."""
    groups = {
        "unanswered": ("Cells without an answer", [row for row in failures if not row.answered]),
        "answered": ("Answers without a usable graph", [row for row in failures if row.answered]),
    }
    return [
        table_of(
            f"{name}-{group}",
            caption,
            found,
            failure_fields(),
            columns,
            choose="code name",
            links={"name": lambda row: root + model_page(row.model_id)},
            looks={"code": lambda row: "bad" if row.answered else "warn"},
        )
        for group, (caption, found) in groups.items()
        if found
    ]
