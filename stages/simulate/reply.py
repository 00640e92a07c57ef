"""What the server sends back: status, headers and body, a pure function of the request, the draw and the attempt."""

import datetime

import msgspec

from stages.contracts.json_text import JsonValue, canonical
from stages.simulate import bodies
from stages.simulate.answer import SimulatedAnswer, answer
from stages.simulate.api_error import ApiError
from stages.simulate.asking import Request
from stages.simulate.character import CAST
from stages.simulate.stream import Stream

DRAW_HEADER = "x-simulated-draw"
"""The request header that names the draw: any short text, such as round/sample/draw."""

LATENCY_HEADER = "x-simulated-latency-ms"
CREATED_HEADER = "x-simulated-created-at"
_REAL_PER_SIMULATED = 1 / 300
_REAL_MS = (2.0, 200.0)
_LIMIT_REQUESTS, _LIMIT_TOKENS = 30_000, 150_000_000


class HttpReply(msgspec.Struct, frozen=True, kw_only=True):
    """A reply and the real time to let pass before it is sent, in milliseconds."""

    status: int
    headers: dict[str, str]
    body: bytes
    delay_ms: float = 0.0


def answered(request: Request, api: str, extra_delay_ms: float) -> HttpReply:
    """The reply with the model's answer; `api` is "responses" or "chat"."""
    made = answer(request.asked, CAST[request.asked.model])
    body = bodies.responses_body(request, made) if api == "responses" else bodies.chat_body(request, made)
    low, high = _REAL_MS
    delay = min(high, max(low, made.latency_ms * _REAL_PER_SIMULATED)) + extra_delay_ms
    return HttpReply(status=200, headers=_headers(request, made), body=canonical(body), delay_ms=delay)


def failed(error: ApiError, request_id: str) -> HttpReply:
    """The reply with an error."""
    headers = {"content-type": "application/json", "x-request-id": request_id, "x-should-retry": _retry(error)}
    return HttpReply(
        status=error.status, headers=headers | dict(error.headers), body=canonical(error.body), delay_ms=2.0
    )


def listed(body: JsonValue) -> HttpReply:
    """The reply to a question about the models."""
    return HttpReply(status=200, headers={"content-type": "application/json"}, body=canonical(body))


def request_id(*key: str) -> str:
    """The id of one call: equal calls have equal ids."""
    return f"req_{Stream('request', *key).hex(32)}"


def _retry(error: ApiError) -> str:
    return "true" if error.status in (429, 500, 503) and error.code != "insufficient_quota" else "false"


def _headers(request: Request, made: SimulatedAnswer) -> dict[str, str]:
    asked = request.asked
    created = datetime.datetime.fromtimestamp(made.created_at, datetime.UTC)
    return {
        "content-type": "application/json",
        "openai-model": asked.model,
        "openai-organization": "simulated",
        "openai-processing-ms": f"{made.latency_ms:.0f}",
        "openai-version": "2020-10-01",
        "x-ratelimit-limit-requests": str(_LIMIT_REQUESTS),
        "x-ratelimit-limit-tokens": str(_LIMIT_TOKENS),
        "x-ratelimit-remaining-requests": str(_LIMIT_REQUESTS - 1),
        "x-ratelimit-remaining-tokens": str(_LIMIT_TOKENS - made.input_tokens),
        "x-ratelimit-reset-requests": "2ms",
        "x-ratelimit-reset-tokens": "0s",
        "x-request-id": request_id(asked.model, asked.instructions, asked.input, asked.draw),
        LATENCY_HEADER: f"{made.latency_ms:.1f}",
        CREATED_HEADER: created.strftime("%Y-%m-%dT%H:%M:%SZ"),
    }
