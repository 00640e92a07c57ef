"""A table as HTML, built as text: a page of ten thousand rows takes a moment, not a minute."""

from html import escape

from markupsafe import Markup

from stages.report.site.table import Column, Entry, Table


def table_html(table: Table) -> Markup:
    """The table with its caption and the place for its tools; every text in it is escaped."""
    caption = escape(table.caption)
    title = f' data-title="{caption}"' if table.sortable else ""
    heads = "".join(map(_head, table.columns))
    rows = "\n".join(f"<tr>{''.join(_fields(table.columns, row))}</tr>" for row in table.rows)
    return Markup(  # noqa: S704 - every text was escaped where it entered
        f'<div class="tools"><span class="caption" aria-hidden="true">{caption}</span></div>\n'
        f'<div class="scroll" tabindex="0" role="region" aria-label="{caption}">\n'
        f'<table id="{escape(table.name)}"{title}><caption>{caption}</caption>\n'
        f"<thead><tr>{heads}</tr></thead>\n<tbody>\n{rows}\n</tbody></table></div>"
    )


def _head(column: Column) -> str:
    numeric = ' class="num" data-num' if column.numeric else ""
    choose = " data-choose" if column.choose else ""
    hint = f' title="{escape(column.hint)}"' if column.hint else ""
    return f'<th scope="col"{numeric}{choose}{hint}>{escape(column.title)}</th>'


def _fields(columns: tuple[Column, ...], row: tuple[Entry, ...]) -> list[str]:
    fields = [
        f"<td{_attributes(column, entry)}>{_content(entry)}</td>"
        for column, entry in zip(columns[1:], row[1:], strict=True)
    ]
    return [f'<th scope="row"{_attributes(columns[0], row[0])}>{_content(row[0])}</th>', *fields]


def _attributes(column: Column, entry: Entry) -> str:
    value = entry.value
    if not column.numeric:
        look = ' class="text"' if entry.long else ""
        return look if value is None else f'{look} data-v="{escape(str(value))}"'
    if value is None:
        return ' class="num" data-v=""'
    shown = str(value)
    return ' class="num"' if shown == entry.text and not entry.note else f' class="num" data-v="{escape(shown)}"'


def _content(entry: Entry) -> str:
    text = escape(entry.text)
    if entry.look:
        text = f'<span class="tag {entry.look}">{text}</span>'
    if entry.href:
        text = f'<a href="{escape(entry.href)}">{text}</a>'
    return f'{text} <small class="note">{escape(entry.note)}</small>' if entry.note else text
