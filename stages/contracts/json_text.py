"""JSON as this project reads and writes it: numbers are doubles, equal values give equal bytes, nothing crashes.

Reading follows RFC 8259: `NaN` and `Infinity` are no JSON; a number too large for a double reads as infinity; integers
beyond 2^53 become the nearest double; of repeated keys the last one counts; lone surrogates are kept. Writing sorts keys,
and writes an infinite number as `1e999`, which every JSON reader takes back as infinity.
"""

import json
import re
from typing import TYPE_CHECKING, Any, TypeAlias

import msgspec
import orjson

if TYPE_CHECKING:
    JsonValue: TypeAlias = "bool | int | float | str | list[JsonValue] | dict[str, JsonValue] | None"
    """Any value that JSON can hold."""
else:
    JsonValue = Any  # msgspec and pydantic read annotations at run time and know no recursive alias

_BIG = 2**53
_DIGITS_AS_ZEROS = bytes(0x30 if 0x30 <= byte <= 0x39 else byte for byte in range(256))
_ALL_BUT_NUMBERS = bytes(byte for byte in range(256) if byte not in b"0123456789.,:")
_BRACKETS = bytes.maketrans(b"[{]}", b"(())")
_ALL_BUT_BRACKETS = bytes(byte for byte in range(256) if byte not in b"[{]}")
_SIXTEEN_DIGITS = b"0" * 16
_NOT_FINITE = re.compile(r'"(?:[^"\\]|\\.)*"|-?Infinity|NaN')


class NotJson(ValueError):
    """The text is not JSON."""


def _double(digits: str) -> int | float:
    if len(digits) <= 17:  # sixteen digits and a sign
        number = int(digits)
        if -_BIG <= number <= _BIG:
            return number
    return float(digits)


def _refuse(name: str) -> JsonValue:
    raise NotJson(f"{name} is not JSON")


def parse(text: str | bytes, *, not_finite: bool = False) -> JsonValue:
    """The value that a JSON text holds, however deep it is nested.

    Args:
        text: The text, or its UTF-8 bytes.
        not_finite: Read `NaN`, `Infinity` and `-Infinity` as well, as some tools write them into files.

    Raises:
        NotJson: the text is no JSON or is not UTF-8.

    >>> parse('{"a": [1, 1e400]}')
    {'a': [1, inf]}
    """
    try:
        value: JsonValue = orjson.loads(text)
        raw = text if isinstance(text, bytes) else text.encode()
    except ValueError:  # no JSON, or what orjson refuses: numbers beyond a double, lone surrogates, deep nesting
        return _parse_exactly(text, not_finite=not_finite)
    return _parse_exactly(raw, not_finite=not_finite) if _may_hold_big_integers(raw) else value


def _may_hold_big_integers(raw: bytes) -> bool:
    """Whether a number might begin with sixteen digits: only then can an integer lie beyond 2^53. One cheap pass.

    Between two numbers of a JSON text there is always a comma or a colon, and digits after a point are no integer's.
    """
    numbers = raw.translate(_DIGITS_AS_ZEROS, _ALL_BUT_NUMBERS)
    return b"," + _SIXTEEN_DIGITS in numbers or b":" + _SIXTEEN_DIGITS in numbers or numbers.startswith(_SIXTEEN_DIGITS)


def _parse_exactly(text: str | bytes, *, not_finite: bool) -> JsonValue:
    try:
        source = text.decode("utf-8") if isinstance(text, bytes) else text
        value: JsonValue = json.loads(source, parse_int=_double, parse_constant=float if not_finite else _refuse)
    except NotJson:
        raise
    except RecursionError:
        from stages.contracts.json_nesting import parse_nested

        return parse_nested(source, _double)
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
    try:
        text = json.dumps(value, sort_keys=True, ensure_ascii=False, indent=indent, separators=separators)
    except RecursionError:
        from stages.contracts.json_nesting import dump_nested

        text = dump_nested(value)
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


def _surely_shallow(line: bytes) -> bool:
    """True when brackets nest at most fifty deep, brackets within strings included: a cheap look at the text alone."""
    brackets = line.translate(_BRACKETS, _ALL_BUT_BRACKETS)
    for _ in range(50):
        fewer = brackets.replace(b"()", b"")
        if len(fewer) == len(brackets):
            break
        brackets = fewer
    return len(brackets) <= 50


def pretty(value: object) -> bytes:
    """Indented UTF-8 with sorted keys and a final newline: what files that people open hold.

    What lies more than a hundred levels deep is written in one line: its indentation would outgrow it without bound.
    """
    from stages.contracts.json_nesting import depth_exceeds

    line = canonical(value)
    if not _surely_shallow(line) and depth_exceeds(value, 100):
        return line + b"\n"
    try:
        return msgspec.json.format(line, indent=2) + b"\n"  # three times as fast as json.dumps with an indent
    except msgspec.DecodeError:  # it knows no lone surrogates
        return _dumps(value, indent=2) + b"\n"


def repeated_keys(text: str) -> list[str]:
    """The keys that stand more than once in one object of a JSON text that `parse` accepts, sorted.

    >>> repeated_keys('{"a": 1, "b": {"a": 2}, "b": 3}')
    ['b']
    """
    found: set[str] = set()

    def look(pairs: list[tuple[str, object]]) -> None:
        keys = [key for key, _ in pairs]
        found.update(key for key in keys if keys.count(key) > 1)

    json.loads(text, object_pairs_hook=look)
    return sorted(found)
