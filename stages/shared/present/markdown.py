"""Tables as Markdown, every text escaped."""

from collections.abc import Sequence

from stages.shared.present.table import Column, Entry, Table
from stages.shared.shell.text import compact_table, markdown, markdown_code, markdown_table

MAX_CHARACTERS = 300
"""Characters of a text in a table, unless the caller says otherwise."""
MAX_SENTENCE = 1_000


def show_table(table: Table, *, compact: bool = False, longest: int = MAX_CHARACTERS) -> str:
    """A table as Markdown, and its notes below it; its title is left out, for a heading.

    Columns line up as plain text unless the table is `compact`. A text of more than `longest`
    characters is cut.
    """
    header = [_title(column) for column in table.columns]
    rows = [
        [_escaped(column, entry, longest) for column, entry in zip(table.columns, row, strict=True)]
        for row in table.rows
    ]
    if compact:
        shown = compact_table(header, rows)
    else:
        align = "".join("r" if column.numeric else "l" for column in table.columns)
        shown = markdown_table(header, rows, align)
    return join_parts(shown, *(markdown(note, longest) for note in table.notes))


def join_parts(*parts: str) -> str:
    """The parts that are not empty, as paragraphs."""
    return "\n\n".join(part.strip() for part in parts if part.strip())


def show_list(lines: Sequence[str], *, longest: int = MAX_CHARACTERS) -> str:
    """Plain texts as a list, each escaped."""
    return "\n".join(f"- {markdown(line, longest)}" for line in lines)


def _title(column: Column) -> str:
    if column.title == "#":  # within a table it begins no heading
        return column.title
    return markdown(column.title)


def _escaped(column: Column, entry: Entry, longest: int) -> str:
    if column.numeric:
        return entry.text
    if column.code:
        return markdown_code(entry.text)
    return markdown(entry.text, longest)
