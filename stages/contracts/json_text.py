"""JSON as this project reads and writes it: numbers are doubles, equal values give equal bytes, nothing crashes.

Reading follows RFC 8259: `NaN` and `Infinity` are no JSON; a number too large for a double reads as infinity; integers
beyond 2^53 become the nearest double; of repeated keys the last one counts; lone surrogates are kept. Writing sorts keys,
and writes an infinite number as `1e999`, which every JSON reader takes back as infinity.
"""

import json
import re
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    JsonValue: TypeAlias = "bool | int | float | str | list[JsonValue] | dict[str, JsonValue] | None"
    """Any value that JSON can hold."""
else:
    JsonValue = Any  # msgspec and pydantic read annotations at run time and know no recursive alias

_BIG = 2**53
_NOT_FINITE = re.compile(r'"(?:[^"\\]|\\.)*"|-?Infinity|NaN')


class NotJson(ValueError):
    """The text is not JSON, or is nested too deeply to be read."""


def _double(digits: str) -> int | float:
    if len(digits) <= 16:
        number = int(digits)
        if -_BIG <= number <= _BIG:
            return number
    return float(digits)


def _refuse(name: str) -> JsonValue:
    raise NotJson(f"{name} is not JSON")


def parse(text: str | bytes) -> JsonValue:
    """The value that a JSON text holds.

    Raises:
        NotJson: the text is no JSON, is not UTF-8, or is nested beyond what the interpreter can hold.

    >>> parse('{"a": [1, 1e400]}')
    {'a': [1, inf]}
    """
    try:
        source = text.decode("utf-8") if isinstance(text, bytes) else text
        value: JsonValue = json.loads(source, parse_int=_double, parse_constant=_refuse)
    except NotJson:
        raise
    except RecursionError:
        raise NotJson("nested too deeply") from None
    except ValueError as error:
        raise NotJson(str(error)) from None
    return value


def _spell_infinity(match: re.Match[str]) -> str:
    found = match.group()
    if found.startswith('"'):
        return found
    if found == "NaN":
        raise NotJson("NaN cannot be written as JSON")
    return found.replace("Infinity", "1e999")


def _dumps(value: object, *, indent: int | None) -> bytes:
    separators = (",", ":") if indent is None else None
    text = json.dumps(value, sort_keys=True, ensure_ascii=False, indent=indent, separators=separators)
    if "Infinity" in text or "NaN" in text:
        text = _NOT_FINITE.sub(_spell_infinity, text)
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError:  # lone surrogates: only an escape can carry them
        return b"".join(
            char.encode("utf-8") if not "\ud800" <= char <= "\udfff" else rf"\u{ord(char):04x}".encode()
            for char in text
        )


def canonical(value: object) -> bytes:
    """One line of UTF-8 with sorted keys and no white space: equal values give equal bytes (what fingerprints hash).

    >>> canonical({"b": 1, "a": [True, None]})
    b'{"a":[true,null],"b":1}'
    """
    return _dumps(value, indent=None)


def pretty(value: object) -> bytes:
    """Indented UTF-8 with sorted keys and a final newline: what files that people open hold."""
    return _dumps(value, indent=2) + b"\n"
