"""A table as one value: columns with a kind of number or text, rows, and notes.

`markdown`, `terminal` and the macro `table` of the pages show it.

>>> from graph_evaluator.shell import numbers
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

from graph_evaluator.shell import numbers
from graph_evaluator.shell.text import compact_table, markdown, markdown_code, markdown_table

MAX_ROWS = 300
"""Maximum rows of a table of a page whose number is not bounded otherwise."""
MAX_CHARACTERS = 2_000
"""Characters of a text in Markdown."""
Number: TypeAlias = float | None
"""A value of a column of numbers; None and NaN are "not measured"."""


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


Raw: TypeAlias = Entry | str | Number | tuple[float, float]
"""What `make_table` takes for an entry: a text, a number, or the two numbers of an interval or a
share."""


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

    def entry(self, value: Raw) -> Entry:
        """A value as it is shown.

        Raises:
            ValueError: a number in a column of text.
        """
        if isinstance(value, Entry):
            return value
        if isinstance(value, str):
            return Entry(value)
        if self.number is None:
            raise ValueError(f"the column {self.title!r} is of text, found {value!r}")
        if value is None:
            return Entry(numbers.MISSING)
        numbers_of = value if isinstance(value, tuple) else (value,)
        first = numbers_of[0]
        return Entry(self.number(*numbers_of), first if math.isfinite(first) else None)


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
    """A part of a page or of a summary: its title, sentences and tables. All texts are plain;
    `name` is its id on a page.
    """

    name: str
    title: str
    texts: Sequence[str] = ()
    tables: Sequence[Table] = ()

    @property
    def is_empty(self) -> bool:
        """Whether its first table has no row."""
        return bool(self.tables) and not self.tables[0].rows


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
    entries = tuple(tuple(map(Column.entry, columns, row)) for row in rows)
    return Table(tuple(columns), entries, title, tuple(notes), name, heads)


def as_markdown(table: Table, *, compact: bool = False) -> str:
    """A table as Markdown, every text escaped, and its notes below it; its title is left out, for
    a heading.

    Columns line up as plain text unless the table is `compact`.
    """
    # "#" begins no heading within a table
    titles = (column.title for column in table.columns)
    header = [title if title == "#" else markdown(title) for title in titles]
    rows = [list(map(_escaped, table.columns, row)) for row in table.rows]
    if compact:
        shown = compact_table(header, rows)
    else:
        align = "".join("r" if column.numeric else "l" for column in table.columns)
        shown = markdown_table(header, rows, align)
    return join_parts(shown, *(markdown(note, MAX_CHARACTERS) for note in table.notes))


def join_parts(*parts: str) -> str:
    """The parts that are not empty, as paragraphs."""
    return "\n\n".join(part.strip() for part in parts if part.strip())


def show_list(lines: Sequence[str]) -> str:
    """Plain texts as a list, each escaped."""
    return "\n".join(f"- {markdown(line, MAX_CHARACTERS)}" for line in lines)


def _escaped(column: Column, entry: Entry) -> str:
    if column.numeric:
        return entry.text
    return markdown_code(entry.text) if column.code else markdown(entry.text, MAX_CHARACTERS)
