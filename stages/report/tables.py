"""Tables of the reports: rows of a frame, each column printed by a `Field`."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import pandas as pd

from stages.shared.present.table import Column, Entry, Table, measured


@dataclass(frozen=True, slots=True)
class Field:
    """A column of a table of the reports.

    `write` gets the values of a row in the frame's columns `sources`, and makes the entry's text of
    them. A column of numbers is sorted by the first of them, or by the column `sort`. `hint`,
    `code` and `choose` are those of a `Column`. On a page, an entry leads to the `page` of the ids
    in the columns `ids`, and has the colour in the column `look`, if the frame has one. Names of
    columns are separated by spaces.
    """

    title: str
    sources: str
    write: Callable[..., str] = str
    hint: str = ""
    number: bool = True
    sort: str = ""
    code: bool = False
    choose: bool = False
    page: Callable[..., str] | None = None
    ids: str = ""
    look: str = ""

    @property
    def column(self) -> Column:
        """How its entries are shown."""
        number = self.write if self.number else None
        return Column(self.title, number, self.code, self.hint, self.choose)

    def entries(self, frame: pd.DataFrame, root: str | None) -> list[Entry]:
        """An entry for each row; `root` is as for `table_of`."""
        nothing = [""] * len(frame)
        sources = self.sources.split()
        texts = [self.write(*values) for values in _rows(frame, sources)]
        numbers: list[float | None] = [None] * len(frame)
        if self.number:
            numbers = [measured(value) for value in frame[self.sort or sources[0]]]
        links = nothing
        if root is not None and self.page is not None:
            pages = [self.page(*ids) if ids[0] else "" for ids in _rows(frame, self.ids.split())]
            links = [
                root + page if page and number != 0 else ""
                for page, number in zip(pages, numbers, strict=True)
            ]
        looks = frame.get(self.look, nothing)
        return [Entry(*parts) for parts in zip(texts, numbers, links, looks, strict=True)]


words = partial(Field, number=False)
"""A column of text."""
Fields = Mapping[str, Field]
"""The columns that a table may have, by a short name."""


def table_of(
    frame: pd.DataFrame,
    fields: Fields,
    shown: str,
    *,
    title: str = "",
    name: str = "",
    notes: Sequence[str] = (),
    root: str | None = None,
    sortable: bool = True,
) -> Table:
    """The rows of a frame as a table of the fields named by `shown`, short names separated by
    spaces.

    On a page the first column should name the row, and the second is what a phone shows beside it.
    `root` is the way up from the page to the folder of its site; without it, as in Markdown,
    entries lead nowhere.
    """
    chosen = [fields[key] for key in shown.split()]
    columns = tuple(field.column for field in chosen)
    rows = tuple(zip(*(field.entries(frame, root) for field in chosen), strict=True))
    return Table(columns, rows, title, tuple(notes), name, sortable=sortable)


def _rows(frame: pd.DataFrame, columns: Sequence[str]) -> "zip[tuple[Any, ...]]":
    return zip(*(frame[column] for column in columns), strict=True)
