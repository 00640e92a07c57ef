"""An answer of a model's API, parsed once: its text, how it ended and what it used. What the API does not report is None."""

from dataclasses import dataclass, field
from typing import Literal

from stages.contracts.json_text import JsonValue, NotJson, parse
from stages.contracts.model_config import Api
from stages.contracts.response import Usage

Ending = Literal["complete", "truncated", "refused", "failed"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ApiAnswer:
    """The body of an API answer, `body` as it was received.

    `api` is None for an answer of neither API. `ending` is "failed" for a body that is no answer, or says that it failed (`error` is
    then the provider's error object). `code` and `message` say why an answer is not complete.
    """

    body: str
    api: Api | None
    ending: Ending
    text: str = ""
    usage: Usage = field(default_factory=Usage)
    total_tokens: int | None = None
    service_tier: str | None = None
    model: str | None = None
    response_id: str | None = None
    code: str | None = None
    message: str | None = None
    error: JsonValue = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PaidAnswer:
    """An answer to one draw, as the ledger keeps it; the SHA-256 of its canonical `request` is the fingerprint.

    `latency_ms` is that of the answered call alone, None in a batch; `attempts` includes failed calls; `arrived_at` is UTC, ISO 8601.
    """

    fingerprint: str
    model: str
    request: str
    content: ApiAnswer
    latency_ms: float | None
    attempts: int
    arrived_at: str
    endpoint: str
    source: Literal["call", "batch", "adopted"] = "call"

    @property
    def service_tier(self) -> str | None:
        """The tier that served it, as far as it is known; a batch is one, whatever the answer says."""
        return "batch" if self.source == "batch" else self.content.service_tier


def read_answer(body: str) -> ApiAnswer:
    """The answer in a body of either API; the shape says which one it is. Never raises.

    >>> read_answer('{"choices": [{"message": {"content": "Hello"}}]}').text
    'Hello'
    >>> read_answer("<html>").code
    'not_json'
    """
    if not body.strip():
        return _no_answer(body, "empty_body", "the body is empty")
    try:
        record = parse(body)
    except NotJson as error:
        kind = "HTML" if body.lstrip().startswith("<") else "not JSON"
        return _no_answer(body, "not_json", f"the body is {kind} ({error})")
    if not isinstance(record, dict):
        return _no_answer(
            body, "wrong_shape", f"the body is not a JSON object but {type(record).__name__}"
        )
    api, status, used = _api_of(record), record.get("status"), _record(record.get("usage"))
    failed = status in ("failed", "cancelled") or (api is None and bool(record.get("error")))
    text, stated, word = "", _record(record.get("error")), _text(status) or "failed"
    if failed:
        ending: Ending = "failed"
        code: str | None = _text(stated.get("code")) or word
        message: str | None = _text(stated.get("message")) or f"the call {word}"
    elif api is None:
        return _no_answer(
            body,
            "wrong_shape",
            "the body has neither a list `output` nor a list `choices` of messages",
        )
    elif status in ("queued", "in_progress"):
        return _no_answer(body, "unfinished", f'the answer has the status "{status}"')
    else:
        text, refusal, cut = _of_response(record) if api == "responses" else _of_completion(record)
        ending, code, message = _ending(refusal, cut)
    return ApiAnswer(
        body=body,
        api=api,
        ending=ending,
        text=text,
        usage=_usage(used, api),
        total_tokens=_count(used.get("total_tokens")),
        service_tier=_text(record.get("service_tier")),
        model=_text(record.get("model")),
        response_id=_text(record.get("id")),
        code=code,
        message=message,
        error=record.get("error") if failed else None,
    )


def _no_answer(body: str, code: str, message: str) -> ApiAnswer:
    return ApiAnswer(body=body, api=None, ending="failed", code=code, message=message)


def _api_of(record: dict[str, JsonValue]) -> Api | None:
    match record:
        case {"choices": [{"message": {}}, *_]}:
            return "chat_completions"
        case {"output": [*items]} if all(isinstance(item, dict) for item in items):
            return "responses"
    return None


def _of_response(record: dict[str, JsonValue]) -> tuple[str, str | None, str | None]:
    """The text, the refusal, and the reason why the answer was cut off."""
    texts: list[tuple[bool, str]] = []
    refusals: list[str] = []
    for item in _records(record.get("output")):
        for part in _records(item.get("content")) if item.get("type") == "message" else ():
            if part.get("type") == "refusal":
                refusals.append(_text(part.get("refusal")) or "")
            elif isinstance(written := part.get("text"), str):
                texts.append((item.get("phase") == "final_answer", written))
    text = "".join(
        [written for final, written in texts if final] or [written for _, written in texts]
    )
    reason = _text(_record(record.get("incomplete_details")).get("reason")) or "incomplete"
    return (
        text,
        "\n".join(refusals) if refusals else None,
        reason if record.get("status") == "incomplete" else None,
    )


def _of_completion(record: dict[str, JsonValue]) -> tuple[str, str | None, str | None]:
    choice = _records(record.get("choices"))[0]
    message, finish = _record(choice.get("message")), choice.get("finish_reason")
    content = message.get("content")
    text = (
        content
        if isinstance(content, str)
        else "".join(_text(part.get("text")) or "" for part in _records(content))
    )
    cut = {"length": "max_output_tokens", "content_filter": "content_filter"}.get(str(finish))
    return text, _text(message.get("refusal")), cut


def _ending(refusal: str | None, cut: str | None) -> tuple[Ending, str | None, str | None]:
    if refusal is not None:
        return "refused", "refusal", refusal
    if cut == "content_filter":
        return "refused", cut, "the provider's content filter stopped the answer"
    return ("truncated", cut, f"the answer was cut off: {cut}") if cut else ("complete", None, None)


def _usage(reported: dict[str, JsonValue], api: Api | None) -> Usage:
    """The tokens of an answer; a server that reports nothing but zeros has not counted."""
    chat = api == "chat_completions"
    read, written = (
        ("prompt_tokens", "completion_tokens") if chat else ("input_tokens", "output_tokens")
    )
    into, out = (
        _record(reported.get(f"{read}_details")),
        _record(reported.get(f"{written}_details")),
    )
    usage = Usage(
        input_tokens=_count(reported.get(read)),
        cached_tokens=_count(into.get("cached_tokens")),
        cache_write_tokens=_count(into.get("cache_write_tokens")),
        output_tokens=_count(reported.get(written)),
        reasoning_tokens=_count(out.get("reasoning_tokens")),
    )
    return usage if usage.input_tokens or usage.output_tokens else Usage()


def _record(value: JsonValue) -> dict[str, JsonValue]:
    return value if isinstance(value, dict) else {}


def _records(value: JsonValue) -> list[dict[str, JsonValue]]:
    return [entry for entry in value if isinstance(entry, dict)] if isinstance(value, list) else []


def _text(value: JsonValue) -> str | None:
    return value if isinstance(value, str) and value else None


def _count(value: JsonValue) -> int | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return int(value) if 0 <= value < 2**53 else None
