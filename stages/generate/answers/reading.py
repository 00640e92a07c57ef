"""Reads an API's answer: the text, what became of it, and what it used. What the API does not report stays None."""

from typing import Literal

import msgspec

from stages.contracts.json_text import JsonValue, NotJson
from stages.contracts.model_config import Api
from stages.generate.answers.parts import as_count, as_record, as_records, as_text, parts

Ending = Literal["complete", "truncated", "refused", "failed"]


class Usage(msgspec.Struct, frozen=True, kw_only=True):
    """Tokens as the API counts them: `input` includes `cached` and `cache_write`, `output` includes `reasoning`."""

    input: int | None = None
    cached: int | None = None
    cache_write: int | None = None
    output: int | None = None
    reasoning: int | None = None


class Reading(msgspec.Struct, frozen=True, kw_only=True):
    """What an answer says. `code` and `message` tell why it is no complete text; None when it is."""

    ending: Ending
    text: str
    usage: Usage = Usage()
    service_tier: str | None = None
    model: str | None = None
    response_id: str | None = None
    code: str | None = None
    message: str | None = None


def read_answer(body: str, api: Api) -> Reading:
    """The reading of an answer's body.

    A body that is no answer of the API at all (not JSON, another shape) reads as `failed`; it is never raised.
    """
    try:
        record = parts(body)
    except NotJson as error:
        return Reading(ending="failed", text="", code="not_json", message=f"the answer is not JSON: {error}")
    return _read_response(record) if api == "responses" else _read_completion(record)


def _read_response(record: dict[str, JsonValue]) -> Reading:
    texts: list[tuple[str | None, str]] = []
    refusals: list[str] = []
    for item in as_records(record.get("output")):
        if item.get("type") != "message":
            continue
        phase = as_text(item.get("phase"))
        for part in as_records(item.get("content")):
            if part.get("type") == "refusal":
                refusals.append(as_text(part.get("refusal")) or "")
            elif isinstance(written := part.get("text"), str):
                texts.append((phase, written))
    final = [written for phase, written in texts if phase == "final_answer"]
    text = "".join(final or [written for _, written in texts])
    ending, code, message = _response_ending(record, refusals)
    return Reading(
        ending=ending,
        text=text,
        usage=_usage(record, "input_tokens", "output_tokens"),
        service_tier=as_text(record.get("service_tier")),
        model=as_text(record.get("model")),
        response_id=as_text(record.get("id")),
        code=code,
        message=message,
    )


def _response_ending(record: dict[str, JsonValue], refusals: list[str]) -> tuple[Ending, str | None, str | None]:
    if refusals:
        return "refused", "refusal", "\n".join(refusals)
    if "output" not in record:
        return "failed", "wrong_shape", "the answer has no output"
    status = record.get("status")
    if status == "incomplete":
        return _cut(as_text(as_record(record.get("incomplete_details")).get("reason")) or "incomplete")
    if status in ("failed", "cancelled"):
        error = as_record(record.get("error"))
        return (
            "failed",
            as_text(error.get("code")) or str(status),
            as_text(error.get("message")) or f"the call {status}",
        )
    return "complete", None, None


def _read_completion(record: dict[str, JsonValue]) -> Reading:
    choice = next(iter(as_records(record.get("choices"))), None)
    message = as_record((choice or {}).get("message"))
    content = message.get("content")
    text = (
        content
        if isinstance(content, str)
        else "".join(as_text(part.get("text")) or "" for part in as_records(content))
    )
    ending: Ending = "complete"
    code: str | None = None
    note: str | None = None
    finish = (choice or {}).get("finish_reason")
    if choice is None:
        ending, code, note = "failed", "wrong_shape", "the answer has no choices"
    elif refusal := as_text(message.get("refusal")):
        ending, code, note = "refused", "refusal", refusal
    elif finish in ("length", "content_filter"):
        ending, code, note = _cut("max_output_tokens" if finish == "length" else "content_filter")
    return Reading(
        ending=ending,
        text=text,
        usage=_usage(record, "prompt_tokens", "completion_tokens"),
        service_tier=as_text(record.get("service_tier")),
        model=as_text(record.get("model")),
        response_id=as_text(record.get("id")),
        code=code,
        message=note,
    )


def _usage(record: dict[str, JsonValue], given: str, made: str) -> Usage:
    """The usage in an answer of either API, which differ only in what they call the tokens given and made."""
    usage = as_record(record.get("usage"))
    read = as_record(usage.get(f"{given}_details"))
    return Usage(
        input=as_count(usage.get(given)),
        cached=as_count(read.get("cached_tokens")),
        cache_write=as_count(read.get("cache_write_tokens")),
        output=as_count(usage.get(made)),
        reasoning=as_count(as_record(usage.get(f"{made}_details")).get("reasoning_tokens")),
    )


def _cut(reason: str) -> tuple[Ending, str, str]:
    if reason == "content_filter":
        return "refused", reason, "the provider's content filter stopped the answer"
    return "truncated", reason, f"the answer was cut off: {reason}"
