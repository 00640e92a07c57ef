"""JSON as this project reads and writes it: numbers are doubles, equal values give equal bytes,
nothing crashes.

Reading follows RFC 8259: `NaN` and `Infinity` are not JSON; a number too large for a double is read
as infinity; integers beyond 2^53 become the nearest double; of repeated keys the last one counts;
lone surrogates are kept; more than `MAX_LEVELS` levels are refused. Writing gives an infinite
number as `1e999`, which every JSON reader reads as infinity, and a lone surrogate as its escape.
"""

import hashlib
import json
import re
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    JsonValue: TypeAlias = (
        "bool | int | float | str | list[JsonValue] | dict[str, JsonValue] | None"
    )
else:
    JsonValue = Any  # pydantic reads annotations at run time and knows no recursive alias

JsonObject = dict[str, JsonValue]

MAX_LEVELS = 200
"""How deeply arrays and objects may be nested: far beyond any graph, and within the recursion limit
of every library.
"""

_SORTED = json.JSONEncoder(sort_keys=True, ensure_ascii=False, check_circular=False)
_NOT_FINITE = re.compile(r'"(?:[^"\\]++|\\.)*+"|-?Infinity|NaN')


class NotJson(ValueError):
    """The text is not JSON."""


_TOO_DEEP = f"arrays and objects are nested more than {MAX_LEVELS} levels deep"


def parse(text: str | bytes, *, levels: int = MAX_LEVELS) -> JsonValue:
    """The value that a JSON text, or its UTF-8 bytes, holds.

    Raises:
        NotJson: the text is not JSON or not UTF-8, or is nested more than `levels` deep.

    >>> parse('{"a": [1, 1e400]}')
    {'a': [1, inf]}
    """
    try:
        source = text.decode("utf-8") if isinstance(text, bytes) else text
        value: JsonValue = json.loads(source, parse_int=_integer, parse_constant=_refuse)
    except RecursionError:
        raise NotJson(_TOO_DEEP) from None
    except ValueError as error:
        raise NotJson(str(error)) from None
    brackets = source.count("[") + source.count("{")
    if brackets > levels and _exceeds(value, levels):
        raise NotJson(_TOO_DEEP)
    return value


def _integer(digits: str) -> int | float:
    exact = len(digits) <= 17 and abs(int(digits)) <= 2**53  # 17: sixteen digits and a sign
    return int(digits) if exact else float(digits)


def _refuse(name: str) -> JsonValue:
    raise ValueError(f"{name} is not JSON")


def _exceeds(value: JsonValue, levels: int) -> bool:
    """Whether arrays and objects of a value are nested more than `levels` deep."""
    if not isinstance(value, dict | list):
        return False
    if levels == 0:
        return True
    entries = value.values() if isinstance(value, dict) else value
    return any(_exceeds(entry, levels - 1) for entry in entries)


def canonical(value: object) -> str:
    """One line with sorted keys and no white space: equal values give equal texts (what
    fingerprints hash).

    >>> canonical({"b": 1, "a": [True, None]})
    '{"a":[true,null],"b":1}'
    """
    return _portable(json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":")))


def sha256_of(value: object) -> str:
    """The SHA-256 of the canonical JSON of a value, 64 hex digits."""
    return text_sha256(canonical(value))


def text_sha256(text: str) -> str:
    """The SHA-256 of a text in UTF-8, 64 hex digits."""
    return hashlib.sha256(text.encode("utf-8")).hexdigest()


def line(value: object) -> bytes:
    """One line of UTF-8 with the keys in their order and a final newline: a line of a JSON Lines
    file.
    """
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return _portable(f"{text}\n").encode()


def pretty(value: object) -> bytes:
    """UTF-8 with sorted keys and a final newline, for files that people open: three levels are
    indented, so a node is one line.
    """
    text = _indented(value, 3, "\n")
    return _portable(f"{text}\n").encode()


def _indented(value: object, levels: int, start: str) -> str:
    if not levels or not value or not isinstance(value, (dict, list, tuple)):
        return _SORTED.encode(value)
    inner, below = start + "  ", levels - 1
    if isinstance(value, dict):
        pairs = sorted(value.items())
        entries = [
            f"{_SORTED.encode(key)}: {_indented(entry, below, inner)}" for key, entry in pairs
        ]
    else:
        entries = [_indented(entry, below, inner) for entry in value]
    opening, closing = "{}" if isinstance(value, dict) else "[]"
    return f"{opening}{inner}{f',{inner}'.join(entries)}{start}{closing}"


def _portable(text: str) -> str:
    """A written text whose infinite numbers every JSON reader reads, and which UTF-8 can hold."""
    if "Infinity" in text or "NaN" in text:
        text = _NOT_FINITE.sub(_spell_infinity, text)
    if text.isascii():
        return text
    return re.sub(r"[\ud800-\udfff]", lambda match: rf"\u{ord(match.group()):04x}", text)


def _spell_infinity(match: re.Match[str]) -> str:
    text = match.group()
    if text.startswith('"'):
        return text
    if text == "NaN":
        raise NotJson("NaN cannot be written as JSON")
    return text.replace("Infinity", "1e999")
