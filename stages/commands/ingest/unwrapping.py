"""What a value of a log holds, however often it is wrapped.

One walk goes through JSON inside strings, lists of messages, parts and choices, and the bodies of
APIs, until it finds texts or graphs, and who said them.
"""

import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files

from stages.generate.answers.extraction import extract
from stages.generate.apis.kind import object_of, objects_of
from stages.generate.apis.registry import recognize
from stages.shared.records.json_text import JsonObject, JsonValue, NotJson, parse

_TABLES = tomllib.loads(
    files("stages.commands.ingest").joinpath("known_logs.toml").read_text("utf-8")
)
PRESETS: dict[str, Sequence[str]] = _TABLES["paths"]
"""The paths of known logs, by what they lead to; of two that fit, the first is taken."""
FACTS: dict[str, Sequence[str]] = _TABLES["facts"]
"""More of them, which no option names."""
KEYS: Mapping[str, Sequence[str]] = _TABLES["keys"]
STOPS: Mapping[str, str] = _TABLES["stops"]
_ROLES: Mapping[str, str] = _TABLES["roles"]
_PROMPT_KEYS = {*KEYS["user"], *KEYS["system"]}
_TEXT_KEYS = ("content", "text", "value")
_GRADED = re.compile(
    r"\[(PASS|FAIL|ERROR)\] \([^)]*\)\s+(.*?)(?:\n\n(?:Pass|Fail) Reason: .*)?", re.DOTALL
)
"""A cell of promptfoo's CSV: verdict, score, answer, and the reason of the verdict."""


class Unreadable(ValueError):
    """Why a record of a log cannot be used."""


@dataclass(frozen=True, slots=True)
class Turn:
    """What the system, the user or the assistant said: a text or a graph, or None for anything
    else, such as a picture; `role` is None for anybody else.
    """

    role: str | None
    said: JsonValue


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer, a text or a graph, and the JSON in it; None where it has none."""

    said: JsonValue
    parsed: JsonValue


def is_not_an_answer(key: str) -> bool:
    """Whether a key names an error, or what somebody expected in place of what a model wrote.

    >>> is_not_an_answer("reference_output"), is_not_an_answer("output")
    (True, False)
    """
    words = ("error", "expected", "reference", "target", "ideal", "golden", "ground_truth")
    return any(word in key.casefold() for word in words)


def follow(value: JsonValue, path: str) -> JsonValue:
    """The value at a dotted path, None where there is none.

    A key may have dots of its own, a number counts in a list (-1: the last), and JSON inside
    strings is read on the way.

    >>> follow({"a.b": ['{"c": 1}']}, "a.b.0.c")
    1
    """
    if path in ("", "."):
        return value
    value = opened(value)
    if isinstance(value, list):
        value = {str(place): value[place] for place in range(-len(value), len(value))}
    owner, parts = object_of(value), path.split(".")
    for end in range(len(parts), 0, -1):
        key = ".".join(parts[:end])
        if key in owner:
            return follow(owner[key], ".".join(parts[end:]))
    return None


def opened(value: JsonValue) -> JsonValue:
    """A value without the strings that it is wrapped in as JSON."""
    while isinstance(value, str):
        inner = _inside(value)
        if inner is None:
            break
        value = inner
    return value


def _inside(text: str) -> JsonValue:
    """The object, list or text in a text that is JSON; None for any other text."""
    if text[:100].lstrip()[:1] not in ("{", "[", '"'):
        return None
    try:
        return parse(text)
    except NotJson:
        return None


def _is_graph(value: JsonValue) -> bool:
    owner = object_of(value)
    return isinstance(owner.get("nodes"), list) and isinstance(owner.get("edges"), list)


def find_reply(value: JsonValue) -> Reply | None:
    """The answer in a value: what the assistant said last, or the first graph that is not in a
    prompt; None where there is neither.

    Raises:
        Unreadable: there are several graphs.
    """
    turns = unwrap(value, "assistant")
    said = [turn.said or "" for turn in turns if turn.role == "assistant"][-1:]
    reply = read_reply(said[0]) if said else None
    if has_graph(reply):
        return reply
    texts: list[JsonValue] = []
    for key, entry in entries_of(opened(value)):
        if _is_graph(entry) or (isinstance(entry, str) and key not in _PROMPT_KEYS):
            texts += [turn.said for turn in unwrap(entry, "assistant")]
    graphs = list(filter(has_graph, map(read_reply, texts)))
    if any(other.parsed != graphs[0].parsed for other in graphs):
        raise Unreadable("has several graphs: --output chooses one")
    return graphs[0] if graphs else reply


def read_reply(said: JsonValue) -> Reply:
    """An answer with the JSON in it."""
    return Reply(said, extract(said).parsed if isinstance(said, str) else said)


def entries_of(value: JsonValue) -> Iterator[tuple[str, JsonValue]]:
    """What is in a value, by its keys, the nearest first; graphs, and what a person or a system
    said, are not searched.
    """
    level = [("", value)]
    while level:
        yield from level
        level = [inner for _, entry in level for inner in _inner_entries(entry)]


def _inner_entries(value: JsonValue) -> list[tuple[str, JsonValue]]:
    if isinstance(value, list):
        return [("", entry) for entry in value]
    if not isinstance(value, dict) or _is_graph(value) or _role_of(value) in ("system", "user"):
        return []
    return [(key, entry) for key, entry in value.items() if not is_not_an_answer(key)]


def has_graph(reply: Reply | None) -> bool:
    """Whether there is an answer with an object with lists of `nodes` and `edges`."""
    return reply is not None and _is_graph(reply.parsed)


def find_user_text(value: JsonValue) -> str | None:
    """What the user said in a value, as a request or a log has it; None where there is nothing.

    Raises:
        Unreadable: there are several turns, or one is no text.
    """
    turns = unwrap(value, "user")
    said = [turn.said for turn in turns if turn.role not in ("system", "assistant")]
    named = object_of(opened(value)).values()
    texts = [text for text in said or named if isinstance(text, str)]
    if said and len(texts) < len(said):
        raise Unreadable("has a message that is not text")
    if len(said) > 1 or [turn.role for turn in turns].count("assistant") > 1:
        raise Unreadable("has several turns, and a brief is one message: --input chooses one")
    return max(texts, key=len, default=None)


def unwrap(value: JsonValue, role: str) -> list[Turn]:
    """The turns in a value, which are of this role where nothing says otherwise.

    A text in a message is kept as it was written.
    """
    if isinstance(value, str):
        return _unwrap_text(value, role)
    if isinstance(value, list):
        return _unwrap_list(value, role)
    if isinstance(value, dict):
        return [Turn(role, value)] if _is_graph(value) else _unwrap_object(value, role)
    return []


def _unwrap_text(text: str, role: str) -> list[Turn]:
    graded = _GRADED.fullmatch(text)
    if graded:
        return [] if graded[1] == "ERROR" else unwrap(graded[2], role)
    inner = _inside(text)
    turns = [] if _is_graph(inner) else unwrap(inner, role)
    return turns or [Turn(role, text)]


def _unwrap_list(values: list[JsonValue], role: str) -> list[Turn]:
    if any(map(_role_of, objects_of(values))):
        turns: list[Turn] = []
        for message in objects_of(values):
            turns += unwrap(message, role) if _role_of(message) else [Turn(None, None)]
        return turns
    parts = [unwrap(entry, role) for entry in values if not _is_thought(entry)]
    if role != "assistant" and not all(parts):  # a picture beside a text
        return []
    found = [part for part in parts if part]
    said = [part[0].said for part in found if len(part) == 1]
    texts = [text for text in said if isinstance(text, str)]
    if texts and len(texts) == len(found):
        return [Turn(found[0][0].role, "".join(texts))]
    return next(iter(found), [])


def _unwrap_object(value: JsonObject, role: str) -> list[Turn]:
    kind = recognize(value)
    text = kind.text(value) if kind else None
    if text:
        return [Turn("assistant", text)]
    own_role = _role_of(value)
    role = own_role or role
    system = [turn for key in KEYS["system"] for turn in unwrap(value.get(key), "system")]
    turns = [Turn(role, None)] if own_role or kind else []
    keys = KEYS["assistant" if role == "assistant" else "user"]
    if role == "assistant" and len(value) == 1:
        keys = [key for key in value if not is_not_an_answer(key)]
    for key in keys:
        inner = value.get(key)
        if isinstance(inner, str) and key in _TEXT_KEYS:
            found = [Turn(role, opened(inner) if inner.startswith('"') else inner)]
        else:
            found = unwrap(inner, role)
        if any(turn.said for turn in found):
            return [*system[:1], *found]
        turns = turns or found
    return [*system[:1], *turns]


def _role_of(message: JsonObject) -> str | None:
    """Who wrote a message, in one spelling; None for what is no message."""
    kind = message.get("id")  # of a serialised object of LangChain, a list of names
    names = [message.get("role"), message.get("type"), message.get("from")]
    names += kind[-1:] if isinstance(kind, list) else []
    inner = object_of(message.get("message"))
    roles = filter(None, [_ROLES.get(str(name)) for name in names])
    return next(roles, _role_of(inner) if inner else None)


def _is_thought(part: JsonValue) -> bool:
    kind = object_of(part).get("type")
    return kind in ("thinking", "reasoning") or bool(object_of(part).get("thought"))
