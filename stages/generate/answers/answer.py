"""An answer that was paid for, as the ledger keeps it, and what its body says; a body is parsed
once.
"""

from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

from stages.generate.answers.extraction import Extraction, extract
from stages.generate.apis.kind import ApiKind, JsonObject, count_of, object_of, text_of
from stages.generate.apis.registry import API_KINDS, recognize
from stages.shared.records.json_text import JsonValue, NotJson, parse
from stages.shared.records.model_config import Api
from stages.shared.records.response import Usage

Ending = Literal["complete", "truncated", "refused", "failed"]


@dataclass(frozen=True, kw_only=True)
class Content:
    """What a body says, `body` as it was received; what the API does not report is None.

    `api` is None for a body of no API. `ending` is "failed" for a body that is no answer, or says
    that it failed (`error` is then the provider's error object). `failure_code` and `error_message`
    say why an answer is not complete.
    """

    body: str
    api: Api | None
    ending: Ending
    raw_text: str = ""
    usage: Usage = field(default_factory=Usage)
    total_tokens: int | None = None
    service_tier: str | None = None
    answered_model: str | None = None
    response_id: str | None = None
    failure_code: str | None = None
    error_message: str | None = None
    error: JsonValue = None

    @cached_property
    def extraction(self) -> Extraction:
        """The JSON in the text, looked for once."""
        return extract(self.raw_text)


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """The answer to one call; the SHA-256 of its canonical `request` is the fingerprint.

    `latency_ms` is that of the answered call alone, None in a batch; `attempts` includes failed
    calls; `created_at` is when it arrived: UTC, ISO 8601. A recorded answer may lack the last, and
    may state what it cost.
    """

    fingerprint: str
    model: str
    request: str
    content: Content
    latency_ms: float | None
    attempts: int
    created_at: str | None
    endpoint: str
    source: Literal["call", "batch", "adopted", "recorded"] = "call"
    stated_usd: float | None = None

    @property
    def service_tier(self) -> str | None:
        """The tier that served it, as far as it is known; a batch is one, whatever the body
        says.
        """
        return "batch" if self.source == "batch" else self.content.service_tier


def read_content(body: str) -> Content:
    """What a body of any API says; its shape shows which API it is. Never raises.

    >>> read_content('{"choices": [{"message": {"content": "Hello"}}]}').raw_text
    'Hello'
    >>> read_content("<html>").failure_code
    'not_json'
    """
    if not body.strip():
        return _no_answer(body, "empty_body", "the body is empty")
    try:
        record = parse(body)
    except NotJson as error:
        kind_of_text = "HTML" if body.lstrip().startswith("<") else "not JSON"
        return _no_answer(body, "not_json", f"the body is {kind_of_text} ({error})")
    if not isinstance(record, dict):
        type_name = type(record).__name__
        return _no_answer(body, "wrong_shape", f"the body is not a JSON object but {type_name}")
    api_kind = recognize(record)
    status = record.get("status")
    if status in ("failed", "cancelled") or (api_kind is None and record.get("error")):
        return _failed(body, record, api_kind)
    if api_kind is None:
        message = f"the body is no answer of these APIs: {', '.join(API_KINDS)}"
        return _no_answer(body, "wrong_shape", message)
    if status in ("queued", "in_progress"):
        return _no_answer(body, "unfinished", f'the answer has the status "{status}"')
    return _answered(body, record, api_kind)


def _no_answer(body: str, code: str, message: str) -> Content:
    return Content(body=body, api=None, ending="failed", failure_code=code, error_message=message)


def _failed(body: str, record: JsonObject, api_kind: ApiKind | None) -> Content:
    """A body that states its error, which may be of no API."""
    error = object_of(record.get("error"))
    status = text_of(record.get("status")) or "failed"
    return Content(
        body=body,
        api=api_kind.name if api_kind else None,
        ending="failed",
        usage=_usage(record, api_kind) if api_kind else Usage(),
        failure_code=text_of(error.get("code")) or status,
        error_message=text_of(error.get("message")) or f"the call {status}",
        error=record.get("error"),
    )


def _answered(body: str, record: JsonObject, api_kind: ApiKind) -> Content:
    output = api_kind.read_output(record)
    ending: Ending = "complete"
    code, message = None, None
    if output.refusal is not None:
        ending, code, message = "refused", "refusal", output.refusal
    elif output.cut_off == "content_filter":
        ending, code = "refused", "content_filter"
        message = "the provider's content filter stopped the answer"
    elif output.cut_off is not None:
        ending, code = "truncated", output.cut_off
        message = f"the answer was cut off: {output.cut_off}"
    return Content(
        body=body,
        api=api_kind.name,
        ending=ending,
        raw_text=output.raw_text,
        usage=_usage(record, api_kind),
        total_tokens=count_of(object_of(record.get("usage")).get("total_tokens")),
        service_tier=text_of(record.get("service_tier")),
        answered_model=text_of(record.get("model")),
        response_id=text_of(record.get("id")),
        failure_code=code,
        error_message=message,
    )


def _usage(record: JsonObject, api_kind: ApiKind) -> Usage:
    """The tokens of an answer; a server that reports nothing but zeros has not counted."""
    usage = api_kind.read_usage(object_of(record.get("usage")))
    return usage if usage.input_tokens or usage.output_tokens else Usage()
