"""What fits into a bounded text: whole blocks only, the most telling first, and a last line that says what was left out.

Lengths are counted in bytes of UTF-8, of which a character takes one to four, so that the bound holds in either unit.
"""

from collections import Counter
from collections.abc import Iterable

import msgspec

RESERVED = 400
"""Characters kept free for the line that says what was left out."""


class Block(msgspec.Struct, frozen=True):
    """A piece that goes in whole or not at all; `kind` names it in the plural ("raw graphs").

    `shorter` are its smaller forms, longest first; `share` is the part (0..1) of the whole text that it may take.
    """

    kind: str
    content: str
    shorter: tuple[str, ...] = ()
    share: float = 1.0


def packed(blocks: Iterable[Block], limit: int) -> str:
    """The blocks that fit into `limit` characters, in order, and a line that counts the others by kind.

    A block that does not fit is left out, or stands in its longest shorter form that does; smaller blocks after it may
    still go in. The result is never longer than the limit, whatever the blocks are.

    >>> print(packed([Block("tables", "a" * 50), Block("graphs", "b" * 900)], 500))
    aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa
    <BLANKLINE>
    Left out to keep to 500 characters: 1 of 1 graphs.
    <BLANKLINE>
    """
    kept: list[str] = []
    room = limit - RESERVED
    out: Counter[str] = Counter()
    shortened: Counter[str] = Counter()
    total: Counter[str] = Counter()
    for block in blocks:
        total[block.kind] += 1
        allowed = min(room, int(limit * block.share))
        fitting = next((form for form in (block.content, *block.shorter) if _length(form) + 2 <= allowed), None)
        if fitting is None:
            out[block.kind] += 1
            continue
        if fitting is not block.content:
            shortened[block.kind] += 1
        kept.append(fitting)
        room -= _length(fitting) + 2
    told = [f"{number} of {total[kind]} {kind}" for kind, number in out.items()]
    told += [f"{number} of {total[kind]} {kind} shortened" for kind, number in shortened.items()]
    last = f"Left out to keep to {limit} characters: {', '.join(told)}." if told else "Nothing was left out."
    if len(last) > RESERVED - 2:
        last = f"Left out to keep to {limit} characters: {out.total()} parts, and {shortened.total()} shortened."
    return "\n\n".join([*kept, last]) + "\n"


def _length(text: str) -> int:
    return len(text.encode("utf-8", "surrogatepass"))
