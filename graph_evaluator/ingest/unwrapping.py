"""The content of a value in a log, however often it is wrapped.

One walk goes through JSON inside strings, lists of messages, parts and choices, and the bodies of
APIs, until it finds texts or graphs, and who said them.
"""

import re
import tomllib
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from importlib.resources import files
from itertools import islice
from typing import NamedTuple

from graph_evaluator.generate.replies import object_of, text_of
from graph_evaluator.records.json_text import JsonObject, JsonValue, NotJson, canonical, parse

_TABLES = tomllib.loads(
    files("graph_evaluator.ingest").joinpath("known_logs.toml").read_text("utf-8")
)
CONTAINERS: Sequence[str] = _TABLES["containers"]
PATHS: Mapping[str, Sequence[str]] = _TABLES["paths"]
TOKENS: Mapping[str, Sequence[str]] = _TABLES["tokens"]
UNITS: Mapping[str, Mapping[str, float]] = _TABLES["units"]
_KEYS: Mapping[str, Sequence[str]] = _TABLES["keys"]
_MARKS = {*_KEYS["marks"]}
_ROLES: Mapping[str, str] = _TABLES["roles"]
MAX_DIGITS = 6
MAX_PARTS = 10_000
"""Of a list or an object that is unwrapped."""
NO_ANSWER = re.compile(
    "error|reason|expected|reference|target|ideal|golden|ground_truth", re.IGNORECASE
)
"""In a key that names an error, why an answer ended, or what somebody expected instead."""
_GRADED = re.compile(
    r"\[(?:PASS|FAIL)\] \([^)]*\)\s+(.*?)(?:\n\n(?:Pass|Fail) Reason: .*)?", re.DOTALL
)
"""A cell of promptfoo's CSV: verdict, score, answer, and the reason of the verdict."""
_CALL_FAILED = "[ERROR] ("
"""How a cell of that table begins if the call failed."""


class Turn(NamedTuple):
    """A text or the JSON of a graph, and who said it."""

    role: str
    text: str


def follow(value: JsonValue, path: str) -> JsonValue:
    """The value at a dotted path, None if there is none.

    A key may have dots of its own, a number counts in a list (-1: the last), and JSON inside
    strings is read on the way. Keys that number objects, such as `gen_ai.prompt.0.content`, are a
    list of these.

    >>> follow({"a.b": ['{"c": 1}']}, "a.b.0.c")
    1
    >>> follow({"a.b.0.c": 1, "a.b.0.x.d": 2}, "a.b")
    [{'c': 1, 'd': 2}]
    """
    if not path:
        return value
    value = opened(value)
    parts = path.split(".")
    if isinstance(value, list):
        with suppress(ValueError, IndexError):
            return follow(value[int(parts[0])], ".".join(parts[1:]))
    owner = object_of(value)
    for end in range(len(parts), 0, -1):
        key = ".".join(parts[:end])
        if key in owner:
            return follow(owner[key], ".".join(parts[end:]))
    numbered: defaultdict[str, JsonObject] = defaultdict(dict)
    for key in islice(owner, MAX_PARTS) if len(parts) > 1 else ():
        if key.startswith(f"{path}."):
            number, _, name = key.removeprefix(f"{path}.").partition(".")
            numbered[number.zfill(MAX_DIGITS)][name.rpartition(".")[2]] = owner[key]
    return [numbered[number] for number in sorted(numbered)] or None


def opened(value: JsonValue) -> JsonValue:
    """A value without the strings that it is wrapped in as JSON."""
    if isinstance(value, str) and value[:100].lstrip().startswith(("{", "[", '"')):
        with suppress(NotJson):
            return opened(parse(value))
    return value


def is_graph(value: JsonValue) -> bool:
    """Whether a value is an object with lists of `nodes` and `edges`."""
    owner = object_of(value)
    return isinstance(owner.get("nodes"), list) and isinstance(owner.get("edges"), list)


def said_by(role: str, value: JsonValue) -> list[str]:
    """The texts of one role in a value: of its turns that say so, and of those that say nothing."""
    return [turn.text for turn in unwrap(value, role) if turn.role == role]


def systems_in(value: JsonValue) -> Iterator[str]:
    """The system prompts in a value, wherever they are: one of each list of messages, and texts of
    several words at keys for it.
    """
    value = _own(value)
    if isinstance(value, list):
        value = value[:MAX_PARTS]
        messages = [entry for entry in value if _role_of(entry) == "system"]
        yield "\n\n".join(said_by("system", messages))
        for entry in value:
            yield from systems_in(entry)
    for key, entry in islice(object_of(value).items(), MAX_PARTS):
        if key in _KEYS["system"]:
            texts = said_by("system", entry)
            yield from (text for text in texts if " " in text.strip())
        else:
            yield from systems_in(entry)


def _own(value: JsonValue) -> JsonValue:
    """A value, or what a text has as JSON if that is a log's own and not what a model wrote."""
    inner = opened(value) if isinstance(value, str) else None
    return inner if _is_structure(inner) else value


def body_in(value: JsonValue) -> JsonValue:
    """The body of a reply that a value is; None for what a model wrote."""
    body = _own(value)
    return None if isinstance(body, str) or is_graph(body) else body


def unwrap(value: JsonValue, role: str) -> list[Turn]:
    """The turns in a value, which are of this role where nothing says otherwise.

    A text in a message is kept as it was written.
    """
    graded = _GRADED.fullmatch(value) if isinstance(value, str) else None
    value = graded[1] if graded else value
    inner = _own(value) if role == "assistant" else opened(value)
    if not inner or (isinstance(value, str) and value.startswith(_CALL_FAILED)):
        return []
    turns: list[Turn] = []
    if is_graph(inner):
        turns = [Turn(role, canonical(inner))]
    elif isinstance(inner, list):
        turns = _unwrap_list(inner, role)
    elif isinstance(inner, dict):
        turns = _unwrap_object(inner, role)
    text = inner if isinstance(inner, str) else value
    return turns or ([Turn(role, text)] if isinstance(text, str) else [])


def _unwrap_list(values: list[JsonValue], role: str) -> list[Turn]:
    """The turns of messages or choices; one turn of the texts of parts. A list of very many is none
    of these.
    """
    if len(values) > MAX_PARTS:
        return []
    parts = [unwrap(entry, role) for entry in values]
    turns = [turn for part in parts for turn in part]
    if any(_role_of(entry) for entry in values) or len(turns) > len(parts):
        return turns
    if not turns or (role == "user" and not all(parts)):  # a text with a picture
        return []
    return [Turn(turns[0].role, "".join(turn.text for turn in turns))]


def _unwrap_object(value: JsonObject, role: str) -> list[Turn]:
    if value.get("type") == "tool_use":
        return unwrap(value.get("input"), role)
    if value.get("thought") or value.get("object") == "error":
        return []
    if role == "assistant" and value.get("type") in ("reasoning", "thinking", "error"):
        return []
    own_role = _role_of(value)
    role = own_role or role
    keys = _KEYS["assistant" if role == "assistant" else "user"]
    for key in filter(value.get, keys):
        inner = value[key]
        if isinstance(inner, list) and key in ("choices", "candidates"):
            inner = inner[:1]
        is_written = key in ("content", "text", "value") and text_of(inner)
        turns = [Turn(role, str(inner))] if is_written else unwrap(inner, role)
        if turns:
            return turns
    if own_role == "assistant" or (role == "assistant" and _MARKS & value.keys()):
        return [Turn(role, "")]
    if own_role or "type" in value or (role != "user" and len(value) > 1):
        return []
    others = [
        unwrap(value[key], role)
        for key in islice(value, MAX_PARTS)
        if key not in keys and not NO_ANSWER.search(key)
    ]
    return max(others, key=lambda turns: sum(len(turn.text) for turn in turns), default=[])


def _is_structure(value: JsonValue) -> bool:
    """Whether JSON in a text is a log's own: messages, their parts, or the body of an API; all
    other JSON is what a model wrote.
    """
    if isinstance(value, list):
        return bool(value) and all(map(_is_structure, value))
    owner = object_of(value)
    if _role_of(owner) or owner.get("type") in _KEYS["part types"] or _MARKS & owner.keys():
        return True
    return any(_is_structure(owner[key]) for key in _KEYS["structure"] if key in owner)


def _role_of(message: JsonValue) -> str | None:
    """Who wrote a message, in one spelling; None for what is not a message."""
    owner = object_of(message)
    kind = owner.get("id")  # of a serialised object of LangChain, a list of names
    names = [owner.get("role"), owner.get("type"), owner.get("from")]
    for name in [*names, *kind] if isinstance(kind, list) else names:
        role = _ROLES.get(str(name).removesuffix("Chunk").removesuffix("Message").lower())
        if role:
            return role
    inner = owner.get("message") or owner.get("content")
    return _role_of(inner) if isinstance(inner, dict) else None
