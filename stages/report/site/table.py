"""Tables of the site: what stands in them, what they are sorted by, where they link to."""

from typing import NamedTuple


class Column(NamedTuple):
    """A column's title, whether it holds numbers, what the title means in a sentence, and whether rows can be picked by it."""

    title: str
    numeric: bool = False
    hint: str = ""
    choose: bool = False


class Entry(NamedTuple):
    """One cell of a table.

    `value` is what the table is sorted by and what a CSV file gets, where that is not the text; None with a numeric column
    is "not measured" and sorts last. `look` is a colour of the style sheet: good, bad or warn.
    """

    text: str
    value: float | str | None = None
    href: str = ""
    look: str = ""
    note: str = ""
    long: bool = False


class Table(NamedTuple):
    """A table. `name` is its address on the page and the name of its CSV file; the first column heads the rows."""

    name: str
    caption: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Entry, ...], ...]
    sortable: bool = True
