"""Text that a model wrote, made fit to be shown: nothing in it can hide, reorder what stands beside it, or break the encoding."""

import unicodedata

REPLACEMENT = "\N{REPLACEMENT CHARACTER}"
_JOINERS = "\u200c\u200d"
_ELLIPSIS = "…"


def visible(text: str) -> str:
    r"""One line of it: white space runs become one space, controls and bidirectional overrides go, lone surrogates are marked.

    Joiners, which Persian and many emoji need, stay.

    >>> visible("a\u202eb\x00\n c\ud800")
    'ab c\ufffd'
    """
    if text.isascii() and text.isprintable() and "  " not in text:
        return text.strip()
    return " ".join("".join(map(_inline, text)).split())


def visible_lines(text: str) -> str:
    r"""The same for text of several lines: line ends and tabs stay, and what cannot be seen is spelled out.

    >>> visible_lines("a\u202eb\n\tc")
    'a⟨U+202E⟩b\n\tc'
    """
    if text.isascii() and text.replace("\n", "").replace("\t", "").isprintable():
        return text
    return "".join(map(_spelled, text.replace("\r\n", "\n")))


def width(text: str) -> int:
    r"""How wide a text is, in columns of a fixed-width font: East Asian wide characters take two, combining marks none.

    >>> width("旅館"), width("cafe\u0301")
    (4, 4)
    """
    if text.isascii():
        return len(text)
    return sum(map(_columns, text))


def cut(text: str, columns: int) -> str:
    """The text, or its beginning and an ellipsis that together fit into so many columns.

    >>> cut("Returning customers", 10)
    'Returning…'
    """
    if len(text) <= columns and width(text) <= columns:
        return text
    room = columns - 1
    kept: list[str] = []
    for char in text:
        room -= _columns(char)
        if room < 0:
            break
        kept.append(char)
    return "".join(kept).rstrip() + _ELLIPSIS


def wrapped(text: str, columns: int, lines: int) -> tuple[str, ...]:
    """The text in at most so many lines of so many columns; the last line ends with an ellipsis when not all of it fits.

    >>> wrapped("Flour quality grade of the mill", 14, 2)
    ('Flour quality', 'grade of the…')
    """
    words = [piece for word in text[: columns * lines * 4].split() for piece in _pieces(word, columns)]
    rows: list[str] = []
    for word in words:
        if rows and width(rows[-1]) + 1 + width(word) <= columns:
            rows[-1] += f" {word}"
        else:
            rows.append(word)
    if len(rows) > lines:
        last = rows[lines - 1]
        return (
            *rows[: lines - 1],
            cut(f"{last} {rows[lines]}", columns) if width(last) < columns else cut(last + "x", columns),
        )
    return tuple(rows)


def _pieces(word: str, columns: int) -> list[str]:
    """A word that is too long for a line, in pieces that are not."""
    if width(word) <= columns:
        return [word]
    pieces, room = [""], columns
    for char in word:
        room -= _columns(char)
        if room < 0:
            pieces.append("")
            room = columns - _columns(char)
        pieces[-1] += char
    return pieces


def _columns(char: str) -> int:
    if char.isascii():
        return 1
    if unicodedata.combining(char) or unicodedata.category(char) == "Cf":
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1


def _inline(char: str) -> str:
    if char.isspace():
        return " "
    match unicodedata.category(char):
        case "Cs":
            return REPLACEMENT
        case "Cc":
            return " "
        case "Cf" if char not in _JOINERS:
            return ""
        case _:
            return char


def _spelled(char: str) -> str:
    if char in "\n\t":
        return char
    category = unicodedata.category(char)
    hidden = category in ("Cc", "Cs") or (category == "Cf" and char not in _JOINERS) or char in "\u2028\u2029"
    return f"⟨U+{ord(char):04X}⟩" if hidden else char
