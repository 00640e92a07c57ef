"""Tables and sentences, fitted to the width of a terminal; words and commands stay whole."""

from collections.abc import Iterator, Sequence
from itertools import zip_longest

from rich.cells import cell_len, chop_cells
from rich.console import Console
from rich.text import Text

from graph_evaluator.present.table import Entry, Table
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
        least = [_least_width(shown, place) for place in range(len(shown.columns))]
        for places in _split_columns(shown.heads, least, width):
            yield from _show_part(shown, places, _widths(shown, places, least, width))
    for note in table.notes:
        yield show_text(note, width, "dim")


def _split_columns(heads: int, least: Sequence[int], width: int) -> Iterator[Sequence[int]]:
    """The places of the columns of each part, which begins with the `heads`."""
    naming = list(range(heads))
    part = naming.copy()
    for place in range(heads, len(least)):
        needed = sum(least[shown] + len(_GAP) for shown in (*part, place)) - len(_GAP)
        if needed > width and part != naming:
            yield part
            part = naming.copy()
        part.append(place)
    yield part


def _least_width(table: Table, place: int) -> int:
    """The fewest columns of the terminal that a column of the table needs."""
    column = table.columns[place]
    texts = [visible(row[place].text) for row in table.rows]
    longest = max(map(cell_len, texts))
    words = [column.title] if len(column.title) < MIN_TITLE_TO_BREAK else column.title.split()
    title = max(map(cell_len, words), default=0)
    if column.code:
        return max(title, min(longest, MIN_CODE_COLUMNS))
    if column.numeric:
        return max(title, longest)
    # Wide characters may break anywhere.
    whole = [len(piece) for text in texts for piece in pieces(text) if piece.isascii()]
    longest_piece = min(max(whole, default=0), MAX_PIECE_COLUMNS)
    return max(title, longest_piece, min(longest, MIN_TEXT_COLUMNS))


def _widths(
    table: Table, places: Sequence[int], least: Sequence[int], width: int
) -> dict[int, int]:
    """The width of each column of a part: those that need little more than the least get it first,
    the others share what is left.
    """
    widths = {place: least[place] for place in places}
    spare = width - sum(widths.values()) - len(_GAP) * (len(places) - 1)
    missing = {
        place: max(cell_len(visible(row[place].text)) for row in table.rows) - least[place]
        for place in places
    }
    for number, place in enumerate(sorted(places, key=missing.__getitem__)):
        share = spare // (len(places) - number)
        added = max(0, min(missing[place], share))
        widths[place] += added
        spare -= added
    return widths


def _show_part(table: Table, places: Sequence[int], widths: dict[int, int]) -> Iterator[Text]:
    titles = {place: Entry(table.columns[place].title) for place in places}
    yield from _show_row(table, titles, widths)
    yield Text("─" * (sum(widths.values()) + len(_GAP) * (len(places) - 1)))
    for row in table.rows:
        if any(row[place].text for place in places[table.heads :]) or len(places) == table.heads:
            yield from _show_row(table, {place: row[place] for place in places}, widths)


def _show_row(table: Table, row: dict[int, Entry], widths: dict[int, int]) -> Iterator[Text]:
    """The lines of a row."""
    cells = [_fold(entry.text, widths[place]) for place, entry in row.items()]
    for parts in zip_longest(*cells, fillvalue=""):
        line = Text()
        for (place, entry), part in zip(row.items(), parts, strict=True):
            padding = " " * (widths[place] - cell_len(part))
            is_right = table.columns[place].numeric
            line.append(padding + part if is_right else part, _STYLES.get(entry.look, ""))
            line.append(_GAP if is_right else padding + _GAP)
        line.rstrip()
        yield line


def _fold(text: str, width: int) -> list[str]:
    """The lines of a text; what is wider than a line is cut into several."""
    lines = wrapped(visible(text), width).split("\n")
    return [part for line in lines for part in chop_cells(line, width) or [""]]
