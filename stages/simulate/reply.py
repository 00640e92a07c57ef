"""What the server sends back: an answer or an error in the JSON shape of each API; which calls fail."""

from dataclasses import dataclass, field
from typing import Literal

from stages.contracts.json_text import JsonValue
from stages.simulate.answer import SimulatedAnswer, answer
from stages.simulate.request import RESPONSES, ApiError, JsonObject, SimulatedRequest, inside
from stages.simulate.stream import Stream


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpReply:
    """A reply, and the real time to wait before it is sent, in milliseconds."""

    body: JsonObject
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    delay_ms: float = 2.0


_ERRORS = (
    ApiError(
        429,
        "rate_limit_exceeded",
        "Rate limit reached.",
        kind="requests",
        headers={"retry-after": "1"},
    ),
    ApiError(
        429,
        "rate_limit_exceeded",
        "Rate limit reached.",
        kind="requests",
        headers={"retry-after-ms": "60"},
    ),
    ApiError(
        500, None, "The server had an error.", kind="server_error", headers={"retry-after-ms": "20"}
    ),
    ApiError(
        503,
        "overloaded",
        "The server is overloaded.",
        kind="server_error",
        headers={"retry-after-ms": "120"},
    ),
    ApiError(400, "invalid_value", "Invalid 'input': the drill rejects it.", param="input"),
)


def call_failure(
    request: SimulatedRequest, attempt: int
) -> ApiError | Literal["hang", "drop"] | None:
    """How the `attempt`-th call (from 1) of a request fails: an error, no answer (hang), a closed connection (drop), or not.

    The flaky model fails at most twice in a row, by input and draw; a drill fails always, and by the input alone.
    """
    match request.model:
        case "drill-calls":
            return Stream("drill", request.input).choice((*_ERRORS, "hang", "drop"))
        case "drill-key":
            return ApiError(401, "invalid_api_key", "Incorrect API key provided.")
        case "drill-quota":
            return ApiError(
                429,
                "insufficient_quota",
                "You exceeded your current quota.",
                kind="insufficient_quota",
            )
        case "sim-flaky":
            stream = Stream("flaky", request.input, request.draw)
            if attempt <= stream.choice((0, 0, 1, 1, 2)):
                return stream.branch(str(attempt)).choice(_ERRORS[:4])
    return None


def answered(request: SimulatedRequest, path: str) -> HttpReply:
    """The reply with the model's answer; takes a 300th of the simulated latency, 0.2 s at most."""
    made = answer(request)
    headers = {
        "openai-model": request.model, "openai-processing-ms": f"{made.latency_ms:.0f}", "x-request-id": f"req_{made.id[:32]}",
        "x-ratelimit-limit-requests": "30000", "x-ratelimit-remaining-requests": "29999", "x-ratelimit-reset-requests": "2ms",
    }  # fmt: skip
    body = _responses_body(request, made) if path == RESPONSES else _chat_body(request, made)
    body["metadata"] = {
        **inside(request.body, "metadata"),
        "simulated_latency_ms": f"{made.latency_ms:.1f}",
    }
    tier = request.body.get("service_tier")
    body["service_tier"] = "default" if tier in (None, "auto") else tier
    return HttpReply(
        headers=headers, body=body, delay_ms=min(200.0, max(2.0, made.latency_ms / 300))
    )


def failed(error: ApiError, *key: str) -> HttpReply:
    """The reply with an error; equal keys get equal request ids."""
    retry = error.status in (429, 500, 503) and error.code != "insufficient_quota"
    headers = {
        "x-request-id": f"req_{Stream('error', *key).hex(32)}",
        "x-should-retry": str(retry).lower(),
    }
    return HttpReply(status=error.status, headers=headers | dict(error.headers), body=error.body)


def _responses_body(request: SimulatedRequest, made: SimulatedAnswer) -> JsonObject:
    given: JsonObject = {key: value for key, value in request.body.items() if value is not None}
    status = "incomplete" if made.ending == "cut off" else "completed"
    output: list[JsonValue] = []
    if made.reasoning_tokens:
        output.append({"id": f"rs_{made.id}", "type": "reasoning", "summary": []})
    part: JsonObject = {"type": "output_text", "text": made.text, "annotations": [], "logprobs": []}
    if made.ending == "refused":
        part = {"type": "refusal", "refusal": made.text}
    if made.text:
        message: JsonObject = {
            "id": f"msg_{made.id}",
            "type": "message",
            "role": "assistant",
            "status": status,
        }
        output.append(message | {"content": [part]})
    effort: JsonObject = {"effort": "medium" if made.reasoning_tokens else None, "summary": None}
    text: JsonObject = {"format": {"type": "text"}, "verbosity": "medium"}
    return {
        "id": f"resp_{made.id}", "object": "response", "model": request.model, "status": status, "output": output,
        "created_at": made.created_at, "completed_at": made.created_at + round(made.latency_ms / 1000),
        "background": False, "error": None, "truncation": "disabled", "parallel_tool_calls": True, "tool_choice": "auto", "tools": [],
        "incomplete_details": {"reason": "max_output_tokens"} if made.ending == "cut off" else None,
        "instructions": given.get("instructions"), "max_output_tokens": given.get("max_output_tokens"),
        "previous_response_id": None, "reasoning": effort | inside(given, "reasoning"), "text": text | inside(given, "text"),
        "store": given.get("store", True), "temperature": given.get("temperature", 1.0), "top_p": given.get("top_p", 1.0),
        "usage": {
            "input_tokens": made.input_tokens, "output_tokens": made.output_tokens,
            "input_tokens_details": {"cached_tokens": made.cached_tokens, "cache_write_tokens": 0},
            "output_tokens_details": {"reasoning_tokens": made.reasoning_tokens},
            "total_tokens": made.input_tokens + made.output_tokens,
        },
    }  # fmt: skip


def _chat_body(request: SimulatedRequest, made: SimulatedAnswer) -> JsonObject:
    refusal = made.text if made.ending == "refused" else None
    content = None if refusal else made.text
    message: JsonObject = {
        "role": "assistant",
        "content": content,
        "refusal": refusal,
        "annotations": [],
    }
    reason = "length" if made.ending == "cut off" else "stop"
    return {
        "id": f"chatcmpl-{made.id}", "object": "chat.completion", "created": made.created_at, "model": request.model,
        "choices": [{"index": 0, "message": message, "logprobs": None, "finish_reason": reason}],
        "usage": {
            "prompt_tokens": made.input_tokens, "completion_tokens": made.output_tokens,
            "prompt_tokens_details": {"cached_tokens": made.cached_tokens, "audio_tokens": 0},
            "completion_tokens_details": {"reasoning_tokens": made.reasoning_tokens},
            "total_tokens": made.input_tokens + made.output_tokens,
        },
    }  # fmt: skip
