"""JSON of any depth, read and written without recursion: what the fast ways fall back on where nesting is too deep for them.

Answers with thousands of levels of nesting are answers all the same: they are kept, and scoring finds fault with them.
"""

import json
import re
from collections.abc import Callable
from json.decoder import scanstring  # type: ignore[attr-defined]  # the C scanner of one string
from typing import NamedTuple

from stages.contracts.json_text import JsonValue, NotJson

_SPACE = re.compile(r"[ \t\n\r]*")
_NUMBER = re.compile(r"(-?(?:0|[1-9][0-9]*))(\.[0-9]+)?([eE][-+]?[0-9]+)?")
_WORDS: tuple[tuple[str, JsonValue], ...] = (("null", None), ("true", True), ("false", False))

MAX_DEPTH = 100_000
"""Deeper than this nothing is read: a text of nothing but brackets must not cost its reader time and memory."""

Container = list[JsonValue] | dict[str, JsonValue]


def parse_nested(text: str, integer: Callable[[str], int | float]) -> JsonValue:
    """The value of a JSON text of up to `MAX_DEPTH` levels; `integer` reads the digits of an integer.

    Raises:
        NotJson: the text is no JSON, or deeper.

    >>> parse_nested(' {"a": [1, {}]} ', int)
    {'a': [1, {}]}
    """
    open_containers: list[tuple[Container, str]] = []
    at = _space(text, 0)
    while True:
        value, at, opened = _start(text, at, integer)
        if opened:
            if len(open_containers) == MAX_DEPTH:
                raise NotJson(f"nested more than {MAX_DEPTH} levels deep")
            key = ""
            if isinstance(value, dict):
                key, at = _key(text, at)
            open_containers.append((value, key))  # type: ignore[arg-type]
            continue
        while True:
            at = _space(text, at)
            if not open_containers:
                if at != len(text):
                    raise NotJson(f"extra data at character {at}")
                return value
            container, key = open_containers[-1]
            if isinstance(container, dict):
                container[key] = value
            else:
                container.append(value)
            following = text[at : at + 1]
            if following == ",":
                at = _space(text, at + 1)
                if isinstance(container, dict):
                    key, at = _key(text, at)
                    open_containers[-1] = (container, key)
                break
            if following != ("}" if isinstance(container, dict) else "]"):
                raise NotJson(f"a comma or a closing bracket is missing at character {at}")
            open_containers.pop()
            value, at = container, at + 1


def _start(text: str, at: int, integer: Callable[[str], int | float]) -> tuple[JsonValue, int, bool]:
    """The value that begins at a place, where it (or its opening bracket) ends, and whether it is still open."""
    first = text[at : at + 1]
    if first in ("{", "["):
        empty: Container = {} if first == "{" else []
        inside = _space(text, at + 1)
        if text[inside : inside + 1] == ("}" if first == "{" else "]"):
            return empty, inside + 1, False
        return empty, inside, True
    if first == '"':
        return (*_string(text, at), False)
    number = _NUMBER.match(text, at)
    if number:
        whole, fraction, exponent = number.groups()
        value: JsonValue = float(number.group()) if fraction or exponent else integer(whole)
        return value, number.end(), False
    for word, meaning in _WORDS:
        if text.startswith(word, at):
            return meaning, at + len(word), False
    raise NotJson(f"a value is missing at character {at}")


def _key(text: str, at: int) -> tuple[str, int]:
    if text[at : at + 1] != '"':
        raise NotJson(f"a key is missing at character {at}")
    key, at = _string(text, at)
    at = _space(text, at)
    if text[at : at + 1] != ":":
        raise NotJson(f"a colon is missing at character {at}")
    return key, _space(text, at + 1)


def _string(text: str, at: int) -> tuple[str, int]:
    try:
        found: tuple[str, int] = scanstring(text, at + 1, True)
    except ValueError as error:
        raise NotJson(str(error)) from None
    return found


def _space(text: str, at: int) -> int:
    match = _SPACE.match(text, at)
    return match.end() if match else at


def depth_exceeds(value: object, limit: int) -> bool:
    """Whether arrays and objects lie more than `limit` deep in each other in a value.

    >>> depth_exceeds([[1]], 2), depth_exceeds([[1]], 1)
    (False, True)
    """
    level: list[object] = [value]
    for _ in range(limit + 1):
        inner: list[object] = []
        for entry in level:
            if isinstance(entry, dict):
                inner += entry.values()
            elif isinstance(entry, list | tuple):
                inner += entry
        if not inner:
            return False
        level = inner
    return True


def dump_nested(value: object) -> str:
    """The JSON text of a value of any depth in one line with sorted keys, as `json.dumps` would write it.

    >>> dump_nested({"b": [1, {}], "a": None})
    '{"a":null,"b":[1,{}]}'
    """
    parts: list[str] = []
    todo: list[object] = [_Value(value)]
    while todo:
        item = todo.pop()
        if isinstance(item, str):
            parts.append(item)
        elif isinstance(item, _Value):
            later = _members(item.held)
            todo += reversed(later)
    return "".join(parts)


class _Value(NamedTuple):
    """A value still to be written, among text that is ready."""

    held: object


def _members(value: object) -> list[object]:
    if isinstance(value, dict) and value:
        later: list[object] = []
        for key in sorted(value):
            later += [("," if later else "{") + json.dumps(key, ensure_ascii=False) + ":", _Value(value[key])]
        return [*later, "}"]
    if isinstance(value, list | tuple) and value:
        later = []
        for entry in value:
            later += ["," if later else "[", _Value(entry)]
        return [*later, "]"]
    return [json.dumps(value, ensure_ascii=False)]
