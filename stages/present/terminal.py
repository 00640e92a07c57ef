"""Tables in a terminal, fitted to its width: whole numbers and codes, folded texts."""

from collections.abc import Iterator, Sequence

from rich import box
from rich.cells import cell_len
from rich.console import Console, RenderableType
from rich.table import Table as Grid
from rich.text import Text

from stages.present.table import Column, Entry, Table
from stages.shell.text import visible

WIDTH_WITHOUT_TERMINAL = 140
"""Columns of a log or a file that the output goes to."""
MIN_TEXT_COLUMNS = 14
"""A text is folded to no less than this, a code to no less than `MIN_CODE_COLUMNS`."""
MIN_CODE_COLUMNS = 28
_GAP = 2
_STYLES = {"good": "green", "bad": "red", "warn": "yellow"}


def open_console() -> Console:
    """A console on standard output, as wide as the terminal."""
    console = Console(highlight=False)
    if console.is_terminal:
        return console
    return Console(highlight=False, width=WIDTH_WITHOUT_TERMINAL)


def show_table(table: Table, width: int) -> Iterator[RenderableType]:
    """A table in at most `width` columns of the terminal, its title above and its notes below.

    Where its columns do not fit beside each other, it is shown in several parts, each of which
    begins with the columns that name the row. Nothing in a text is taken for markup.
    """
    if table.title:
        yield Text(visible(table.title), "bold")
    for places in _split_columns(table, width):
        yield _grid(table, places)
    for note in table.notes:
        yield show_text(note, "dim")


def show_text(text: str, style: str = "") -> Text:
    """A line of text in which nothing is taken for markup or for a control character."""
    return Text(visible(text), style)


def _split_columns(table: Table, width: int) -> Iterator[Sequence[int]]:
    """The places of the columns of each part."""
    least = [
        _least_width(column, _texts(table, place)) for place, column in enumerate(table.columns)
    ]
    heads = list(range(table.heads))
    part = list(heads)
    for place in range(table.heads, len(least)):
        needed = sum(least[shown] + _GAP for shown in (*part, place)) - _GAP
        if needed > width and part != heads:
            yield part
            part = list(heads)
        part.append(place)
    yield part


def _texts(table: Table, place: int) -> list[str]:
    return [visible(row[place].text) for row in table.rows]


def _least_width(column: Column, texts: Sequence[str]) -> int:
    longest = max(map(cell_len, texts), default=0)
    title = max(map(cell_len, column.title.split()), default=0)
    if column.code:
        longest = min(longest, MIN_CODE_COLUMNS)
    elif not column.numeric:
        longest = min(longest, MIN_TEXT_COLUMNS)
    return max(longest, title)


def _grid(table: Table, places: Sequence[int]) -> Grid:
    grid = Grid(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 1, 0, 0))
    for place in places:
        column = table.columns[place]
        least = _least_width(column, _texts(table, place))
        foldable = not (column.numeric or column.code)
        grid.add_column(
            Text(column.title),
            justify="right" if column.numeric else "left",
            overflow="fold",
            min_width=least,
            width=None if foldable else least,
        )
    for row in table.rows:
        grid.add_row(*(_cell(row[place]) for place in places))
    return grid


def _cell(entry: Entry) -> Text:
    return show_text(entry.text, _STYLES.get(entry.look, ""))
