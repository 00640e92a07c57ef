"""Reads a request body as the API does: what is asked of which character, or the error that says what is wrong with it."""

import msgspec

from stages.contracts.json_text import JsonValue, NotJson, parse
from stages.simulate import parameters
from stages.simulate.answer import Asked
from stages.simulate.api_error import rejected
from stages.simulate.character import CAST, DRILLS, Character
from stages.simulate.messages import read_messages

Body = dict[str, JsonValue]


DRAW_KEY = "simulated_draw"
"""The key in a request's `metadata` that names the draw, as our own client does; without it, all calls are draw 1/1/1."""


class Request(msgspec.Struct, frozen=True, kw_only=True):
    """A request that can be served: what decides the answer, and the body, which the answer echoes."""

    asked: Asked
    body: Body


def models() -> tuple[str, ...]:
    """The names of all simulated models, sorted."""
    return tuple(sorted((*CAST, *DRILLS)))


def read_responses(content: bytes, draw: str) -> Request:
    """The request that a body of POST /v1/responses holds; `draw` is what the headers say of it, "" for nothing.

    Raises:
        Rejected: not JSON, unknown parameters or model, wrong types or values.
    """
    body = _object(content)
    parameters.check(body, parameters.RESPONSES)
    model = _model(body)
    instructions, text = _input(body)
    reasoning, format_ = body.get("reasoning"), (_inner(body, "text")).get("format")
    effort = reasoning.get("effort") if isinstance(reasoning, dict) else None
    _check_sampling(body, CAST.get(model), "reasoning.effort" if effort not in (None, "none") else None)
    limit = body.get("max_output_tokens")
    asked = Asked(
        model=model,
        instructions=instructions,
        input=text,
        draw=draw or _draw(body),
        plain=_is_json(format_),
        schema=format_.get("schema") if isinstance(format_, dict) and _is_json(format_) else None,
        max_output_tokens=limit if isinstance(limit, int) else None,
    )
    return Request(asked=asked, body=body)


def read_chat(content: bytes, draw: str) -> Request:
    """The request that a body of POST /v1/chat/completions holds; `draw` is what the headers say of it, "" for nothing.

    Raises:
        Rejected: not JSON, unknown parameters or model, wrong types or values.
    """
    body = _object(content)
    parameters.check(body, parameters.CHAT)
    model = _model(body)
    messages = body.get("messages")
    if not isinstance(messages, list) or not messages:
        raise rejected("Missing required parameter: 'messages'.", code="missing_required_parameter", param="messages")
    instructions, text = read_messages(messages, "messages")
    effort = body.get("reasoning_effort")
    _check_sampling(body, CAST.get(model), "reasoning_effort" if effort not in (None, "none") else None)
    limit = body.get("max_completion_tokens") or body.get("max_tokens")
    asked = Asked(
        model=model,
        instructions=instructions,
        input=text,
        draw=draw or _draw(body),
        plain=_is_json(body.get("response_format")),
        schema=_inner(_inner(body, "response_format"), "json_schema").get("schema"),
        max_output_tokens=limit if isinstance(limit, int) else None,
    )
    return Request(asked=asked, body=body)


def _object(content: bytes) -> Body:
    try:
        body = parse(content)
    except NotJson:
        body = None
    if not isinstance(body, dict):
        raise rejected(
            "We could not parse the JSON body of your request. (HINT: This likely means you aren't using your HTTP library "
            "correctly. The API expects a JSON payload.)"
        )
    return body


def _inner(body: Body, key: str) -> Body:
    value = body.get(key)
    return value if isinstance(value, dict) else {}


def _is_json(wanted: JsonValue) -> bool:
    return isinstance(wanted, dict) and wanted.get("type") in ("json_object", "json_schema")


def _draw(body: Body) -> str:
    named = _inner(body, "metadata").get(DRAW_KEY)
    return named[:100] if isinstance(named, str) and named else "1/1/1"


def _model(body: Body) -> str:
    model = body.get("model")
    if not isinstance(model, str) or not model:
        raise rejected("Missing required parameter: 'model'.", code="missing_required_parameter", param="model")
    if model not in models():
        known = ", ".join(models())
        raise rejected(
            f"The model '{model[:100]}' does not exist. The simulated models are {known}.",
            code="model_not_found", param="model", status=404,
        )  # fmt: skip
    return model


def _input(body: Body) -> tuple[str, str]:
    given, instructions = body.get("input"), body.get("instructions")
    ahead = instructions if isinstance(instructions, str) else ""
    if isinstance(given, str):
        return ahead, given
    if isinstance(given, list) and given:
        system, text = read_messages(given, "input")
        return ahead + system, text
    if given is None:
        raise rejected("Missing required parameter: 'input'.", code="missing_required_parameter", param="input")
    message = "Invalid type for 'input': expected one of a string or array of objects."
    raise rejected(message, code="invalid_type", param="input")


def _check_sampling(body: Body, character: Character | None, effort: str | None) -> None:
    reasons = character is not None and character.reasoning is not None
    for key in ("temperature", "top_p"):
        if reasons and body.get(key) is not None:
            message = f"Unsupported parameter: '{key}' is not supported with this model."
            raise rejected(message, code="unsupported_parameter", param=key)
    if effort is not None and character is not None and not reasons:
        message = f"Unsupported parameter: '{effort}' is not supported with this model."
        raise rejected(message, code="unsupported_parameter", param=effort)
