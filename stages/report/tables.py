"""Tables of the reports: a row for each record, each column a `Field`."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from stages.shared.present.table import Column, Entry, Raw, Table, make_table

Row = TypeVar("Row")


@dataclass(frozen=True)  # slots do not go with a generic class in Python 3.11
class Field(Generic[Row]):
    """A column of a table: its title, what it has of a row, and the kind of number; None for texts.

    On a page, an entry that is not 0 leads to the `page` of its row, if that is not empty, and has
    its `look`. `hint` and `code` are those of a `Column`.
    """

    title: str
    value: Callable[[Row], Raw]
    number: Callable[..., str] | None = None
    hint: str = ""
    page: Callable[[Row], str] | None = None
    look: Callable[[Row], str] | None = None
    code: bool = False


def table_of(
    rows: Iterable[Row],
    fields: Sequence[Field[Row]],
    *,
    title: str = "",
    name: str = "",
    heads: int = 1,
    notes: Sequence[str] = (),
    root: str | None = None,
) -> Table:
    """The rows as a table of these fields.

    On a page the first `heads` columns name the row, and the next is what a phone shows beside it.
    `root` is the way up from the page to the folder of its site; without it, as in Markdown,
    entries lead nowhere.
    """
    columns = [Column(field.title, field.number, field.code, field.hint) for field in fields]
    listed = list(rows)
    plain = make_table(columns, [[field.value(row) for field in fields] for row in listed])
    entries = [
        tuple(_on_page(entry, field, row, root) for entry, field in zip(shown, fields, strict=True))
        for shown, row in zip(plain.rows, listed, strict=True)
    ]
    return Table(plain.columns, tuple(entries), title, tuple(notes), name, heads)


def _on_page(entry: Entry, field: Field[Row], row: Row, root: str | None) -> Entry:
    """The entry with its link and its colour."""
    page = field.page(row) if root is not None and field.page is not None else ""
    href = f"{root}{page}" if page and entry.value != 0 else entry.href
    look = field.look(row) if field.look is not None else entry.look
    return entry._replace(href=href, look=look)
