"""Answers that somebody else paid for: a response that was pulled is turned back into entries of the ledger.

A response does not hold the API's answer as it was received, but everything that is read from it. The body that is rebuilt
here reads the same, so a response that is written from an adopted answer has the same bytes as the one that was pulled.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from itertools import islice

from pydantic import ValidationError

from stages.contracts.json_text import JsonValue, NotJson, canonical, parse
from stages.contracts.response import ANSWERED, EarlierDraw, Response
from stages.generate.answers.api_answer import PaidAnswer, read_answer
from stages.generate.ledger.store import Ledger
from stages.generate.plan.cells import Call

UNKNOWN_REQUEST = "{}"
"""The stored request of an answer that was adopted by its fingerprint and belongs to no cell of the run."""
_AT_ONCE = 500
_FINGERPRINT = re.compile(rb'"fingerprint": "([0-9a-f]{64})"')


def adopt(contents: Iterable[bytes], planned: Mapping[str, Call], ledger: Ledger) -> bool:
    """Add the answers of response files that the ledger lacks; returns whether there were any."""
    answers = adoptable(contents, planned, ledger)
    some = False
    while chunk := list(islice(answers, _AT_ONCE)):
        ledger.add(chunk)
        some = True
    return some


def adoptable(
    contents: Iterable[bytes], planned: Mapping[str, Call], ledger: Ledger
) -> Iterator[PaidAnswer]:
    """The answers in response files that the ledger, which is only read, lacks; a file that holds no response is left out."""
    for content in contents:
        fingerprints = [name.decode() for name in sorted(set(_FINGERPRINT.findall(content)))]
        if len(ledger.present(fingerprints)) < len(fingerprints):
            with suppress(NotJson, ValidationError):
                yield from adopted(Response.read(parse(content)), planned)


def adopted(response: Response, planned: Mapping[str, Call]) -> Iterator[PaidAnswer]:
    """The answer to each draw of a response, under its recorded fingerprint, with its canonical request if it is in `planned`.

    Responses of another prompt or setting are adopted too, so that going back to it calls nothing.
    """
    if response.status not in ANSWERED or response.fingerprint is None:
        return
    last = EarlierDraw.read(response.to_json())  # the same keys, one flat level
    for draw in (*response.earlier_draws, last):
        model, request = response.request.get("model"), UNKNOWN_REQUEST
        if call := planned.get(draw.fingerprint):
            model, request = call.model, call.canonical
        if draw.created_at is None or not isinstance(model, str):
            continue
        yield PaidAnswer(
            fingerprint=draw.fingerprint,
            model=model,
            request=request,
            content=read_answer(_body(draw)),
            latency_ms=draw.latency_ms,
            attempts=draw.attempts,
            arrived_at=draw.created_at,
            endpoint=draw.endpoint or "",
            source="adopted",
        )


def _body(draw: EarlierDraw) -> str:
    """A body of the Responses API that reads as the draw does, whichever API gave its answer."""
    content: list[JsonValue] = (
        [{"type": "output_text", "text": draw.raw_text}] if draw.raw_text else []
    )
    if draw.failure_code == "refusal":
        content.append({"type": "refusal", "refusal": draw.error_message or ""})
    cut = draw.status in ("truncated", "refused") and draw.failure_code != "refusal"
    usage = draw.usage
    body: dict[str, JsonValue] = {
        "object": "response",
        "id": draw.response_id,
        "model": draw.answered_model,
        "service_tier": draw.service_tier,
        "status": "incomplete" if cut else "completed",
        "incomplete_details": {"reason": draw.failure_code} if cut else None,
        "output": [{"type": "message", "role": "assistant", "content": content}],
        "usage": {
            "input_tokens": usage.input_tokens,
            "input_tokens_details": {
                "cached_tokens": usage.cached_tokens,
                "cache_write_tokens": usage.cache_write_tokens,
            },
            "output_tokens": usage.output_tokens,
            "output_tokens_details": {"reasoning_tokens": usage.reasoning_tokens},
        },
    }
    return canonical(body).decode("utf-8")
