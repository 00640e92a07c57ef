"""Answers that somebody else paid for: a response that was pulled is turned back into entries of the ledger.

A response does not hold the API's answer as it was received, but everything that is read from it. The body that is rebuilt
here reads the same, so a response that is written from an adopted answer has the same bytes as the one that was pulled.
"""

from stages.contracts.cell import Usage
from stages.contracts.json_text import JsonValue, canonical
from stages.contracts.model_config import Api
from stages.contracts.response import ANSWERED, EarlierDraw, Response, Status
from stages.generate.answers.api_answer import PaidAnswer, read_answer
from stages.generate.ledger.rows import LedgerEntry
from stages.generate.plan.cells import PlannedCell


def adopted(planned: PlannedCell, response: Response) -> list[LedgerEntry]:
    """The entries that a response holds: one for each of its draws whose recorded fingerprint is one of the cell's."""
    if response.status not in ANSWERED or response.fingerprint is None:
        return []
    measured = response.measured
    last = EarlierDraw(
        fingerprint=response.fingerprint,
        status=response.status,
        raw_text=response.raw_text,
        latency_ms=measured.latency_ms,
        usage=measured.usage,
        service_tier=response.service_tier,
        failure_code=response.failure_code,
        error_message=response.error_message,
        attempts=measured.attempts,
        created_at=measured.created_at,
        endpoint=response.endpoint,
        answered_model=response.answered_model,
        response_id=response.response_id,
    )
    found: list[LedgerEntry] = []
    for draw in (*response.earlier_draws, last):
        if draw.fingerprint not in planned.fingerprints or draw.created_at is None:
            continue
        answer = PaidAnswer(
            fingerprint=draw.fingerprint,
            content=read_answer(_body(draw, planned.request.endpoint.api)),
            latency_ms=draw.latency_ms,
            attempts=draw.attempts,
            arrived_at=draw.created_at,
            endpoint=draw.endpoint or "",
            source="adopted",
        )
        request = planned.canonical(planned.fingerprints.index(draw.fingerprint) + 1)
        found.append(LedgerEntry(answer=answer, model=planned.request.model, request=request))
    return found


def _body(draw: EarlierDraw, api: Api) -> str:
    """A body of the API that reads as the draw does."""
    refusal = draw.error_message or "" if draw.failure_code == "refusal" else None
    content = _of_response(draw, refusal) if api == "responses" else _of_completion(draw, refusal)
    common = {"id": draw.response_id, "model": draw.answered_model, "service_tier": draw.service_tier}
    return canonical(_without_none(common | content)).decode("utf-8")


def _of_response(draw: EarlierDraw, refusal: str | None) -> dict[str, JsonValue]:
    content: list[JsonValue] = [{"type": "output_text", "text": draw.raw_text}] if draw.raw_text else []
    cut = draw.status in ("truncated", "refused") and refusal is None
    if refusal is not None:
        content.append({"type": "refusal", "refusal": refusal})
    return {
        "object": "response",
        "status": "incomplete" if cut else "completed",
        "incomplete_details": {"reason": draw.failure_code} if cut else None,
        "output": [{"type": "message", "role": "assistant", "content": content}],
        "usage": _usage(draw.usage, "input_tokens", "output_tokens"),
    }


def _of_completion(draw: EarlierDraw, refusal: str | None) -> dict[str, JsonValue]:
    message = _without_none({"role": "assistant", "content": draw.raw_text, "refusal": refusal})
    finish: dict[Status, JsonValue] = {"truncated": "length", "refused": "content_filter"}
    reason = "stop" if refusal is not None else finish.get(draw.status, "stop")
    return {
        "object": "chat.completion",
        "choices": [{"index": 0, "finish_reason": reason, "message": message}],
        "usage": _usage(draw.usage, "prompt_tokens", "completion_tokens"),
    }


def _usage(usage: Usage, read: str, written: str) -> JsonValue:
    """The usage of a draw, under the names that the API has for tokens read and written."""
    into = {"cached_tokens": usage.cached_tokens, "cache_write_tokens": usage.cache_write_tokens}
    return _without_none(
        {
            read: usage.input_tokens,
            f"{read}_details": _without_none(into),
            written: usage.output_tokens,
            f"{written}_details": _without_none({"reasoning_tokens": usage.reasoning_tokens}),
        }
    )


def _without_none(record: dict[str, JsonValue] | dict[str, str | None] | dict[str, int | None]) -> JsonValue:
    return {name: value for name, value in record.items() if value is not None}
