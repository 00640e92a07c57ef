"""Text that a model or a brief wrote, made safe for where it is shown: plain text, HTML, Markdown,
CSV.

Nothing in it can hide or reorder the text around it, become markup, link or mention, or break the
encoding.
"""

import re
from collections.abc import Sequence

import regex
from markupsafe import escape
from rich.cells import cell_len, chop_cells

LONGEST_MARKDOWN = 200
"""Characters of a text within a Markdown table or sentence at most, unless the caller says
otherwise.
"""
LONGEST_CSV = 1_000
"""Maximum characters of a text field of a CSV file."""

COMMAND = "  graph-evaluator "
"""How a line begins that is a command, which people copy as a whole."""

_ELLIPSIS = "…"
_NON_JOINER = "\u200c"
_FORMAT = regex.compile(r"[\p{Cf}--[\u200c\u200d]]", regex.V1)
_HIDDEN = regex.compile(r"[[\p{Cc}\p{Cs}\p{Cf}\u2028\u2029]--[\n\t\u200c\u200d]]", regex.V1)
_CHARS_PER_COLUMN = 8
_FORMULA = ("=", "+", "-", "@", "＝", "＋", "－", "＠", "'")
_ESCAPED = re.compile(r"[\\`*\[\]|~]|\$(?!\d)|#(?=\w)|^#|(?<![^\W_])_|_(?![^\W_])|!(?=\[)")
_ENTITIES = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", "@": "&#64;"})
_AUTOLINK = re.compile(r"(?i)\b(https?|ftp|mailto|xmpp)(:)|\b(www)(\.)")
_REFERENCE = re.compile(r"@(?=\w)|#(?=\d)|:(?=[a-z0-9_+-]+:)|GH(?=-\d)", re.IGNORECASE)
_PIECE = re.compile(r"(?:`[^`]{1,300}`|\S)+")
_PLAIN_CODE = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.:/-]{0,99}")
_LINE_START = re.compile(r"^(\d{1,9})([.)])(?!\d)|^([-+=])")


def visible(text: str) -> str:
    r"""The text as one line: white space becomes single spaces, control and bidirectional
    characters are removed.

    Lone surrogates become U+FFFD. Joiners, which Persian and many emoji need, are kept.

    >>> visible("a\u202eb\x00\n c\ud800")
    'ab c\ufffd'
    """
    if not text.isprintable():
        text = re.sub("[\ud800-\udfff]", "\N{REPLACEMENT CHARACTER}", _FORMAT.sub("", text))
        text = re.sub(r"[\x00-\x1f\x7f-\x9f]", " ", text)
    return " ".join(text.split())


def pieces(text: str) -> list[str]:
    """The words of a text; a command in backticks is one."""
    return _PIECE.findall(text)


def wrapped(text: str, width: int) -> str:
    r"""A line of text on lines of at most `width` columns, indented alike; a word that is wider, a
    command in backticks, and a line that is a command stay whole.

    >>> wrapped("- Run `dvc repro -f` again.", 16)
    '- Run\n  `dvc repro -f`\n  again.'
    """
    if cell_len(text) <= width or text.startswith(COMMAND):
        return text
    margin = text[: len(text) - len(text.lstrip())]
    following = margin + "  " * text.startswith("- ", len(margin))
    lines: list[str] = []
    line, used = "", 0
    for word in pieces(text):
        length = cell_len(word)
        if line and used + 1 + length <= width:
            line = f"{line} {word}"
            used += 1 + length
            continue
        if line:
            lines.append(line)
        before = following if line else margin
        line, used = before + word, len(before) + length
    return "\n".join([*lines, line])


def visible_lines(text: str) -> str:
    r"""The text with its line ends and tabs; invisible characters are shown as their code point.

    >>> visible_lines("a\u202eb\n\tc")
    'a⟨U+202E⟩b\n\tc'
    """
    lines = text.replace("\r\n", "\n")
    if lines.replace("\n", "").replace("\t", "").isprintable():
        return lines
    shown: str = _HIDDEN.sub(lambda match: f"⟨U+{ord(match.group()):04X}⟩", lines)
    return shown


def clip(text: str, columns: int) -> str:
    r"""The text as one line of at most `columns` columns of a fixed-width font. Longer text ends
    in an ellipsis.

    East Asian wide characters take two columns, combining marks none.

    >>> clip("Returning customers", 10), clip("旅館の予約", 6)
    ('Returning…', '旅館…')
    """
    bound = columns * _CHARS_PER_COLUMN
    line = visible(text[: 2 * bound])
    if len(text) <= bound and len(line) <= bound and cell_len(line) <= columns:
        return line
    pieces = chop_cells(line[:bound], columns - 1) if columns > 1 else [""]
    return (pieces[0] if pieces else "").rstrip() + _ELLIPSIS


def markdown(value: str, longest: int = LONGEST_MARKDOWN) -> str:
    r"""One line of Markdown that shows the value and does nothing else, in a sentence or in a
    table.

    What a code host turns into a mention, a reference or an emoji is interrupted by a zero-width
    non-joiner.

    >>> markdown("a|b <script> `x` www.evil.test @all")
    'a\\|b &lt;script&gt; \\`x\\` www&#46;evil.test &#64;\u200call'
    """
    line = _shortened(value, longest)
    line = _REFERENCE.sub(lambda match: match.group() + _NON_JOINER, line)
    line = _ESCAPED.sub(lambda match: "\\" + match.group(), line)
    line = line.translate(_ENTITIES)
    line = _AUTOLINK.sub(lambda match: f"{match[1]}&#58;" if match[1] else f"{match[3]}&#46;", line)
    return _LINE_START.sub(
        lambda match: f"{match[1]}\\{match[2]}" if match[1] else f"\\{match[3]}", line
    )


def _shortened(text: str, longest: int) -> str:
    """The text as one line of at most `longest` characters."""
    line = visible(text)
    return line if len(line) <= longest else line[: longest - 1] + _ELLIPSIS


def markdown_code(value: str) -> str:
    """A code or id as code where it is plain, else as escaped text."""
    return f"`{value}`" if _PLAIN_CODE.fullmatch(value) else markdown(value)


def markdown_table(header: Sequence[str], rows: Sequence[Sequence[str]], align: str) -> str:
    """A Markdown table of escaped cells whose columns line up as plain text too; `align` has an `l`
    or `r` for each column.
    """
    if not rows:
        return compact_table(header, rows)
    from tabulate import tabulate  # takes a while, and few commands print a table

    sides = ["right" if letter == "r" else "left" for letter in align]
    return tabulate(rows, headers=header, tablefmt="pipe", colalign=sides, disable_numparse=True)


def compact_table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A Markdown table without the spaces that line the columns up, for texts of bounded length."""
    return "\n".join(f"| {' | '.join(row)} |" for row in (header, ["---"] * len(header), *rows))


def details(summary: str, body: str) -> str:
    """A collapsed section of Markdown; `summary` is plain text, `body` is Markdown."""
    return f"<details>\n<summary>{escape(visible(summary))}</summary>\n\n{body}\n\n</details>"


def fenced(content: str, language: str = "") -> str:
    """A code block whose fence is longer than any run of backticks in it."""
    fence = max([*re.findall(r"`+", content), "``"], key=len) + "`"
    return f"{fence}{language}\n{content}\n{fence}"


def csv_cell(text: str) -> str:
    """One line of bounded length, with an apostrophe before what a spreadsheet would calculate.

    >>> csv_cell("=HYPERLINK(1)"), csv_cell("-1"), csv_cell("gpt-4.1"), csv_cell("0.5")
    ("'=HYPERLINK(1)", "'-1", 'gpt-4.1', '0.5')
    """
    line = _shortened(text, LONGEST_CSV)
    return "'" + line if line.startswith(_FORMULA) else line
