"""Tables as Markdown, every text escaped."""

from collections.abc import Iterator, Sequence

from stages.shared.present.table import Column, Entry, Section, Table
from stages.shared.shell.text import compact_table, details, markdown, markdown_code, markdown_table

MAX_CHARACTERS = 300
"""Characters of a text in a table, unless the caller says otherwise."""
MAX_SENTENCE = 1_000
MAX_OPEN_ROWS = 40
"""A table with more rows is closed."""


def show_section(section: Section, site: str = "") -> Iterator[str]:
    """The paragraphs of a section; where it has several tables, each below its title."""
    yield f"## {markdown(section.title)}"
    yield from (markdown(text, MAX_SENTENCE) for text in section.texts)
    for table in section.tables:
        shown = show_table(table, longest=MAX_SENTENCE, site=site)
        if len(table.rows) > MAX_OPEN_ROWS:
            yield details(table.title, shown)
            continue
        if len(section.tables) > 1:
            yield f"{markdown(table.title)}:"
        yield shown
    for table in section.closed:
        yield details(table.title, show_table(table, site=site))


def show_table(
    table: Table, *, compact: bool = False, longest: int = MAX_CHARACTERS, site: str = ""
) -> str:
    """A table as Markdown, and its notes below it; its title is left out, for a heading.

    Columns line up as plain text unless the table is `compact`. A text of more than `longest`
    characters is cut. Entries lead to pages below `site`, nowhere where that is empty.
    """
    header = [_title(column) for column in table.columns]
    rows = [
        [
            _escaped(column, entry, longest, site)
            for column, entry in zip(table.columns, row, strict=True)
        ]
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


def _escaped(column: Column, entry: Entry, longest: int, site: str) -> str:
    if column.numeric:
        return entry.text
    if column.code:
        return markdown_code(entry.text)
    text = markdown(entry.text, longest)
    return f"[{text}]({site}{entry.href})" if site and entry.href else text
