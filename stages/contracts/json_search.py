"""Finding the JSON in the text of an answer: as it is, in one code fence, or from the first `{` to the last `}`."""

from collections.abc import Callable
from typing import Generic, TypeVar

import msgspec

from stages.contracts.json_text import NotJson
from stages.contracts.response import ExtractionMethod

_WHITE_SPACE = "\t\n\v\f\r \u00a0\u1680\u2028\u2029\u202f\u205f\u3000\ufeff" + "".join(map(chr, range(0x2000, 0x200B)))
"""White space in the sense of ECMAScript, byte order mark included: what is trimmed around an answer."""
_FENCE = "```"

Read = TypeVar("Read")


class Found(msgspec.Struct, Generic[Read], frozen=True, gc=False):
    """What was read out of a text, and how; `attempted` is True when the text as it stands is no JSON."""

    content: Read | None
    method: ExtractionMethod | None
    attempted: bool


def find_json(text: str, read: Callable[[str], Read]) -> Found[Read]:
    """What `read` makes of the JSON in a text; `read` raises `NotJson` for a text that is none.

    The text is trimmed and read. Failing that, and if the whole of it is one code fence (tagged `json` in any case, or not
    tagged), the content of the fence is read. Failing that, the text from the first `{` to the last `}`.

    >>> from stages.contracts.json_text import parse
    >>> find_json("The graph: {} as asked.", parse)
    Found(content={}, method='bracketed', attempted=True)
    """
    trimmed = text.strip(_WHITE_SPACE)
    try:
        return Found(read(trimmed), "direct", attempted=False)
    except NotJson:
        pass
    fenced = _fence_content(trimmed)
    if fenced is not None:
        try:
            return Found(read(fenced), "stripped_fence", attempted=True)
        except NotJson:
            pass
    start, end = trimmed.find("{"), trimmed.rfind("}")
    if 0 <= start < end:
        try:
            return Found(read(trimmed[start : end + 1]), "bracketed", attempted=True)
        except NotJson:
            pass
    return Found(None, None, attempted=True)


def _fence_content(text: str) -> str | None:
    if len(text) < 2 * len(_FENCE) or not (text.startswith(_FENCE) and text.endswith(_FENCE)):
        return None
    content = text[len(_FENCE) : -len(_FENCE)]
    if content[:4].lower() == "json":
        content = content[4:]
    return content.strip(_WHITE_SPACE)
