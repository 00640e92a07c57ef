"""What an entry of a log says: what was sent to a model, and what it answered."""

import math
from dataclasses import dataclass

from stages.contracts.json_text import JsonObject, JsonValue, NotJson, parse
from stages.generate.answers.recorded import time_of_body, utc_text
from stages.generate.apis.kind import object_of, objects_of, text_of
from stages.generate.apis.registry import recognize
from stages.ingest.log_files import Columns

_BODY_KEYS = ("model", "status", "incomplete_details", "output", "choices", "usage", "service_tier")
"""What is kept of the body of an API: all that an answer is read from."""


class Unreadable(ValueError):
    """Why an entry of a log cannot be used."""


@dataclass(frozen=True, slots=True)
class Conversation:
    """A system prompt, the message of a user, and the answer; None for what a log does not have."""

    system: str | None = None
    user: str | None = None
    answer: JsonValue = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Exchange:
    """One input and its output: a text, a graph, or the body of an API.

    `brief_id` is None where the log has only the input, and `system` where it has no system prompt.
    `provider` is what promptfoo calls so. `stated` has the keys of a line of recorded answers.
    """

    brief_id: str | None = None
    user: str | None
    system: str | None
    output: JsonValue
    provider: str | None = None
    stated: JsonObject


class ExchangeReader:
    """Reads the entries of logs; it remembers the requests of batches until their answers come."""

    def __init__(self, columns: Columns) -> None:
        self._columns = columns
        self._requests: dict[str, Conversation] = {}

    def read(self, record: JsonObject) -> Exchange | None:
        """What an entry says; None for the request of a batch.

        Raises:
            Unreadable: it has no answer, no single input, or another form.
        """
        if "custom_id" in record:
            return self._read_batch(record)
        if isinstance(record.get("prompt"), dict):
            return self._read_promptfoo(record)
        return self._read_pair(record)

    def _read_batch(self, record: JsonObject) -> Exchange | None:
        name = str(record["custom_id"])
        if "body" in record:
            self._requests[name] = _read_request(object_of(record["body"]))
            return None
        if name not in self._requests:
            raise Unreadable("answers no request: name the input file of the batch first")
        request = self._requests[name]
        body = object_of(object_of(record.get("response")).get("body"))
        if recognize(body) is None:
            raise Unreadable("holds an error in place of an answer")
        stated: JsonObject = {"created_at": time_of_body(body)}
        return _exchange(request, body, stated)

    def _read_promptfoo(self, record: JsonObject) -> Exchange:
        """The input is the variable that `--input-column` names; else the user's message of a chat,
        the only variable, or the whole prompt.
        """
        variables = object_of(record.get("vars"))
        raw_prompt = text_of(object_of(record["prompt"]).get("raw")) or ""
        conversation = _read_chat_prompt(raw_prompt)
        user = text_of(variables.get(self._columns.input)) or conversation.user
        if user is None:
            values = [*variables.values()]
            user = text_of(values[0]) if len(values) == 1 else raw_prompt
        response = object_of(record.get("response"))
        provider = record.get("provider")
        names = object_of(provider)
        provider_id = text_of(provider) or text_of(names.get("id"))
        stated: JsonObject = {"model": provider_id}
        if not response.get("cached"):  # else they are those of the cache
            stated |= _promptfoo_measures(record, response)
        return Exchange(
            user=user,
            system=conversation.system,
            output=_output(response.get("output")),
            provider=text_of(names.get("label")) or provider_id,
            stated=_read_stated(stated),
        )

    def _read_pair(self, record: JsonObject) -> Exchange:
        is_chat = isinstance(record.get("messages"), list)
        sent = record if is_chat else record.get(self._columns.input)
        conversation = Conversation(text_of(record.get("system")), text_of(sent))
        if isinstance(sent, list):
            conversation = _read_conversation(sent)
        elif isinstance(sent, dict):
            conversation = _read_request(sent)
        output = conversation.answer
        if output is None:
            output = record.get(self._columns.output)
        return _exchange(conversation, output, record)


def _exchange(conversation: Conversation, output: JsonValue, record: JsonObject) -> Exchange:
    brief_id = text_of(record.get("brief"))
    if brief_id is None and conversation.user is None:
        raise Unreadable("has no input")
    return Exchange(
        brief_id=brief_id,
        user=conversation.user,
        system=conversation.system,
        output=_output(output),
        stated=_read_stated(record),
    )


def _promptfoo_measures(record: JsonObject, response: JsonObject) -> JsonObject:
    """The time, the cost and the tokens of a call by promptfoo, in which 0 is "not known"."""
    tokens = object_of(response.get("tokenUsage", record.get("tokenUsage")))
    counts: JsonObject = {
        "input_tokens": tokens.get("prompt"),
        "output_tokens": tokens.get("completion"),
    }
    return {
        "latency_ms": record.get("latencyMs"),
        "cost_usd": record.get("cost") or response.get("cost") or None,
        "usage": counts if any(counts.values()) else None,
    }


def _output(value: JsonValue) -> JsonValue:
    """An output; of the body of an API only what an answer is read from."""
    if isinstance(value, dict) and value.get("role") == "assistant":
        value = _read_conversation([value]).answer
    if value is None:
        raise Unreadable("has no output")
    if isinstance(value, dict) and recognize(value) is not None:
        return {key: value[key] for key in _BODY_KEYS if key in value}
    return value


def _read_request(body: JsonObject) -> Conversation:
    """The conversation in the body of a request, of either API."""
    messages = body.get("messages", body.get("input"))
    if isinstance(messages, str):
        messages = [{"role": "user", "content": messages}]
    instructions = body.get("instructions")
    if instructions is not None and isinstance(messages, list):
        messages = [{"role": "system", "content": instructions}, *messages]
    return _read_conversation(messages)


def _read_chat_prompt(raw_prompt: str) -> Conversation:
    """The conversation in a prompt that is a list of messages as JSON; an empty one in a text."""
    try:
        messages = parse(raw_prompt)
    except NotJson:
        return Conversation()
    return _read_conversation(messages) if objects_of(messages) else Conversation()


def _read_conversation(messages: JsonValue) -> Conversation:
    """A conversation of at most one message of a user and one answer to it."""
    system: list[str] = []
    user: str | None = None
    answer: JsonValue = None
    for message in objects_of(messages):
        role = message.get("role")
        if answer is not None or (role == "user" and user is not None):
            raise Unreadable("has several turns, and a brief is one message")
        if role in ("system", "developer"):
            system.append(_read_text(message.get("content")))
        elif role == "user":
            user = _read_text(message.get("content"))
        elif role == "assistant" and message.get("refusal"):
            answer = {"choices": [{"message": {"refusal": message["refusal"]}}]}
        elif role == "assistant":
            answer = _read_text(message.get("content"))
        else:
            raise Unreadable("has a message that is neither of a system, a user nor an assistant")
    return Conversation("\n\n".join(system) or None, user, answer)


def _read_text(content: JsonValue) -> str:
    """The text of a message, whose content may be a list of parts."""
    if isinstance(content, str):
        return content
    texts = [text_of(part.get("text")) for part in objects_of(content)]
    if not texts or None in texts:
        raise Unreadable("has a message that is not text")
    return "".join(text or "" for text in texts)


def _read_stated(record: JsonObject) -> JsonObject:
    """What an entry states besides input and output; what cannot be read is not stated."""
    usage = object_of(record.get("usage"))
    created_at = record.get("created_at", record.get("created"))
    stated: JsonObject = {
        "model": text_of(record.get("model")),
        "latency_ms": _read_number(record.get("latency_ms")),
        "cost_usd": _read_number(record.get("cost_usd")),
        "created_at": time_of_body({"created": created_at}) or _read_time(created_at),
        "usage": _counts(usage) or None,
    }
    return {key: value for key, value in stated.items() if value is not None}


def _read_time(value: JsonValue) -> str | None:
    try:
        return utc_text(value) if isinstance(value, str) else None
    except ValueError:
        return None


def _read_number(value: JsonValue) -> float | None:
    """A finite number from 0, which a table has as a text."""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return None
    try:
        number = float(value)
    except ValueError:
        return None
    return number if math.isfinite(number) and number >= 0 else None


def _counts(usage: JsonObject) -> JsonObject:
    """The numbers of an object, and of the objects in it."""
    counts: JsonObject = {}
    for key, value in usage.items():
        if isinstance(value, dict):
            counts[key] = _counts(value)
        elif isinstance(value, int | float):
            counts[key] = value
    return counts
