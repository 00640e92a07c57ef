"""An API's answer is read for what it says; what it does not say stays unknown."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from openai.types.chat import ChatCompletion
from openai.types.responses import Response as OpenAIResponse

from stages.generate.answers.answer import Content, read_content
from stages.shared.records.response import Usage
from tests.builders.cases import cases

DRAFT = '{"nodes": []}'
RESPONSE: dict[str, Any] = {
    "id": "resp_1",
    "object": "response",
    "created_at": 1_790_000_000,
    "status": "completed",
    "model": "gpt-6-luna-2026-09-01",
    "instructions": "Draft a graph.",
    "service_tier": "flex",
    "output": [
        {"id": "rs_1", "type": "reasoning", "summary": []},
        {
            "id": "msg_1",
            "type": "message",
            "role": "assistant",
            "status": "completed",
            "content": [{"type": "output_text", "text": DRAFT, "annotations": []}],
        },
    ],
    "parallel_tool_calls": True,
    "tool_choice": "auto",
    "tools": [],
    "usage": {
        "input_tokens": 1000,
        "input_tokens_details": {"cached_tokens": 600, "cache_write_tokens": 100},
        "output_tokens": 500,
        "output_tokens_details": {"reasoning_tokens": 300},
        "total_tokens": 1500,
    },
}
COMPLETION: dict[str, Any] = {
    "id": "chatcmpl-1",
    "object": "chat.completion",
    "created": 1_790_000_000,
    "model": "gpt-4.1-2025-04-14",
    "service_tier": "default",
    "choices": [
        {
            "index": 0,
            "finish_reason": "stop",
            "message": {"role": "assistant", "content": "{}", "refusal": None},
        }
    ],
    "usage": {
        "prompt_tokens": 1000,
        "completion_tokens": 500,
        "total_tokens": 1500,
        "prompt_tokens_details": {"cached_tokens": 600},
        "completion_tokens_details": {"reasoning_tokens": 0},
    },
}


def response(**changed: Any) -> Content:
    body = RESPONSE | changed
    OpenAIResponse.model_validate(body)
    return read_content(json.dumps(body))


def completion(**choice: Any) -> Content:
    body = COMPLETION | {"choices": [COMPLETION["choices"][0] | choice]}
    ChatCompletion.model_validate(body)
    return read_content(json.dumps(body))


def message(*content: dict[str, Any], **changed: Any) -> dict[str, Any]:
    return {
        "id": "m",
        "type": "message",
        "role": "assistant",
        "status": "completed",
        "content": list(content),
        **changed,
    }


def text(value: str) -> dict[str, Any]:
    return {"type": "output_text", "text": value, "annotations": []}


def test_a_complete_response_is_read_with_its_usage() -> None:
    assert response() == Content(
        body=json.dumps(RESPONSE),
        api="responses",
        ending="complete",
        raw_text=DRAFT,
        usage=Usage(
            input_tokens=1000,
            cached_tokens=600,
            cache_write_tokens=100,
            output_tokens=500,
            reasoning_tokens=300,
        ),
        total_tokens=1500,
        service_tier="flex",
        answered_model="gpt-6-luna-2026-09-01",
        response_id="resp_1",
    )


def test_a_complete_chat_completion_is_read_with_its_usage() -> None:
    assert completion() == Content(
        body=json.dumps(COMPLETION),
        api="chat_completions",
        ending="complete",
        raw_text="{}",
        usage=Usage(input_tokens=1000, cached_tokens=600, output_tokens=500, reasoning_tokens=0),
        total_tokens=1500,
        service_tier="default",
        answered_model="gpt-4.1-2025-04-14",
        response_id="chatcmpl-1",
    )


@cases(
    "output, raw_text",
    {
        "in parts": ([message(text("one "), text("two ")), message(text("3"))], "one two 3"),
        "after commentary": (
            [
                message(text("thinking"), phase="commentary"),
                message(text("{}"), phase="final_answer"),
            ],
            "{}",
        ),
    },
)
def test_the_text_is_all_parts_of_the_answer(output: list[dict[str, Any]], raw_text: str) -> None:
    assert response(output=output).raw_text == raw_text


REFUSAL = {"type": "refusal", "refusal": "No."}
REFUSED = {"role": "assistant", "content": None, "refusal": "No."}


def cut_by(reason: str) -> dict[str, Any]:
    return {"status": "incomplete", "incomplete_details": {"reason": reason}}


@cases(
    "read, ending, code, raw_text",
    {
        "cut off": (
            response(**cut_by("max_output_tokens")),
            "truncated",
            "max_output_tokens",
            DRAFT,
        ),
        "filtered": (response(**cut_by("content_filter")), "refused", "content_filter", DRAFT),
        "refused": (response(output=[message(REFUSAL)]), "refused", "refusal", ""),
        "cut off in a chat": (
            completion(finish_reason="length"),
            "truncated",
            "max_output_tokens",
            "{}",
        ),
        "filtered in a chat": (
            completion(finish_reason="content_filter"),
            "refused",
            "content_filter",
            "{}",
        ),
        "refused in a chat": (completion(message=REFUSED), "refused", "refusal", ""),
        "nothing said in a chat": (
            completion(message=REFUSED | {"refusal": None}),
            "complete",
            None,
            "",
        ),
    },
)
def test_an_answer_ends_as_it_says(
    read: Content, ending: str, code: str | None, raw_text: str
) -> None:
    assert read.ending == ending
    assert read.failure_code == code
    assert read.raw_text == raw_text
    assert (read.error_message == "No.") == (code == "refusal")
    assert read.usage.output_tokens == 500


def test_what_is_not_reported_is_unknown_and_not_zero() -> None:
    odd = {"input_tokens": "7", "output_tokens": -1, "total_tokens": True}
    for usage in ({}, {"usage": odd}):
        bare = read_content(json.dumps({"output": []} | usage))
        assert bare.ending == "complete"
        assert bare.raw_text == ""
        assert bare.usage == Usage()
        assert bare.total_tokens is None


@cases(
    "body, names",
    {
        "Responses": (RESPONSE, ("input_tokens", "output_tokens")),
        "Chat Completions": (COMPLETION, ("prompt_tokens", "completion_tokens")),
    },
)
def test_a_usage_of_nothing_but_zeros_is_unknown(body: dict[str, Any], names: list[str]) -> None:
    read = read_content(json.dumps(body | {"usage": dict.fromkeys((*names, "total_tokens"), 0)}))
    assert read.raw_text
    assert read.usage == Usage()


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ("", "empty_body"),
        (" \n", "empty_body"),
        ("<html>", "not_json"),
        ('{"output": 1', "not_json"),
        ("[]", "wrong_shape"),
        ("null", "wrong_shape"),
        ("{}", "wrong_shape"),
        ('{"output": [1]}', "wrong_shape"),
        ('{"choices": []}', "wrong_shape"),
        ('{"choices": [{"text": "old"}]}', "wrong_shape"),
        ('{"status": "in_progress", "output": []}', "unfinished"),
        ('{"error": {"code": "x", "message": "y"}}', "x"),
    ],
)
def test_a_body_that_is_no_answer_fails_with_a_code(body: str, code: str) -> None:
    found = read_content(body)
    assert found.ending == "failed"
    assert found.failure_code == code
    assert found.error_message


def test_a_response_that_failed_says_why() -> None:
    error = {"code": "server_error", "message": "went wrong"}
    read = response(status="failed", output=[], error=error)
    assert read.ending == "failed"
    assert read.failure_code == "server_error"
    assert read.error_message == "went wrong"
    assert read.error == error


KEYS = ["output", "choices", "usage", "status", "id", "incomplete_details"]
INNER_KEYS = ["type", "content", "text", "refusal", "message"]
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.sampled_from(INNER_KEYS),
    lambda inner: st.lists(inner) | st.dictionaries(st.sampled_from(INNER_KEYS), inner),
    max_leaves=10,
)


@given(st.dictionaries(st.sampled_from(KEYS), JSON))
def test_no_shape_whatever_makes_reading_fail(body: dict[str, Any]) -> None:
    assert read_content(json.dumps(body)).body == json.dumps(body)
