"""One line of an answers file, in every form that is taken."""

import json
import re
from typing import Any

import pytest

from stages.generate.answers.answer import Body
from stages.generate.answers.extraction import extract
from stages.generate.answers.recorded import (
    BadLine,
    RecordedLine,
    fingerprint_of_line,
    read_recorded_line,
)
from stages.shared.records.response import Usage
from tests.builders.api_bodies import completion_body, response_body
from tests.builders.cases import cases

NOON = "2026-11-02T12:00:00Z"
EPOCH_NOON = 1_793_620_800


def read(**fields: Any) -> RecordedLine:
    line = read_recorded_line(json.dumps({"brief": "b1"} | fields).encode())
    assert line.body is not None
    return line


def said(line: RecordedLine) -> Body:
    assert line.body is not None
    return line.body


def in_batch(body: dict[str, Any] | None, **fields: Any) -> bytes:
    response = {"status_code": 200, "request_id": "r", "body": body} if body else None
    line = {"id": "batch_req_1", "custom_id": "b1/2", "response": response, "error": None}
    return json.dumps(line | fields).encode()


@cases(
    "fields",
    {
        "text": {"text": '{"nodes": []}'},
        "graph": {"graph": {"nodes": []}},
        "Responses": response_body('{"nodes": []}'),
        "Chat Completions": completion_body('{"nodes": []}'),
        "below body": {"body": completion_body('{"nodes": []}')},
        "below response": {"response": response_body('{"nodes": []}')},
        "as in a batch": {"response": {"status_code": 200, "body": response_body('{"nodes": []}')}},
    },
)
def test_every_form_holds_the_same_graph(fields: dict[str, Any]) -> None:
    assert extract(said(read(**fields)).raw_text).parsed == {"nodes": []}


def test_what_a_line_does_not_state_is_not_measured() -> None:
    line = read(text="{}")
    assert (line.latency_ms, line.created_at, line.stated_usd) == (None, None, None)
    assert (said(line).service_tier, said(line).answered_model) == (None, None)
    assert said(line).usage == Usage()


def test_what_a_line_states_is_measured() -> None:
    stated = {"model": "m-7", "latency_ms": 1500, "cost_usd": 0.25, "created_at": NOON}
    line = read(text="{}", **stated)
    assert said(line).answered_model == "m-7"
    assert (line.latency_ms, line.stated_usd, line.created_at) == (1500, 0.25, NOON)


@cases(
    "usage",
    {
        "flat": {"input_tokens": 9, "cached_tokens": 4, "output_tokens": 7, "reasoning_tokens": 2},
        "Responses": {
            "input_tokens": 9,
            "input_tokens_details": {"cached_tokens": 4},
            "output_tokens": 7,
            "output_tokens_details": {"reasoning_tokens": 2},
        },
        "Chat Completions": {
            "prompt_tokens": 9,
            "prompt_tokens_details": {"cached_tokens": 4},
            "completion_tokens": 7,
            "completion_tokens_details": {"reasoning_tokens": 2},
        },
    },
)
def test_usage_is_read_in_every_spelling(usage: dict[str, Any]) -> None:
    counts = said(read(text="{}", usage=usage)).usage
    assert counts.input_tokens == 9
    assert counts.cached_tokens == 4
    assert counts.output_tokens == 7
    assert counts.reasoning_tokens == 2


@cases(
    "created_at, utc",
    {
        "UTC": (NOON, NOON),
        "with an offset": ("2026-11-02T13:00:00+01:00", NOON),
        "without one": ("2026-11-02 12:00:00", NOON),
    },
)
def test_times_are_brought_to_utc(created_at: str, utc: str) -> None:
    assert read(text="{}", created_at=created_at).created_at == utc


@cases(
    "body",
    {
        "Responses": response_body(created_at=EPOCH_NOON),
        "Chat Completions": completion_body(created=EPOCH_NOON),
    },
)
def test_a_body_says_when_it_was_created(body: dict[str, Any]) -> None:
    assert read(**body).created_at == NOON
    assert read(body=body).created_at == NOON


def test_a_line_of_a_batch_names_brief_and_sample_and_is_of_the_batch_tier() -> None:
    line = read_recorded_line(in_batch(response_body(service_tier="default")))
    assert (line.brief_id, line.sample, line.in_batch) == ("b1", 2, True)


@cases(
    "raw",
    {
        "not processed": in_batch(
            None, error={"code": "batch_expired", "message": "not processed"}
        ),
        "a body with an error": in_batch({"error": {"message": "overloaded"}}),
        "a response that failed": json.dumps(
            {"brief": "b1"} | response_body(status="failed")
        ).encode(),
    },
)
def test_an_error_is_no_answer(raw: bytes) -> None:
    assert read_recorded_line(raw).body is None


@cases(
    "raw, fault",
    {
        "cut": (b'{"brief": "b1", "text": "{', "is not JSON: Unterminated string"),
        "NUL in a text": (
            b'{"brief": "b1", "text": "\0"}',
            "is not JSON: Invalid control character",
        ),
        "UTF-16": (b"\xff\xfe{", "is not JSON: "),
        "NUL alone": (b"\0\0\0", "is not JSON: Expecting value"),
        "no object": (b'["b1"]', "must be a JSON object"),
        "no brief": (b'{"text": "{}"}', "brief: is missing"),
        "a path": (b'{"brief": "../b1", "text": "{}"}', "brief: "),
        "no answer": (b'{"brief": "b1"}', "needs text or graph"),
        "two answers": (b'{"brief": "b1", "text": "{}", "graph": {}}', "has both text and graph"),
        "no text": (b'{"brief": "b1", "text": 7}', "text: should be a valid string"),
        "sample 0": (b'{"brief": "b1", "text": "", "sample": 0}', "sample: should be greater than"),
        "negative latency": (
            b'{"brief": "b1", "text": "", "latency_ms": -1}',
            "latency_ms: should be greater",
        ),
        "infinite cost": (
            b'{"brief": "b1", "text": "", "cost_usd": 1e999}',
            "cost_usd: should be a finite",
        ),
        "no time": (b'{"brief": "b1", "text": "", "created_at": "soon"}', "created_at: "),
        "a time before the calendar": (
            b'{"brief": "b1", "text": "", "created_at": "0001-01-01T00:00+23:00"}',
            "created_at: ",
        ),
        "a custom_id of two words": (
            b'{"custom_id": "a b", "response": null}',
            "custom_id: must be the id of a brief",
        ),
        "too deep": (b"[" * 300 + b"]" * 300, "nested"),
    },
)
def test_a_line_that_cannot_be_used_says_why(raw: bytes, fault: str) -> None:
    with pytest.raises(BadLine, match=re.escape(fault)):
        read_recorded_line(raw)


def test_the_fingerprint_is_of_the_line_without_white_space_around_it() -> None:
    raw = b'{"brief": "b1", "text": "{}"}'
    assert fingerprint_of_line(raw) == fingerprint_of_line(b"  " + raw + b"\r\n")
    assert fingerprint_of_line(raw).startswith("recorded:")
