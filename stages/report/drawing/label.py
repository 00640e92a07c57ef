"""The lines of a label, so short that they fit into their box in every usual sans-serif font."""

from collections.abc import Iterator
from functools import lru_cache

import regex
from rich.cells import cell_len

from stages.shared.shell.text import visible

_NARROW = frozenset(" !\"'()*,-./:;I[]`fijlrt|")
_WIDE = frozenset("%@MWmw—…")


def width_in_ems(text: str) -> float:
    """An upper estimate of the width of a text: Latin letters as in wide fonts, East Asian ones one
    em each.
    """
    return sum(map(_width_of, text))


@lru_cache(maxsize=10_000)
def _width_of(character: str) -> float:
    if character in _NARROW:
        return 0.42
    if character in _WIDE:
        return 1.0
    if character.isupper():
        return 0.78
    return 0.64 if cell_len(character) == 1 else cell_len(character) / 2


def label_lines(text: str, ems: float, most: int) -> tuple[str, ...]:
    """The text in at most so many lines of so many ems; the last line ends with an ellipsis when
    not all of it fits.

    >>> label_lines("Flour quality grade of the mill", 8, 2)
    ('Flour quality', 'grade of the…')
    """
    rows = [""]
    for piece in _pieces(visible(text[: most * 200]), ems):
        if width_in_ems(rows[-1] + piece.rstrip()) > ems:
            rows.append("")
        rows[-1] += piece
    lines = [row.strip() for row in rows if row.strip()]
    if len(lines) <= most:
        return tuple(lines)
    last = lines[most - 1]
    while width_in_ems(f"{last}…") > ems:
        last = last[:-1]
    return (*lines[: most - 1], f"{last.rstrip()}…")


def _pieces(text: str, ems: float) -> Iterator[str]:
    """Words, each with the space after it; characters of words that are wider than a line."""
    for word in text.split():
        if width_in_ems(word) <= ems:
            yield f"{word} "
        else:
            yield from regex.findall(r"\X", word)
            yield " "
