"""Answers that somebody else paid for: a response that was pulled is turned back into what the ledger holds.

A response does not carry the API's answer as it came, but everything that is read from it. `rebuilt_body` makes a body that
reads the same, so a response that is written from an adopted answer has the same bytes as the one that was pulled.
"""

from collections.abc import Mapping

from stages.contracts.json_text import JsonValue, canonical
from stages.contracts.model_config import Api
from stages.contracts.response import ANSWERED, EarlierDraw, Response
from stages.generate.answers.reading import read_answer
from stages.generate.call import Answer
from stages.generate.ledger.row import LedgerRow, row_of
from stages.generate.plan.cell_plan import PlannedCell


def adoptable(planned: PlannedCell, response: Response) -> list[LedgerRow]:
    """The rows of the ledger that a response stands for: one for each of its draws that this cell asks for by fingerprint."""
    if response.status not in ANSWERED:
        return []
    rows: list[LedgerRow] = []
    drawn: tuple[EarlierDraw | Response, ...] = (*response.earlier_draws, response)
    for draw in drawn:
        measured = draw.measured if isinstance(draw, Response) else draw
        if draw.fingerprint not in planned.fingerprints or measured.created_at is None:
            continue
        api = planned.request.endpoint.api
        answer = Answer(
            fingerprint=draw.fingerprint,
            body=rebuilt_body(draw, api),
            latency_ms=measured.latency_ms,
            attempts=measured.attempts,
            arrived_at=measured.created_at,
            endpoint=draw.endpoint or "",
            source="adopted",
        )
        request = planned.canonical[planned.fingerprints.index(draw.fingerprint)]
        usage = read_answer(answer.body, api).usage
        rows.append(row_of(answer, model=planned.request.model, request=request, usage=usage))
    return rows


def rebuilt_body(draw: Response | EarlierDraw, api: Api) -> str:
    """A body of the API that reads as the draw does."""
    record = _response_body(draw) if api == "responses" else _completion_body(draw)
    kept = {name: value for name, value in record.items() if value is not None}
    return canonical(kept).decode("utf-8")


def _response_body(draw: Response | EarlierDraw) -> Mapping[str, JsonValue]:
    content: list[JsonValue] = []
    if draw.raw_text:
        content.append({"type": "output_text", "text": draw.raw_text})
    status = "completed"
    details: dict[str, JsonValue] | None = None
    if draw.status == "refused" and draw.failure_code == "refusal":
        content.append({"type": "refusal", "refusal": draw.error_message or ""})
    elif draw.status in ("truncated", "refused"):
        status, details = "incomplete", {"reason": draw.failure_code}
    return {
        "object": "response",
        "id": draw.response_id,
        "model": draw.answered_model,
        "service_tier": draw.service_tier,
        "status": status,
        "incomplete_details": details,
        "output": [{"type": "message", "role": "assistant", "content": content}],
        "usage": _usage(draw, "input_tokens", "output_tokens"),
    }


def _completion_body(draw: Response | EarlierDraw) -> Mapping[str, JsonValue]:
    message: dict[str, JsonValue] = {"role": "assistant", "content": draw.raw_text}
    finish = "stop"
    if draw.status == "refused" and draw.failure_code == "refusal":
        message["refusal"] = draw.error_message
    elif draw.status == "refused":
        finish = "content_filter"
    elif draw.status == "truncated":
        finish = "length"
    return {
        "object": "chat.completion",
        "id": draw.response_id,
        "model": draw.answered_model,
        "service_tier": draw.service_tier,
        "choices": [{"index": 0, "finish_reason": finish, "message": message}],
        "usage": _usage(draw, "prompt_tokens", "completion_tokens"),
    }


def _usage(draw: Response | EarlierDraw, given: str, made: str) -> JsonValue:
    """The usage of a draw, under the names that the API has for tokens given and made."""
    usage = draw.measured.usage if isinstance(draw, Response) else draw.usage
    return _without_none(
        {
            given: usage.input_tokens,
            f"{given}_details": _without_none(
                {"cached_tokens": usage.cached_tokens, "cache_write_tokens": usage.cache_write_tokens}
            ),
            made: usage.output_tokens,
            f"{made}_details": _without_none({"reasoning_tokens": usage.reasoning_tokens}),
        }
    )


def _without_none(record: Mapping[str, JsonValue]) -> JsonValue:
    return {name: value for name, value in record.items() if value is not None}
