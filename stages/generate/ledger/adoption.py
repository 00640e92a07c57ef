"""Answers that somebody else paid for: a response that was pulled is turned back into entries of the ledger.

A response does not hold the API's answer as it was received, but everything that is read from it. The body that is rebuilt
here reads the same, so a response that is written from an adopted answer has the same bytes as the one that was pulled.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import get_args

from pydantic import ValidationError

from stages.contracts.cell import Usage
from stages.contracts.json_text import JsonValue, NotJson, canonical, parse
from stages.contracts.model_config import Api
from stages.contracts.response import ANSWERED, EarlierDraw, Response, Status
from stages.generate.answers.api_answer import PaidAnswer, read_answer
from stages.generate.ledger.rows import LedgerEntry
from stages.generate.ledger.store import Ledger
from stages.generate.plan.cells import PlannedCell

_APIS: Mapping[object, Api] = {api: api for api in get_args(Api)}
UNKNOWN_REQUEST = "{}"
"""The stored request of an answer that was adopted by its fingerprint and belongs to no cell of the run."""
_AT_ONCE = 500
_FINGERPRINT = re.compile(rb'"fingerprint": "([0-9a-f]{64})"')


def adopt(contents: Iterable[bytes], planned: Mapping[str, tuple[PlannedCell, int]], ledger: Ledger) -> bool:
    """Add the answers of response files that the ledger lacks; returns whether there were any."""
    entries = adoptable(contents, planned, ledger)
    some = False
    while chunk := list(islice(entries, _AT_ONCE)):
        ledger.add(chunk)
        some = True
    return some


def adoptable(
    contents: Iterable[bytes], planned: Mapping[str, tuple[PlannedCell, int]], ledger: Ledger
) -> Iterator[LedgerEntry]:
    """The answers in response files that the ledger lacks: a colleague, or an earlier run, paid for them.

    Args:
        contents: Of the files; one that holds no response is left out.
        planned: As for `adopted`.
        ledger: Only read.
    """
    for content in contents:
        fingerprints = [name.decode() for name in sorted(set(_FINGERPRINT.findall(content)))]
        if len(ledger.present(fingerprints)) < len(fingerprints):
            try:
                response = Response.read(parse(content))
            except (NotJson, ValidationError):
                continue
            yield from adopted(response, planned)


def adopted(response: Response, planned: Mapping[str, tuple[PlannedCell, int]]) -> list[LedgerEntry]:
    """The entries that a response holds: one for each of its draws, under its recorded fingerprint.

    Responses of another prompt or setting are adopted too, so that going back to it calls nothing.

    Args:
        response: As it was read from its file.
        planned: The cells and draws of the run by fingerprint, whose canonical requests are stored with the answers.
    """
    if response.status not in ANSWERED or response.fingerprint is None:
        return []
    api, model = _APIS.get(response.request.get("api")), response.request.get("model")
    last = EarlierDraw.read(response.to_json())  # the same keys, one flat level
    found: list[LedgerEntry] = []
    for draw in (*response.earlier_draws, last):
        of_run = planned.get(draw.fingerprint)
        if of_run is not None:
            cell, number = of_run
            api, model, request = cell.request.endpoint.api, cell.request.model, cell.canonical(number)
        else:
            request = UNKNOWN_REQUEST
        if draw.created_at is None or not isinstance(model, str) or api is None:
            continue
        answer = PaidAnswer(
            fingerprint=draw.fingerprint,
            content=read_answer(_body(draw, api)),
            latency_ms=draw.latency_ms,
            attempts=draw.attempts,
            arrived_at=draw.created_at,
            endpoint=draw.endpoint or "",
            source="adopted",
        )
        found.append(LedgerEntry(answer=answer, model=model, request=request))
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
