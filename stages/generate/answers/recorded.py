"""One line of a file of recorded answers, in any form that people have it in, read as an answer."""

import datetime
import hashlib
import re
from contextlib import suppress
from dataclasses import dataclass
from typing import Annotated

from pydantic import AfterValidator, Field, ValidationError

from stages.generate.answers.answer import Body, NoAnswer, read_body
from stages.generate.apis.kind import object_of
from stages.generate.apis.registry import recognize
from stages.shared.records.errors import problems_of
from stages.shared.records.json_text import JsonObject, JsonValue, NotJson, canonical, parse
from stages.shared.records.model_config import IDENTIFIER
from stages.shared.records.record import Record

FINGERPRINT_START = "recorded:"
"""How the fingerprints of recorded answers begin; those of calls are 64 hex digits."""
MAX_SAMPLE = 1_000_000
_CUSTOM_ID = re.compile(rf"(?P<brief>{IDENTIFIER.pattern})(?:/(?P<sample>[1-9][0-9]{{0,6}}))?")
_PLACES_OF_A_BODY = ("body", "response")
_NEITHER = "needs text or graph, a body of an API, or a line of a batch's output"


class BadLine(ValueError):
    """Why a line cannot be used."""


def utc_text(text: str) -> str:
    """A time as ISO 8601 in UTC; one without an offset is taken for UTC."""
    time = datetime.datetime.fromisoformat(text)
    if time.tzinfo is None:
        time = time.replace(tzinfo=datetime.UTC)
    try:
        in_utc = time.astimezone(datetime.UTC)
    except OverflowError:
        raise ValueError("is outside the calendar") from None
    return in_utc.strftime("%Y-%m-%dT%H:%M:%SZ")


class _Stated(Record):
    """What a line states besides the answer."""

    brief: str = Field(pattern=f"^{IDENTIFIER.pattern}$")
    sample: int | None = Field(None, ge=1, le=MAX_SAMPLE)
    text: str | None = None
    model: str | None = None
    usage: dict[str, JsonValue] | None = None
    latency_ms: float | None = Field(None, ge=0, allow_inf_nan=False)
    cost_usd: float | None = Field(None, ge=0, allow_inf_nan=False)
    created_at: Annotated[str, AfterValidator(utc_text)] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedLine:
    """A line: the brief, the sample where it names one, what it states, and the body of its answer;
    None where it holds an error in place of one.
    """

    brief_id: str
    sample: int | None
    body: Body | None
    in_batch: bool
    latency_ms: float | None
    created_at: str | None
    stated_usd: float | None


def fingerprint_of_line(raw: bytes) -> str:
    """The fingerprint of a recorded answer: that of its line, white space around it aside."""
    return FINGERPRINT_START + hashlib.sha256(raw.strip()).hexdigest()


def read_recorded_line(raw: bytes) -> RecordedLine:
    """What a line holds; what it does not state is None.

    A line is an object with `brief` and `text` or `graph`; or with `brief` and the body of an API,
    as it is or under `body` or `response`; or a line of a batch's output, whose `custom_id` is the
    brief's id, or BRIEF/SAMPLE. Other keys are ignored.

    Raises:
        BadLine: it is none of these, or a value is of the wrong type or out of range.
    """
    record = _object(raw)
    in_batch = "custom_id" in record
    body = _body_in(record)
    values = record
    if in_batch and "brief" not in record:
        values = _named_by(record) | record
    if body is not None:
        values = values | {"text": None, "usage": None}
    if body is not None and not isinstance(record.get("created_at"), str):
        values["created_at"] = time_of_body(body)
    stated = _read_stated(values)
    said: Body | None = None
    if body is not None or not in_batch:
        answer_body = body or _body_of(record, stated)
        with suppress(NoAnswer):
            said = read_body(canonical(answer_body).decode("utf-8"))
    return RecordedLine(
        brief_id=stated.brief,
        sample=stated.sample,
        body=said,
        in_batch=in_batch,
        latency_ms=stated.latency_ms,
        created_at=stated.created_at,
        stated_usd=stated.cost_usd,
    )


def _object(raw: bytes) -> JsonObject:
    try:
        value = parse(raw)
    except NotJson as error:
        reason = str(error).partition(": line ")[0]
        raise BadLine(f"is not JSON: {reason}") from None
    if not isinstance(value, dict):
        raise BadLine("must be a JSON object")
    return value


def _body_in(record: JsonObject) -> JsonObject | None:
    """The body of an API in a line, if there is one."""
    nested = [object_of(record.get(key)) for key in _PLACES_OF_A_BODY]
    for value in (record, *nested, object_of(nested[-1].get("body"))):
        if recognize(value) is not None:
            return value
    return None


def _named_by(record: JsonObject) -> JsonObject:
    """The brief and the sample that a batch's line is named by."""
    named = _CUSTOM_ID.fullmatch(str(record["custom_id"]))
    if named is None:
        raise BadLine("custom_id: must be the id of a brief, or BRIEF/SAMPLE")
    sample = named["sample"]
    return {"brief": named["brief"], "sample": int(sample) if sample else None}


def time_of_body(body: JsonObject) -> str | None:
    """When a body was created, as APIs state it: in seconds since 1970."""
    seconds = body.get("created_at", body.get("created"))
    if isinstance(seconds, bool) or not isinstance(seconds, int | float):
        return None
    try:
        return datetime.datetime.fromtimestamp(seconds, datetime.UTC).isoformat()
    except (ValueError, OverflowError, OSError):  # no time that a calendar has
        return None


def _read_stated(values: JsonObject) -> _Stated:
    try:
        return _Stated.read(values)
    except ValidationError as error:
        problems = problems_of(error, _Stated, file="")
        raise BadLine("; ".join(map(str, problems))) from None


def _body_of(record: JsonObject, stated: _Stated) -> JsonObject:
    """A body of the Responses API with the text or the graph that a line states."""
    if (stated.text is None) == ("graph" not in record):
        raise BadLine("has both text and graph" if "graph" in record else _NEITHER)
    text = stated.text
    if text is None:
        text = canonical(record["graph"]).decode("utf-8")
    message: JsonObject = {"type": "message", "content": [{"type": "output_text", "text": text}]}
    usage = stated.usage or {}
    input_details = object_of(usage.get("input_tokens_details", usage.get("prompt_tokens_details")))
    output_details = object_of(
        usage.get("output_tokens_details", usage.get("completion_tokens_details"))
    )
    return {
        "model": stated.model,
        "status": "completed",
        "output": [message],
        "usage": {
            "input_tokens": usage.get("input_tokens", usage.get("prompt_tokens")),
            "input_tokens_details": usage | input_details,
            "output_tokens": usage.get("output_tokens", usage.get("completion_tokens")),
            "output_tokens_details": usage | output_details,
        },
    }
