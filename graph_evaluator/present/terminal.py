"""Tables and sentences, fitted to the width of a terminal; words and commands stay whole."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import zip_longest

from rich.cells import cell_len, chop_cells
from rich.console import Console
from rich.text import Text

from graph_evaluator.present.table import Column, Entry, Table
from graph_evaluator.shell.command import columns
from graph_evaluator.shell.text import pieces, visible, wrapped

WIDTH_WITHOUT_TERMINAL = 140
"""Columns of a log or a file that the output goes to."""
MIN_TEXT_COLUMNS = 14
MIN_CODE_COLUMNS = 28
MIN_TITLE_TO_BREAK = 8
MAX_PIECE_COLUMNS = 36
"""A word or a command of a text is kept whole up to this width."""
_GAP = "  "
_STYLES = {"good": "green", "bad": "red", "warn": "yellow"}


def open_console() -> Console:
    """A console on standard output, as wide as the terminal or as `COLUMNS` says."""
    return Console(highlight=False, soft_wrap=True, width=columns(WIDTH_WITHOUT_TERMINAL))


def show_text(text: str, width: int, style: str = "") -> Text:
    """A text on lines of at most `width` columns, without markup and control characters."""
    return Text(wrapped(visible(text), width), style)


def show_table(table: Table, width: int) -> Iterator[Text]:
    """A table in at most `width` columns of the terminal, its title above and its notes below.

    Empty columns are left out. A table that is too wide is shown in several parts. Each part begins
    with the columns that name the row, and has the rows with a value in it.
    """
    if table.title:
        yield show_text(table.title, width, "bold")
    if table.rows:
        shown = table.without_empty_columns()
        columns = list(map(_Printed, shown.columns, zip(*shown.rows, strict=True)))
        for part in _split_columns(columns, shown.heads, width):
            yield from _show_part(part, shown.heads, width)
    for note in table.notes:
        yield show_text(note, width, "dim")


class _Printed:
    """A column of a table with its texts and styles, and the fewest and the most columns of the
    terminal that it needs.
    """

    def __init__(self, column: Column, entries: Iterable[Entry]) -> None:
        self.is_numeric, self.title = column.numeric, visible(column.title)
        texts = [(visible(entry.text), _STYLES.get(entry.look, "")) for entry in entries]
        self.texts = texts
        self.most = max(cell_len(text) for text, _ in texts)
        least = min(self.most, MIN_TEXT_COLUMNS)
        if column.numeric:
            least = self.most
        elif column.code:
            least = min(self.most, MIN_CODE_COLUMNS)
        else:
            # Wide characters may break anywhere.
            whole = [len(piece) for text, _ in texts for piece in pieces(text) if piece.isascii()]
            least = max(least, min(max(whole, default=0), MAX_PIECE_COLUMNS))
        words = self.title.split() if len(self.title) >= MIN_TITLE_TO_BREAK else [self.title]
        self.least = max(least, *map(cell_len, words))


def _split_columns(
    columns: Sequence[_Printed], heads: int, width: int
) -> Iterator[Sequence[_Printed]]:
    """The columns of each part, which begins with the `heads`."""
    part = columns[:heads]
    for column in columns[heads:]:
        needed = sum(shown.least + len(_GAP) for shown in (*part, column)) - len(_GAP)
        if needed > width and len(part) > heads:
            yield part
            part = columns[:heads]
        part = [*part, column]
    yield part


def _show_part(columns: Sequence[_Printed], heads: int, width: int) -> Iterator[Text]:
    widths = _widths(columns, width)
    yield from _show_row(columns, widths, [(column.title, "") for column in columns])
    yield Text("─" * (sum(widths) + len(_GAP) * (len(columns) - 1)))
    for row in zip(*(column.texts for column in columns), strict=True):
        if any(text for text, _ in row[heads:]) or len(columns) == heads:
            yield from _show_row(columns, widths, row)


def _widths(columns: Sequence[_Printed], width: int) -> list[int]:
    """The width of each column of a part: those that need little more than the least get it first,
    the others share what is left.
    """
    widths = [column.least for column in columns]
    missing = [column.most - column.least for column in columns]
    spare = width - sum(widths) - len(_GAP) * (len(columns) - 1)
    for number, place in enumerate(sorted(range(len(columns)), key=missing.__getitem__)):
        share = spare // (len(columns) - number)
        added = max(0, min(missing[place], share))
        widths[place] += added
        spare -= added
    return widths


def _show_row(
    columns: Sequence[_Printed], widths: Sequence[int], row: Sequence[tuple[str, str]]
) -> Iterator[Text]:
    """The lines of a row of texts with their styles; what is wider than a line is cut."""
    cells = []
    for (text, _), width in zip(row, widths, strict=True):
        lines = wrapped(text, width).split("\n")
        cells.append([part for line in lines for part in chop_cells(line, width) or [""]])
    for parts in zip_longest(*cells, fillvalue=""):
        shown = Text()
        for column, width, (_, style), part in zip(columns, widths, row, parts, strict=True):
            padding = " " * (width - cell_len(part))
            shown.append(padding + part if column.is_numeric else part, style)
            shown.append(_GAP if column.is_numeric else padding + _GAP)
        shown.rstrip()
        yield shown
