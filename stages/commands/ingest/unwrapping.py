"""What a value of a log holds, however often it is wrapped.

One walk goes through JSON inside strings, lists of messages, parts and choices, and the bodies of
APIs, until it finds a graph or a text.
"""

import re
import tomllib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files

from stages.generate.answers.extraction import extract
from stages.generate.apis.kind import object_of, objects_of, text_of
from stages.generate.apis.registry import recognize
from stages.shared.records.json_text import JsonObject, JsonValue, NotJson, parse

_TABLES = tomllib.loads(
    files("stages.commands.ingest").joinpath("known_logs.toml").read_text("utf-8")
)
PRESETS: Mapping[str, Sequence[str]] = _TABLES["paths"]
"""The paths of known logs, by what they lead to; of two that fit, the first is taken."""
KEYS: Mapping[str, Sequence[str]] = _TABLES["keys"]
NAMES: Mapping[str, str] = _TABLES["names"]
_TEXT_KEYS = ("content", "text", "parts", "value")
_GRADED = re.compile(
    r"\[(PASS|FAIL|ERROR)\] \([^)]*\)\s+(.*?)(?:\n\n(?:Pass|Fail) Reason: .*)?", re.DOTALL
)
"""A cell of promptfoo's CSV: verdict, score, answer, and the reason of the verdict."""
_MAX_LEVELS = 6
"""How deeply a fact beside an answer is looked for."""


class Unreadable(ValueError):
    """Why a record of a log cannot be used."""


@dataclass(frozen=True, slots=True)
class Conversation:
    """A system prompt and the message of a user; None for what there is not."""

    system: str | None = None
    user: str | None = None


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
    parts = path.split(".")
    if isinstance(value, list):
        try:
            return follow(value[int(parts[0])], ".".join(parts[1:]))
        except (ValueError, IndexError):
            return None
    owner = object_of(value)
    for end in range(len(parts), 0, -1):
        key = ".".join(parts[:end])
        if key in owner:
            return follow(owner[key], ".".join(parts[end:]))
    return None


def _inside(text: str) -> JsonValue:
    """The object, list or text in a text that is JSON; None for any other text."""
    if text[:100].lstrip()[:1] not in ("{", "[", '"'):
        return None
    try:
        return parse(text)
    except NotJson:
        return None


def opened(value: JsonValue) -> JsonValue:
    """A value without the strings that it is wrapped in as JSON."""
    while isinstance(value, str):
        inner = _inside(value)
        if inner is None:
            break
        value = inner
    return value


def has_graph(answer: JsonValue) -> bool:
    """Whether an answer is, or has in its text, an object with `nodes` and `edges`."""
    return _is_graph(extract(answer).parsed if isinstance(answer, str) else answer)


def _is_graph(value: JsonValue) -> bool:
    return isinstance(value, dict) and "nodes" in value and "edges" in value


def find_answer(value: JsonValue) -> JsonValue:
    """The graph or the text in a value; None where there is neither, "" for an empty answer.

    A text is returned as the model wrote it: what a message holds is not unwrapped any further.
    """
    if isinstance(value, str):
        inner = _inside(value)
        if inner is None and (graded := _GRADED.fullmatch(value)):
            return None if graded[1] == "ERROR" else find_answer(graded[2])
        if inner is None or _is_graph(inner):
            return value
        found = find_answer(inner)
        return value if found is None else found
    if isinstance(value, list):
        return _find_in_list(value)
    if isinstance(value, dict):
        return value if _is_graph(value) else _find_in_object(value)
    return None


def _find_in_object(value: JsonObject) -> JsonValue:
    kind = recognize(value)
    if kind is not None and (text := kind.read_output(value).raw_text):
        return text
    empty = "" if kind is not None or text_of(value.get("refusal")) else None
    for key in KEYS["answer"]:
        found = _find_under(value, key)
        if found:
            return found
        empty = empty if found is None else ""
    for key, inner in value.items():
        is_prompt = isinstance(inner, str) and key in (*KEYS["input"], *KEYS["system"])
        if is_prompt or key in KEYS["answer"] or is_not_an_answer(key):
            continue
        found = find_answer(inner)
        if found and (has_graph(found) or len(value) == 1):
            return found
    return empty


def _find_under(value: JsonObject, key: str) -> JsonValue:
    inner = value.get(key)
    if key in _TEXT_KEYS and isinstance(inner, str):  # the model's own text
        text = opened(inner) if inner.startswith('"') else inner
        return text if isinstance(text, str) else inner
    return find_answer(inner)


def _find_in_list(values: list[JsonValue]) -> JsonValue:
    answers = [entry for entry in objects_of(values) if _role_of(entry) == "assistant"]
    if answers:
        return find_answer(answers[-1])
    if any(_role_of(entry) for entry in objects_of(values)):
        return None
    joined = _text_of_parts(values)
    if joined:
        return joined
    found = [find_answer(entry) for entry in values if not _is_thought(entry)]
    texts = [entry for entry in found if entry]
    if not texts:
        return "" if "" in found else None
    return next((entry for entry in texts if has_graph(entry)), texts[0])


def _role_of(message: JsonObject) -> str | None:
    """Who wrote a message, in one spelling; None for what is no message."""
    for key in ("role", "type", "from"):
        if role := NAMES.get(str(message.get(key))):
            return role
    names = message.get("id")
    if isinstance(names, list) and names:  # a serialised object of LangChain
        name = str(names[-1]).removesuffix("Chunk").removesuffix("Message").casefold()
        return NAMES.get(name)
    inner = object_of(message.get("message"))
    return _role_of(inner) if inner else None


def _is_thought(part: JsonValue) -> bool:
    kind = object_of(part).get("type")
    return kind in ("thinking", "reasoning") or bool(object_of(part).get("thought"))


def _text_of_parts(value: JsonValue) -> str | None:
    """The text of a message's content, of its parts without thoughts; None where a part is none."""
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        texts = [_text_of_parts(part) for part in value if not _is_thought(part)]
        known = [text for text in texts if text is not None]
        return "".join(known) if texts and len(known) == len(texts) else None
    message = object_of(value)
    if "message" in message:
        return None
    for key in ("kwargs", "data"):
        message = object_of(message.get(key)) or message
    return next((_text_of_parts(message[key]) for key in _TEXT_KEYS if key in message), None)


def find_fact(value: JsonValue, keys: Collection[str]) -> JsonValue:
    """The first value under one of the keys, the nearest first; None where there is none.

    Graphs are not searched: they are the model's.
    """
    level = [opened(value)]
    for _ in range(_MAX_LEVELS):
        inner: list[JsonValue] = []
        for entry in level:
            if isinstance(entry, list):
                inner += entry
            elif isinstance(entry, dict) and not _is_graph(entry):
                for key in keys:
                    if entry.get(key):
                        return entry[key]
                inner += entry.values()
        level = [entry for entry in inner if isinstance(entry, dict | list)]
    return None


def find_conversation(value: JsonValue) -> Conversation:
    """The system prompt and the user's message in a value, as a request or a log has them.

    Raises:
        Unreadable: there are several turns, or a message is not text.
    """
    inner = opened(value)
    if isinstance(inner, str):
        return Conversation(user=inner)
    found = _read_messages(inner) if isinstance(inner, list) else _read_object(inner)
    if found.user is None and isinstance(value, str):  # JSON that is the input itself
        return Conversation(found.system, value)
    return found


def _read_object(value: JsonValue) -> Conversation:
    request = object_of(value)
    if role := _role_of(request):
        text = _text_of_parts(request)
        return Conversation(text, None) if role == "system" else Conversation(None, text)
    systems = [_text_of_parts(request[key]) for key in KEYS["system"] if key in request]
    system = next(filter(None, systems), None)
    found = Conversation()
    for key in KEYS["input"]:
        if request.get(key) and not found.user:
            found = find_conversation(request[key])
    texts = [entry for entry in request.values() if isinstance(entry, str)]
    user = found.user or max(texts, key=len, default=None)
    return Conversation("\n\n".join(filter(None, [system, found.system])) or None, user)


def _read_messages(values: list[JsonValue]) -> Conversation:
    """A conversation of one message of a user, and at most the answer to it."""
    if len(values) == 1 and not isinstance(values[0], dict):
        return find_conversation(values[0])
    if not any(map(_role_of, objects_of(values))):
        return Conversation(user=_text_of_parts(values))
    by_role: dict[str, list[str]] = {"system": [], "user": [], "assistant": []}
    for message in objects_of(values):
        role = _role_of(message)
        inner = object_of(message.get("message")) or message
        if role is None:
            raise Unreadable("has a message that is neither of a system, a user nor an assistant")
        text = "" if role == "assistant" else _text_of_parts(inner)
        if text is None:
            raise Unreadable("has a message that is not text")
        by_role[role].append(text)
    if len(by_role["user"]) > 1 or len(by_role["assistant"]) > 1:
        raise Unreadable("has several turns, and a brief is one message: --input chooses one")
    user = by_role["user"][0] if by_role["user"] else None
    return Conversation("\n\n".join(by_role["system"]) or None, user)
