"""Tables in a terminal, fitted to its width: whole numbers and codes, folded texts."""

from collections.abc import Iterator, Sequence

from rich import box
from rich.cells import cell_len
from rich.console import Console, RenderableType
from rich.table import Table as Grid
from rich.text import Text

from graph_evaluator.present.table import Entry, Table
from graph_evaluator.shell.command import columns
from graph_evaluator.shell.text import visible

WIDTH_WITHOUT_TERMINAL = 140
"""Columns of a log or a file that the output goes to."""
MIN_TEXT_COLUMNS = 14
"""A text is folded to no less than this, a code to no less than `MIN_CODE_COLUMNS`."""
MIN_CODE_COLUMNS = 28
_GAP = 2
_STYLES = {"good": "green", "bad": "red", "warn": "yellow"}


def open_console() -> Console:
    """A console on standard output, as wide as the terminal or as `COLUMNS` says."""
    return Console(highlight=False, width=columns(WIDTH_WITHOUT_TERMINAL))


def show_table(table: Table, width: int) -> Iterator[RenderableType]:
    """A table in at most `width` columns of the terminal, its title above and its notes below.

    A table that is too wide is shown in several parts. Each part begins with the columns that name
    the row. Nothing in a text is taken for markup.
    """
    if table.title:
        yield Text(visible(table.title), "bold")
    least = [_least_width(table, place) for place in range(len(table.columns))]
    for places in _split_columns(table.heads, least, width):
        yield _grid(table, places, least)
    for note in table.notes:
        yield show_text(note, "dim")


def show_text(text: str, style: str = "") -> Text:
    """A line of text, without markup and control characters."""
    return Text(visible(text), style)


def _split_columns(heads: int, least: Sequence[int], width: int) -> Iterator[Sequence[int]]:
    """The places of the columns of each part; the first `heads` columns begin every part."""
    naming = list(range(heads))
    part = naming.copy()
    for place in range(heads, len(least)):
        needed = sum(least[shown] + _GAP for shown in (*part, place)) - _GAP
        if needed > width and part != naming:
            yield part
            part = naming.copy()
        part.append(place)
    yield part


def _least_width(table: Table, place: int) -> int:
    """The fewest columns of the terminal that a column of the table needs."""
    column = table.columns[place]
    longest = max((cell_len(visible(row[place].text)) for row in table.rows), default=0)
    title = max(map(cell_len, column.title.split()), default=0)
    if column.code:
        longest = min(longest, MIN_CODE_COLUMNS)
    elif not column.numeric:
        longest = min(longest, MIN_TEXT_COLUMNS)
    return max(longest, title)


def _grid(table: Table, places: Sequence[int], least: Sequence[int]) -> Grid:
    grid = Grid(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 1, 0, 0))
    for place in places:
        column = table.columns[place]
        foldable = not (column.numeric or column.code)
        grid.add_column(
            Text(column.title),
            justify="right" if column.numeric else "left",
            overflow="fold",
            min_width=least[place],
            width=None if foldable else least[place],
        )
    for row in table.rows:
        grid.add_row(*(_cell(row[place]) for place in places))
    return grid


def _cell(entry: Entry) -> Text:
    return show_text(entry.text, _STYLES.get(entry.look, ""))
