"""Text in Markdown: whatever a model or a brief wrote stays text, also for HTML, autolinks, mentions and tables."""

import re
from collections.abc import Sequence

from tabulate import tabulate

from stages.report.visible_text import visible

LONGEST = 200
"""Characters of a text within a table or a sentence at most."""

_ESCAPED = re.compile(r"[\\`*\[\]|~]|\$(?!\d)|#(?=\w)|^#|(?<![^\W_])_|_(?![^\W_])|!(?=\[)")
_ENTITIES = {"&": "&amp;", "<": "&lt;", ">": "&gt;", "@": "&#64;"}
_ENTITY = re.compile(r"[&<>@]")
_AUTOLINK = re.compile(r"(?i)\b(https?|ftp|mailto|xmpp)(:)|\b(www)(\.)")
_PLAIN_CODE = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.:-]{0,99}")
_LINE_START = re.compile(r"^(\d{1,9})([.)])(?!\d)|^([-+=])")


def text(value: str, longest: int = LONGEST) -> str:
    r"""One line of Markdown that shows the value and does nothing else.

    >>> print(text("a|b <script> `x` www.evil.test @all"))
    a\|b &lt;script&gt; \`x\` www&#46;evil.test &#64;all
    """
    line = visible(value)
    line = line if len(line) <= longest else line[: longest - 1] + "…"
    line = _ESCAPED.sub(lambda match: "\\" + match.group(), line)
    line = _ENTITY.sub(lambda match: _ENTITIES[match.group()], line)
    line = _AUTOLINK.sub(lambda match: f"{match[1]}&#58;" if match[1] else f"{match[3]}&#46;", line)
    return _LINE_START.sub(lambda match: f"{match[1]}\\{match[2]}" if match[1] else f"\\{match[3]}", line)


def code(value: str) -> str:
    r"""A code or id as code where it is plain, else as escaped text.

    >>> print(code("FORBIDDEN_EDGE"), code("a`b"))
    `FORBIDDEN_EDGE` a\`b
    """
    return f"`{value}`" if _PLAIN_CODE.fullmatch(value) else text(value)


def table(header: Sequence[str], rows: Sequence[Sequence[str]], align: str) -> str:
    """A table whose columns line up as plain text too.

    Args:
        header: Column titles.
        rows: Cells, already escaped.
        align: One letter per column: `l` for text, `r` for numbers.
    """
    if not rows:
        return narrow_table(header, rows)
    sides = ["right" if letter == "r" else "left" for letter in align]
    return tabulate(rows, headers=header, tablefmt="pipe", colalign=sides, disable_numparse=True)


def narrow_table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """The same without the spaces that line the columns up, for texts whose length counts."""
    return "\n".join(f"| {' | '.join(row)} |" for row in (header, ["---"] * len(header), *rows))


def details(summary: str, body: str) -> str:
    """A collapsed section; `summary` is plain text and becomes escaped HTML."""
    title = visible(summary).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return f"<details>\n<summary>{title}</summary>\n\n{body}\n\n</details>"


def fenced(content: str, language: str) -> str:
    """A code block whose fence is longer than any run of backticks in it."""
    longest = max((len(run) for run in re.findall(r"`+", content)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{language}\n{content}\n{fence}"
