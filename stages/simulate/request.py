"""Reads a request body as the API does: what is asked of which model, or the error that names what is wrong with it."""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field

from stages.contracts.json_text import JsonValue, NotJson, parse
from stages.simulate.characters import MODELS

RESPONSES, CHAT = "/v1/responses", "/v1/chat/completions"
JsonObject = dict[str, JsonValue]
DRAW_KEY = "simulated_draw"
"""The key in a request's `metadata` that names the draw; without it, every call is draw 1/1/1."""


_NOT_OFFERED = ("stream", "tools", "background", "conversation", "previous_response_id")
_LIMITS = {
    "temperature": (0, 2), "top_p": (0, 1), "max_output_tokens": (16, 10**9), "max_completion_tokens": (1, 10**9), "n": (1, 1),
}  # fmt: skip
_OTHERS = """
    model input instructions messages include max_tool_calls parallel_tool_calls prompt_cache_key prompt_cache_retention safety_identifier
    store tool_choice top_logprobs truncation user seed stop metadata reasoning reasoning.effort reasoning.summary reasoning_effort text
    text.format text.verbosity verbosity response_format service_tier max_tokens frequency_penalty presence_penalty logprobs
"""
_KNOWN = {*_NOT_OFFERED, *_LIMITS, *_OTHERS.split()}


class ApiError(Exception):
    """An error as the API sends it: HTTP status, the fields of the body, and headers."""

    def __init__(
        self, status: int, code: str | None, message: str, *, param: str | None = None, kind: str = "invalid_request_error",
        headers: Mapping[str, str] | None = None,
    ) -> None:  # fmt: skip
        self.status, self.code, self.param, self.headers = status, code, param, headers or {}
        self.body: JsonObject = {
            "error": {"message": message, "type": kind, "param": param, "code": code}
        }
        super().__init__(message)


@dataclass(frozen=True, slots=True, kw_only=True)
class SimulatedRequest:
    """What determines an answer, and the body of the request, which the answer echoes."""

    model: str
    instructions: str
    input: str
    draw: str = "1/1/1"  # one of many independent draws
    json_only: bool = False  # a JSON format was asked for, perhaps with a JSON Schema
    schema: JsonValue = None
    max_output_tokens: int | None = None
    body: JsonObject = field(default_factory=dict)


def read_request(content: bytes, path: str) -> SimulatedRequest:
    """The request in a body of POST `path`; an ApiError for an unknown model and for the first wrong parameter."""
    body = json_object(content)
    _check(body)
    source = "input" if path == RESPONSES else "messages"
    for name in ("model", source):
        if not body.get(name):
            raise ApiError(
                400,
                "missing_required_parameter",
                f"Missing required parameter: '{name}'.",
                param=name,
            )
    model = body["model"]
    if model not in MODELS:
        message = f"The model '{str(model)[:100]}' does not exist. The simulated models are {', '.join(MODELS)}."
        raise ApiError(404, "model_not_found", message, param="model")
    system, said = _messages(body[source], source)
    form = inside(inside(body, "text"), "format") or inside(body, "response_format")
    limit = (
        body.get("max_output_tokens") or body.get("max_completion_tokens") or body.get("max_tokens")
    )
    return SimulatedRequest(
        model=str(model),
        instructions=str(body.get("instructions") or "") + system,
        input=said,
        draw=str(inside(body, "metadata").get(DRAW_KEY) or "1/1/1")[:100],
        json_only=form.get("type") in ("json_object", "json_schema"),
        schema=form.get("schema") or inside(form, "json_schema").get("schema"),
        max_output_tokens=limit if isinstance(limit, int) else None,
        body=body,
    )


def json_object(content: bytes) -> JsonObject:
    """The JSON object in a body; an ApiError where there is none."""
    with suppress(NotJson):
        if isinstance(body := parse(content), dict):
            return body
    raise ApiError(400, None, "We could not parse the JSON body of your request.")


def inside(value: JsonObject, key: str) -> JsonObject:
    """The object under a key; empty where there is none."""
    found = value.get(key)
    return found if isinstance(found, dict) else {}


def _check(body: JsonObject, prefix: str = "") -> None:
    for key, value in body.items():
        name, problem = f"{prefix}{key[:80]}", ""
        if name not in _KNOWN:
            problem = "unknown_parameter"
        elif name in _NOT_OFFERED and value not in (None, False, []):
            problem = "unsupported_value"
        elif name in _LIMITS and value is not None:
            low, high = _LIMITS[name]
            if (
                isinstance(value, bool)
                or not isinstance(value, int | float)
                or not low <= value <= high
            ):
                problem = "invalid_value"
        if problem:
            raise ApiError(
                400, problem, f"Parameter '{name}': {problem.replace('_', ' ')}.", param=name
            )
        if name in ("reasoning", "text"):
            _check(inside(body, name), f"{name}.")


def _messages(given: JsonValue, name: str) -> tuple[str, str]:
    """What the system and developer messages say, and what the others say; a text is one user message."""
    said: dict[bool, list[str]] = {True: [], False: []}
    for place, message in enumerate(
        given if isinstance(given, list) else [{"role": "user", "content": given}]
    ):
        match message:
            case {
                "role": "system" | "developer" | "user" | "assistant" as role,
                "content": str() | list() as content,
            }:
                parts: list[JsonValue] = (
                    [{"text": content}] if isinstance(content, str) else content
                )
                texts = [str(part.get("text", "")) for part in parts if isinstance(part, dict)]
                said[role in ("system", "developer")].append("".join(texts))
            case _:
                raise ApiError(
                    400, "invalid_value", f"Invalid value for '{name}'.", param=f"{name}[{place}]"
                )
    return "\n".join(said[True]), "\n".join(said[False])
