"""Tables as HTML for the pages, every text escaped, without control characters and on one line."""

from collections.abc import Sequence
from dataclasses import replace

from markupsafe import Markup, escape

from stages.shared.present.table import Column, Entry, Table
from stages.shared.shell.numbers import MISSING
from stages.shared.shell.text import visible

LONG_TEXT = 24
"""Characters from which a text gets room for more than a word a line."""


def show_table(table: Table, heading: str = "") -> Markup:
    """A table with its title above it, unless that is the `heading` there, and its notes below it.

    Columns in which no row has anything are left out. The script of the pages adds tools to sort,
    filter and download a table that is `sortable`.
    """
    table = _without_empty_columns(table)
    title = _safe(table.title)
    caption = "" if table.title == heading else title
    tools = f' data-title="{title}"' if table.sortable else ""
    heads = "".join(_head(column) for column in table.columns)
    numeric = [column.numeric for column in table.columns]
    rows = "".join(_row(row, numeric) for row in table.rows)
    notes = "".join(f'<p class="note">{_safe(note)}</p>' for note in table.notes)
    html = (
        f'<div class="tools"><span class="caption" aria-hidden="true">{caption}</span></div>\n'
        f'<div class="scroll" tabindex="0" role="group" aria-label="{title}">\n'
        f'<table id="{_safe(table.name)}"{tools}><caption>{title}</caption>\n'
        f"<thead><tr>{heads}</tr></thead>\n<tbody>\n{rows}</tbody></table></div>\n{notes}"
    )
    return Markup(html)  # noqa: S704 (every text in it is escaped)


def _without_empty_columns(table: Table) -> Table:
    shown = [
        place
        for place in range(len(table.columns))
        if not table.rows or any(row[place].text not in ("", MISSING) for row in table.rows)
    ]
    return replace(
        table,
        columns=tuple(table.columns[place] for place in shown),
        rows=tuple(tuple(row[place] for place in shown) for row in table.rows),
    )


def _safe(text: str) -> Markup:
    return escape(visible(text))


def _head(column: Column) -> str:
    attributes = ""
    if column.numeric:
        attributes += ' class="num" data-num'
    if column.choose:
        attributes += " data-choose"
    if column.hint:
        attributes += f' title="{_safe(column.hint)}"'
    return f'<th scope="col"{attributes}>{_safe(column.title)}</th>'


def _row(row: Sequence[Entry], numeric: Sequence[bool]) -> str:
    """A row, headed by its first text: the leaderboard begins with the rank."""
    head = numeric.index(False) if False in numeric else 0
    fields = []
    for place, (entry, is_number) in enumerate(zip(row, numeric, strict=True)):
        if place == head:
            fields.append(f'<th scope="row">{_entry(entry)}</th>')
            continue
        attributes = ""
        if is_number:
            value = "" if entry.value is None else f"{entry.value:.10g}"
            attributes = ' class="num"' if entry.text == value else f' data-v="{value}"'
        elif len(entry.text) > LONG_TEXT:
            attributes = ' class="text"'
        fields.append(f"<td{attributes}>{_entry(entry)}</td>")
    return f"<tr>{''.join(fields)}</tr>\n"


def _entry(entry: Entry) -> str:
    html: str = _safe(entry.text)
    if entry.look:
        html = f'<span class="tag {entry.look}">{html}</span>'
    if entry.href:
        html = f'<a href="{_safe(entry.href)}">{html}</a>'
    return html
