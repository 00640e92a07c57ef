"""What the server sends back: an answer or an error in the JSON shape of each API; which calls
fail.
"""

from dataclasses import dataclass, field
from typing import Literal

from stages.contracts.json_text import JsonObject, JsonValue
from stages.simulate.answer import SimulatedAnswer, answer
from stages.simulate.request import RESPONSES, ApiError, SimulatedRequest, inside
from stages.simulate.stream import Stream


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpReply:
    """A reply, and the real time to wait before it is sent, in milliseconds."""

    body: JsonObject
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    delay_ms: float = 2.0


_RETRYABLE = tuple(
    ApiError(status, code, message, kind=kind, headers={header: wait})
    for status, code, message, kind, header, wait in (
        (429, "rate_limit_exceeded", "Rate limit reached.", "requests", "retry-after", "1"),
        (429, "rate_limit_exceeded", "Rate limit reached.", "requests", "retry-after-ms", "60"),
        (500, None, "The server had an error.", "server_error", "retry-after-ms", "20"),
        (503, "overloaded", "The server is overloaded.", "server_error", "retry-after-ms", "120"),
    )
)
_REJECTED = ApiError(400, "invalid_value", "Invalid 'input': the drill rejects it.", param="input")
_NO_QUOTA = ApiError(
    429, "insufficient_quota", "You exceeded your current quota.", kind="insufficient_quota"
)
_WRONG_KEY = ApiError(401, "invalid_api_key", "Incorrect API key provided.")
_RATE_LIMITS = {
    "x-ratelimit-limit-requests": "30000",
    "x-ratelimit-remaining-requests": "29999",
    "x-ratelimit-reset-requests": "2ms",
}


CallFailure = ApiError | Literal["hang", "drop"]


def call_failure(request: SimulatedRequest, attempt: int) -> CallFailure | None:
    """How the `attempt`-th call (from 1) of a request fails: an error, no answer (hang), a closed
    connection (drop), or not.

    The flaky model fails at most twice in a row, by input and draw; a drill fails always, and by
    the input alone.
    """
    match request.model:
        case "drill-calls":
            failures: tuple[CallFailure, ...] = (*_RETRYABLE, _REJECTED, "hang", "drop")
            return Stream("drill", request.input).choice(failures)
        case "drill-key":
            return _WRONG_KEY
        case "drill-quota":
            return _NO_QUOTA
        case "sim-flaky":
            stream = Stream("flaky", request.input, request.draw)
            failing_calls = stream.choice((0, 0, 1, 1, 2))
            if attempt <= failing_calls:
                return stream.branch(str(attempt)).choice(_RETRYABLE)
    return None


def answered(request: SimulatedRequest, path: str) -> HttpReply:
    """The reply with the model's answer; takes a 300th of the simulated latency, 0.2 s at most."""
    reply = answer(request)
    body = _responses_body(request, reply) if path == RESPONSES else _chat_body(request, reply)
    latency: JsonObject = {"simulated_latency_ms": f"{reply.latency_ms:.1f}"}
    body["metadata"] = inside(request.body, "metadata") | latency
    tier = request.body.get("service_tier")
    body["service_tier"] = "default" if tier in (None, "auto") else tier
    headers = {
        "openai-model": request.model,
        "openai-processing-ms": f"{reply.latency_ms:.0f}",
        "x-request-id": f"req_{reply.id[:32]}",
    }
    delay_ms = min(200.0, max(2.0, reply.latency_ms / 300))
    return HttpReply(headers=headers | _RATE_LIMITS, body=body, delay_ms=delay_ms)


def failed(error: ApiError, *key: str) -> HttpReply:
    """The reply with an error; equal keys get equal request ids."""
    retry = error.status in (429, 500, 503) and error.code != "insufficient_quota"
    headers = {
        "x-request-id": f"req_{Stream('error', *key).hex(32)}",
        "x-should-retry": str(retry).lower(),
    }
    return HttpReply(status=error.status, headers=headers | dict(error.headers), body=error.body)


def _responses_body(request: SimulatedRequest, reply: SimulatedAnswer) -> JsonObject:
    is_cut_off = reply.ending == "cut off"
    return {
        "id": f"resp_{reply.id}",
        "object": "response",
        "model": request.model,
        "status": "incomplete" if is_cut_off else "completed",
        "incomplete_details": {"reason": "max_output_tokens"} if is_cut_off else None,
        "output": _output(reply),
        "created_at": reply.created_at,
        "usage": _usage(reply, "input", "output"),
    }


def _output(reply: SimulatedAnswer) -> list[JsonValue]:
    """The reasoning and the message, each only where there is one."""
    output: list[JsonValue] = []
    if reply.reasoning_tokens:
        output.append({"id": f"rs_{reply.id}", "type": "reasoning", "summary": []})
    part: JsonValue = {"type": "output_text", "text": reply.text, "annotations": []}
    if reply.ending == "refused":
        part = {"type": "refusal", "refusal": reply.text}
    if reply.text:
        message: JsonObject = {"id": f"msg_{reply.id}", "type": "message", "role": "assistant"}
        message["status"] = "incomplete" if reply.ending == "cut off" else "completed"
        message["content"] = [part]
        output.append(message)
    return output


def _chat_body(request: SimulatedRequest, reply: SimulatedAnswer) -> JsonObject:
    refusal = reply.text if reply.ending == "refused" else None
    message: JsonObject = {"role": "assistant", "refusal": refusal}
    message["content"] = None if refusal else reply.text
    choice: JsonObject = {"index": 0, "message": message}
    choice["finish_reason"] = "length" if reply.ending == "cut off" else "stop"
    return {
        "id": f"chatcmpl-{reply.id}",
        "object": "chat.completion",
        "created": reply.created_at,
        "model": request.model,
        "choices": [choice],
        "usage": _usage(reply, "prompt", "completion"),
    }


def _usage(reply: SimulatedAnswer, sent: str, received: str) -> JsonObject:
    """The tokens under the names that an API has for what is sent and what is received."""
    return {
        f"{sent}_tokens": reply.input_tokens,
        f"{sent}_tokens_details": {"cached_tokens": reply.cached_tokens, "cache_write_tokens": 0},
        f"{received}_tokens": reply.output_tokens,
        f"{received}_tokens_details": {"reasoning_tokens": reply.reasoning_tokens},
        "total_tokens": reply.input_tokens + reply.output_tokens,
    }
