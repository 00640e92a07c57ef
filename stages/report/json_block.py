"""JSON within Markdown: whole, parseable, with nothing in it that hides or closes the block."""

import re
import unicodedata

from stages.contracts.json_text import JsonValue, canonical
from stages.report.markdown_text import fenced

_NOT_ASCII = re.compile(r"[^\x20-\x7e]")
_HIDDEN = frozenset({"Cc", "Cf", "Cs", "Co", "Zl", "Zp"})


def json_block(value: JsonValue) -> str:
    """A fenced block with the value on one line; what cannot be seen is written as an escape, which JSON readers take back."""
    source = canonical(value).decode("utf-8", "surrogatepass")
    return fenced(_NOT_ASCII.sub(_spelled, source), "json")


def _spelled(match: re.Match[str]) -> str:
    char = match.group()
    if unicodedata.category(char) not in _HIDDEN:
        return char
    units = char.encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[at]:02x}{units[at + 1]:02x}" for at in range(0, len(units), 2))
