"""Tables of the site: texts, the values that they are sorted by, links and looks. The macro `table` renders them."""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from stages.report.cells import Row, cell_of
from stages.report.site.frame import cell_page, model_page
from stages.report.tables import Field, cell_fields, failure_fields
from stages.shell import numbers
from stages.shell.text import clip

MAX_ROWS = 300
"""Rows of a listing at most."""
Of = Mapping[str, Callable[[Row], str]]
"""By the short name of a field: what its entries have beside their text, for a row of the frame."""
_NOTHING: Of = MappingProxyType({})
_LONGEST = 400


@dataclass(frozen=True, slots=True)
class Column:
    """A column's title, whether it holds numbers, what the title means in a sentence, and whether rows can be chosen by it."""

    title: str
    numeric: bool = False
    hint: str = ""
    choose: bool = False


@dataclass(frozen=True, slots=True)
class Entry:
    """One field of a table.

    `value` is what a numeric column is sorted by and what a CSV file gets; None is "not measured" and sorts last. `look` is a
    colour of the style sheet: good, bad or warn.
    """

    text: str
    value: float | None = None
    href: str = ""
    look: str = ""


@dataclass(frozen=True, slots=True)
class Table:
    """A table; `name` is its id on the page and the name of its CSV file; sorted, filtered and downloaded where `sortable`."""

    name: str
    caption: str
    columns: Sequence[Column]
    rows: Sequence[Sequence[Entry]]
    sortable: bool = True


def table_of(
    name: str, caption: str, rows: Iterable[Row], fields: Mapping[str, Field], columns: str, *,
    choose: str = "", links: Of = _NOTHING, looks: Of = _NOTHING, sortable: bool = True,
) -> Table:  # fmt: skip
    """Rows of a frame as a table.

    `columns` are the short names of the shown fields, separated by spaces: the first should name the row, the second is what a
    phone shows beside it. By the values of `choose` a reader can choose rows. `links` are the pages to which entries lead,
    `looks` their colours.
    """
    shown = [(key, fields[key]) for key in columns.split()]

    def entry(key: str, field: Field, row: Row) -> Entry:
        href, look = (of[key](row) if key in of else "" for of in (links, looks))
        return Entry(
            field.text(row),
            _measured(getattr(row, field.value)) if field.value else None,
            href,
            look,
        )

    return Table(
        name,
        caption,
        [
            Column(field.title, bool(field.value), field.hint, key in choose.split())
            for key, field in shown
        ],
        [[entry(key, field, row) for key, field in shown] for row in rows],
        sortable,
    )


def listing(
    name: str, caption: str, columns: Sequence[str | Column], rows: Sequence[Sequence[Entry | str | float | None]], *,
    sortable: bool = True,
) -> Table:  # fmt: skip
    """A table of what is in no frame: texts, which are cut, and parameters of a graph; a caption counts the rows left out."""
    titles = [Column(column) if isinstance(column, str) else column for column in columns]
    if len(rows) > MAX_ROWS:
        caption += f", the first {MAX_ROWS} of {len(rows):,}"
    return Table(
        name, caption, titles, [list(map(_entry, row)) for row in rows[:MAX_ROWS]], sortable
    )


def _entry(value: Entry | str | float | None) -> Entry:
    if isinstance(value, Entry):
        return value
    if isinstance(value, str):
        return Entry(clip(value, _LONGEST))
    return Entry(numbers.parameter(value), _measured(value))


def _measured(value: float | None) -> float | None:
    return value if value is not None and math.isfinite(value) else None


def look_of(row: Row) -> str:
    """The colour of a cell's outcome."""
    return "good" if row.usable else "bad" if row.answered else "warn"


def cell_table(cells: Sequence[Row], by: str, *, root: str, caption: str) -> Table:
    """A row per cell, linked to its page; `by` is what heads the rows: `brief` or `name`."""
    sample = " sample" if any(row.sample > 1 for row in cells) else ""
    figures = "param_quality option_diff completeness nodes edges violations output cost latency"
    return table_of(
        "cells", caption, cells, cell_fields(), f"{by} expected outcome{sample} {figures}", choose="outcome",
        links={by: lambda row: root + cell_page(cell_of(row))}, looks={"outcome": look_of},
    )  # fmt: skip


def failure_tables(
    failures: Sequence[Row], columns: str, *, root: str = "", name: str = "failures"
) -> list[Table]:
    """Failures in two tables, each only if there are any: cells without an answer, with the provider's code, and unusable answers."""
    groups = (
        (False, "unanswered", "Cells without an answer", f"{columns} recorded"),
        (True, "answered", "Answers without a usable graph", columns),
    )
    tables = (
        table_of(
            f"{name}-{group}", caption, [row for row in failures if row.answered == answered], failure_fields(), shown,
            choose="code name", links={"name": lambda row: root + model_page(row.model_id)},
            looks={"code": lambda row: "bad" if row.answered else "warn"},
        )
        for answered, group, caption, shown in groups
    )  # fmt: skip
    return [table for table in tables if table.rows]
