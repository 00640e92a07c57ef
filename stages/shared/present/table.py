"""A table as one value: columns with a kind of number or text, rows, and notes.

`markdown`, `terminal` and the macro `table` of the pages show it.

>>> from stages.shared.shell import numbers
>>> scores = (Column("Score", numbers.score), Column("Interval", numbers.interval))
>>> columns = [Column("Model"), *scores]
>>> table = make_table(columns, [["gpt-4.1", 0.75, (0.7, 0.8)]])
>>> [entry.text for entry in table.rows[0]]
['gpt-4.1', '0.750', '0.700 to 0.800']
"""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import compress
from typing import NamedTuple, TypeAlias

from stages.shared.shell import numbers

Number: TypeAlias = float | None
"""A value of a column of numbers; None and NaN are "not measured"."""


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table.

    `number` is the function of `shell.numbers` that prints its values; None for a column of text.
    `code` marks a text that is a code or an id. `hint` explains the title in a sentence.
    """

    title: str
    number: Callable[..., str] | None = None
    code: bool = False
    hint: str = ""

    @property
    def numeric(self) -> bool:
        """True for a column of numbers."""
        return self.number is not None


class Entry(NamedTuple):
    """One field of a table as plain text, escaped where it is shown.

    `value` is what a column of numbers is sorted by and what a CSV file gets; None is "not
    measured" and sorts last. `href` is where the entry leads on a page, `look` its colour: good,
    bad or warn. Both are empty for none.
    """

    text: str
    value: float | None = None
    href: str = ""
    look: str = ""


Raw: TypeAlias = Entry | str | Number | tuple[Number, Number]
"""What `make_table` takes for an entry: a text, a number, or the two numbers of an interval or a
share."""


@dataclass(frozen=True, slots=True)
class Table:
    """A table.

    The first `heads` columns name the row. `title` is a caption, `notes` are sentences below the
    table, both plain text. On a page, `name` is the id of the table and the name of its CSV file.
    """

    columns: tuple[Column, ...]
    rows: tuple[tuple[Entry, ...], ...]
    title: str = ""
    notes: tuple[str, ...] = ()
    name: str = ""
    heads: int = 1

    def without_empty_columns(self) -> "Table":
        """The table without the columns in which no row has anything."""
        if not self.rows:
            return self
        shown = [
            any(entry.text not in ("", numbers.MISSING) for entry in entries)
            for entries in zip(*self.rows, strict=True)
        ]
        rows = tuple(tuple(compress(row, shown)) for row in self.rows)
        return replace(self, columns=tuple(compress(self.columns, shown)), rows=rows)

    def first(self, count: int, where: str = "") -> "Table":
        """The first `count` rows; where there are more, a note counts them and says `where`."""
        more = len(self.rows) - count
        if more <= 0:
            return self
        note = f"and {numbers.count(more)} more{where}"
        return replace(self, rows=self.rows[:count], notes=(*self.notes, note))


@dataclass(frozen=True, slots=True)
class Section:
    """A part of a page or of a summary: its title, sentences, and tables, of which the last are
    closed until somebody opens them. All texts are plain; `name` is its id on a page.
    """

    name: str
    title: str
    texts: Sequence[str] = ()
    tables: Sequence[Table] = ()
    closed: Sequence[Table] = ()


def make_table(
    columns: Sequence[Column],
    rows: Iterable[Sequence[Raw]],
    *,
    title: str = "",
    notes: Sequence[str] = (),
    name: str = "",
    heads: int = 1,
) -> Table:
    """A table of texts and numbers, each number printed by its column.

    A pair of numbers is passed to the column's function as two arguments and sorted by the first.
    An `Entry` is taken as it is, for a text of its own, a link or a colour.

    Raises:
        ValueError: a row has more or fewer values than there are columns.
    """
    entries = tuple(
        tuple(_entry(column, value) for column, value in zip(columns, row, strict=True))
        for row in rows
    )
    return Table(tuple(columns), entries, title, tuple(notes), name, heads)


def measured(value: float | None) -> float | None:
    """The value, None where it is NaN or infinite."""
    return value if value is not None and math.isfinite(value) else None


def _entry(column: Column, value: Raw) -> Entry:
    if isinstance(value, Entry):
        return value
    if isinstance(value, str):
        return Entry(value)
    if column.number is None:
        raise ValueError(f"the column {column.title!r} is of text, found {value!r}")
    if isinstance(value, tuple):
        return Entry(column.number(*value), measured(value[0]))
    return Entry(column.number(value), measured(value))
