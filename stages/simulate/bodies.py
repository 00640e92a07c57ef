"""Puts an answer into the JSON shape of each API."""

from stages.contracts.json_text import JsonValue
from stages.simulate.answer import SimulatedAnswer
from stages.simulate.asking import Body, Request, models

_LATENCY = "simulated_latency_ms"


def responses_body(request: Request, answer: SimulatedAnswer) -> JsonValue:
    """The body of POST /v1/responses. `metadata` holds what the request gave, and the simulated latency."""
    body = request.body
    refused, cut = answer.ending == "refused", answer.ending == "cut off"
    output: list[JsonValue] = []
    if answer.reasoning_tokens:
        output.append({"id": f"rs_{answer.id}", "type": "reasoning", "summary": []})
    if answer.text:
        part: JsonValue = {"type": "output_text", "text": answer.text, "annotations": [], "logprobs": []}
        if refused:
            part = {"type": "refusal", "refusal": answer.text}
        output.append(
            {
                "id": f"msg_{answer.id}",
                "type": "message",
                "role": "assistant",
                "status": "incomplete" if cut else "completed",
                "content": [part],
            }
        )
    reasons = bool(answer.reasoning_tokens)
    text: Body = {"format": {"type": "text"}, "verbosity": "medium"}
    given, reasoning = body.get("text"), body.get("reasoning")
    if isinstance(given, dict):
        text |= {key: value for key, value in given.items() if value is not None}
    effort: Body = {"effort": "medium" if reasons else None, "summary": None}
    if isinstance(reasoning, dict):
        effort |= reasoning
    return {
        "id": f"resp_{answer.id}",
        "object": "response",
        "created_at": answer.created_at,
        "completed_at": None if cut else answer.created_at + round(answer.latency_ms / 1000),
        "status": "incomplete" if cut else "completed",
        "background": False,
        "error": None,
        "incomplete_details": {"reason": "max_output_tokens"} if cut else None,
        "instructions": body.get("instructions"),
        "max_output_tokens": body.get("max_output_tokens"),
        "metadata": _metadata(body, answer),
        "model": request.asked.model,
        "output": output,
        "parallel_tool_calls": True,
        "previous_response_id": None,
        "reasoning": effort,
        "service_tier": _tier(body),
        "store": body.get("store") is not False,
        "temperature": _or(body.get("temperature"), 1.0),
        "text": text,
        "tool_choice": "auto",
        "tools": [],
        "top_p": _or(body.get("top_p"), 1.0),
        "truncation": "disabled",
        "usage": {
            "input_tokens": answer.input_tokens,
            "input_tokens_details": {"cached_tokens": answer.cached_tokens, "cache_write_tokens": 0},
            "output_tokens": answer.output_tokens,
            "output_tokens_details": {"reasoning_tokens": answer.reasoning_tokens},
            "total_tokens": answer.input_tokens + answer.output_tokens,
        },
    }


def chat_body(request: Request, answer: SimulatedAnswer) -> JsonValue:
    """The body of POST /v1/chat/completions."""
    refused, cut = answer.ending == "refused", answer.ending == "cut off"
    message: JsonValue = {
        "role": "assistant",
        "content": None if refused else answer.text,
        "refusal": answer.text if refused else None,
        "annotations": [],
    }
    return {
        "id": f"chatcmpl-{answer.id}",
        "object": "chat.completion",
        "created": answer.created_at,
        "model": request.asked.model,
        "choices": [{"index": 0, "message": message, "logprobs": None, "finish_reason": "length" if cut else "stop"}],
        "metadata": _metadata(request.body, answer),
        "service_tier": _tier(request.body),
        "usage": {
            "prompt_tokens": answer.input_tokens,
            "prompt_tokens_details": {"cached_tokens": answer.cached_tokens, "audio_tokens": 0},
            "completion_tokens": answer.output_tokens,
            "completion_tokens_details": {
                "reasoning_tokens": answer.reasoning_tokens,
                "audio_tokens": 0,
                "accepted_prediction_tokens": 0,
                "rejected_prediction_tokens": 0,
            },
            "total_tokens": answer.input_tokens + answer.output_tokens,
        },
    }


def models_body() -> JsonValue:
    """The body of GET /v1/models."""
    data: list[JsonValue] = [
        {"id": name, "object": "model", "created": 1_767_225_600, "owned_by": "simulation"} for name in models()
    ]
    return {"object": "list", "data": data}


def _metadata(body: Body, answer: SimulatedAnswer) -> JsonValue:
    given = body.get("metadata")
    return (given if isinstance(given, dict) else {}) | {_LATENCY: f"{answer.latency_ms:.1f}"}


def _tier(body: Body) -> JsonValue:
    tier = body.get("service_tier")
    return "default" if tier in (None, "auto") else tier


def _or(value: JsonValue, default: float) -> JsonValue:
    return default if value is None else value
