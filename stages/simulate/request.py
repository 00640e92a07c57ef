"""Reads a request body as the API does: what is asked of which model, or the error that names what
is wrong with it.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from stages.contracts.json_text import JsonObject, JsonValue, NotJson, parse
from stages.simulate.characters import MODELS

RESPONSES = "/v1/responses"
CHAT = "/v1/chat/completions"
DRAW_KEY = "simulated_draw"
"""The key in a request's `metadata` that names the draw; without it, every call is draw 1/1/1."""
_FIRST_DRAW = "1/1/1"

_NOT_OFFERED = ("stream", "tools", "background", "conversation", "previous_response_id")
_LIMIT_NAMES = ("max_output_tokens", "max_completion_tokens", "max_tokens")


class ApiError(Exception):
    """An error as the API sends it: HTTP status, the fields of the body, and headers."""

    def __init__(
        self,
        status: int,
        code: str | None,
        message: str,
        *,
        param: str | None = None,
        kind: str = "invalid_request_error",
        headers: Mapping[str, str] | None = None,
    ) -> None:
        self.status = status
        self.code = code
        self.param = param
        self.headers = headers or {}
        error: JsonObject = {"message": message, "type": kind, "param": param, "code": code}
        self.body: JsonObject = {"error": error}
        super().__init__(message)


@dataclass(frozen=True, slots=True, kw_only=True)
class SimulatedRequest:
    """What determines an answer, and the body of the request, which the answer echoes.

    `input` is what the user says first; `further` is the rest of the conversation, from the first
    answer in it on.

    `draw` is one of many independent draws; `json_only`: a JSON format was asked for, perhaps with
    a JSON Schema.
    """

    model: str
    instructions: str
    input: str
    further: str = ""
    draw: str = _FIRST_DRAW
    json_only: bool = False
    schema: JsonValue = None
    max_output_tokens: int | None = None
    body: JsonObject = field(default_factory=dict)


def read_request(content: bytes, path: str) -> SimulatedRequest:
    """The request in a body of POST `path`; an ApiError for an unknown model, no input, and what is
    not offered.

    Other parameters that determine no answer of a simulated model are ignored.
    """
    body = json_object(content)
    source = "input" if path == RESPONSES else "messages"
    for name in ("model", source):
        if not body.get(name):
            message = f"Missing required parameter: '{name}'."
            raise ApiError(400, "missing_required_parameter", message, param=name)
    for name in _NOT_OFFERED:
        if body.get(name):
            message = f"Simulated models do not offer '{name}'."
            raise ApiError(400, "unsupported_value", message, param=name)
    model = str(body["model"])
    if model not in MODELS:
        known = ", ".join(MODELS)
        message = f"The model '{model[:100]}' does not exist. The simulated models are {known}."
        raise ApiError(404, "model_not_found", message, param="model")
    messages = _read_messages(body[source], source)
    output_format = inside(inside(body, "text"), "format") or inside(body, "response_format")
    chat_schema = inside(output_format, "json_schema").get("schema")
    limits = [body.get(name) for name in _LIMIT_NAMES]
    limit = next((limit for limit in limits if limit), None)
    draw = str(inside(body, "metadata").get(DRAW_KEY) or _FIRST_DRAW)
    return SimulatedRequest(
        model=model,
        instructions=str(body.get("instructions") or "") + messages.instructions,
        input=messages.input,
        further=messages.further,
        draw=draw[:100],
        json_only=output_format.get("type") in ("json_object", "json_schema"),
        schema=output_format.get("schema") or chat_schema,
        max_output_tokens=limit if isinstance(limit, int) else None,
        body=body,
    )


def json_object(content: bytes) -> JsonObject:
    """The JSON object in a body; an ApiError where there is none."""
    try:
        body = parse(content)
    except NotJson:
        body = None
    if isinstance(body, dict):
        return body
    raise ApiError(400, None, "We could not parse the JSON body of your request.")


def inside(value: JsonObject, key: str) -> JsonObject:
    """The object under a key; empty where there is none."""
    inner = value.get(key)
    return inner if isinstance(inner, dict) else {}


@dataclass(frozen=True, slots=True)
class _Messages:
    """What the system and developer messages say, what the user says first, and what follows."""

    instructions: str
    input: str
    further: str


def _read_messages(value: JsonValue, parameter: str) -> _Messages:
    """The texts of a list of messages; a text is one user message."""
    messages = value if isinstance(value, list) else [{"role": "user", "content": value}]
    instructions: list[str] = []
    inputs: list[str] = []
    further: list[str] = []
    for place, message in enumerate(messages):
        match message:
            case {"role": "system" | "developer", "content": str() | list() as content}:
                instructions.append(_content_text(content))
            case {"role": "user" | "assistant" as role, "content": str() | list() as content}:
                is_further = bool(further) or role == "assistant"
                (further if is_further else inputs).append(_content_text(content))
            case _:
                problem = f"Invalid value for '{parameter}'."
                raise ApiError(400, "invalid_value", problem, param=f"{parameter}[{place}]")
    return _Messages("\n".join(instructions), "\n".join(inputs), "\n".join(further))


def _content_text(content: str | list[JsonValue]) -> str:
    if isinstance(content, str):
        return content
    parts = [part for part in content if isinstance(part, dict)]
    return "".join(str(part.get("text", "")) for part in parts)
