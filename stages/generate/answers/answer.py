"""Reads the body of a reply as an `Answer`: text, tokens, and the graph or why there is none."""

from collections.abc import Iterator
from dataclasses import replace

from stages.generate.answers.extraction import Extraction, departure, extract, ordinary_form
from stages.generate.apis import API_KINDS, Body, object_of, read_said, read_usage, text_of
from stages.generate.plan.call import Call, address
from stages.shared.records.json_text import JsonObject, JsonValue, NotJson, parse
from stages.shared.records.response import Answer, Status

REASONING_IN_TEXT = (
    "the text holds the model's reasoning (<think>): turn on the server's reasoning parser "
    "(vLLM and SGLang: --reasoning-parser; llama.cpp: --reasoning-format deepseek)"
)


class NoAnswer(Exception):
    """A body that is no answer, or says that it failed; `error` is the provider's error object."""

    def __init__(self, code: str, message: str, error: JsonValue = None) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.error = error


def read_body(received: str) -> Body:
    """What a body of any API says; its shape shows which API it is.

    Raises:
        NoAnswer: it is no answer.

    >>> read_body('{"choices": [{"message": {"content": "Hello"}}]}').raw_text
    'Hello'
    """
    try:
        value = parse(received)
    except NotJson as fault:
        raise NoAnswer("not_json", f"the body is not JSON ({fault})") from None
    record = object_of(value)
    said, status, error = read_said(record), record.get("status"), record.get("error")
    if status in ("failed", "cancelled") or (said is None and error):
        stated = object_of(error)
        code = text_of(stated.get("code")) or text_of(status) or "failed"
        raise NoAnswer(code, text_of(stated.get("message")) or f"the call {code}", error)
    if said is None:
        message = f"the body is no answer of these APIs: {', '.join(API_KINDS)}"
        raise NoAnswer("wrong_shape", message)
    if status in ("queued", "in_progress"):
        raise NoAnswer("unfinished", f'the answer has the status "{status}"')
    return replace(
        said,
        received=received,
        usage=read_usage(object_of(record.get("usage"))),
        service_tier=text_of(record.get("service_tier")),
        answered_model=text_of(record.get("model")),
        response_id=text_of(record.get("id")),
    )


def body_of_record(record: Answer) -> Body:
    """What a body said whose answer was read before: everything but the body as it was received."""
    is_refusal = record.failure_code == "refusal"
    ended_early = record.status in ("truncated", "refused") and not is_refusal
    return Body(
        raw_text=record.raw_text or "",
        refusal=record.error_message or "" if is_refusal else None,
        cut_off=record.failure_code if ended_early else None,
        usage=record.usage,
        service_tier=record.service_tier,
        answered_model=record.answered_model,
        response_id=record.response_id,
    )


def read_answer(
    body: Body,
    call: Call | None = None,
    *,
    latency_ms: float | None,
    attempts: int,
    created_at: str | None,
    in_batch: bool = False,
    stated_usd: float | None = None,
) -> Answer:
    """The answer in a body: never raises, whatever the model wrote.

    It is read as the `call` that it answers asks for: without JSON, and with an output that reached
    the most that is asked for, it is truncated, whatever the server calls it; one to a schema is
    brought into the ordinary form.
    """
    extraction = extract(body.raw_text)
    status, code, message = _outcome(body, extraction, call.most_output_tokens if call else None)
    schema = call.schema if call else None
    parsed = extraction.parsed if status == "success" else None
    return Answer(
        received=body.received,
        fingerprint=call.fingerprint if call else None,
        status=status,
        raw_text=body.raw_text,
        graph=parsed if schema is None else ordinary_form(parsed),
        extraction_method=extraction.method if code in (None, "no_json") else None,
        failure_code=code,
        error_message=message,
        warnings=tuple(
            _warnings(body.raw_text, extraction, schema if status == "success" else None)
        ),
        usage=body.usage,
        # A batch is a service tier, whatever the body says.
        service_tier="batch" if in_batch else body.service_tier,
        answered_model=body.answered_model,
        response_id=body.response_id,
        latency_ms=latency_ms,
        attempts=attempts,
        created_at=created_at,
        endpoint=address(call.endpoint) if call else None,
        stated_usd=stated_usd,
    )


def _outcome(
    body: Body, extraction: Extraction, most_output_tokens: int | None
) -> tuple[Status, str | None, str | None]:
    """The status of an answer; of one that is no success the code and a sentence that say why."""
    if body.refusal is not None:
        return "refused", "refusal", body.refusal
    if body.cut_off == "content_filter":
        return "refused", body.cut_off, "the provider's content filter stopped the answer"
    if body.cut_off is not None:
        return "truncated", body.cut_off, f"the answer was cut off: {body.cut_off}"
    if extraction.parsed is not None:
        return "success", None, None
    if most_output_tokens is not None and (body.usage.output_tokens or 0) >= most_output_tokens:
        return "truncated", "max_output_tokens", "the answer was cut off: max_output_tokens"
    if not body.raw_text.strip():
        return "parse_failed", "empty_output", "the answer is empty"
    return "parse_failed", "no_json", "no JSON can be extracted from the answer"


def _warnings(text: str, extraction: Extraction, schema: JsonObject | None) -> Iterator[str]:
    """What is odd about an answer: reasoning in its text, a form that its schema does not allow."""
    if text.lstrip().startswith("<think") or (extraction.method != "direct" and "</think" in text):
        yield REASONING_IN_TEXT
    place = departure(extraction.parsed, schema) if schema is not None else None
    if place is not None:
        yield f"the answer does not follow the schema that was sent, first at {place}"
