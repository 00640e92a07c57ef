"""An API's answer is read for what it says; what it does not say stays unknown."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from openai.types.chat import ChatCompletion
from openai.types.responses import Response as OpenAIResponse

from stages.contracts.response import Usage
from stages.generate.answers.answer import Content, read_content
from tests.builders.cases import cases

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
            "content": [{"type": "output_text", "text": '{"nodes": []}', "annotations": []}],
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
        raw_text='{"nodes": []}',
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


def test_an_answer_in_parts_is_put_together() -> None:
    assert (
        response(output=[message(text("one "), text("two ")), message(text("three"))]).raw_text
        == "one two three"
    )


def test_of_an_answer_with_commentary_only_the_final_part_counts() -> None:
    output = [
        message(text("thinking"), phase="commentary"),
        message(text("{}"), phase="final_answer"),
    ]
    assert response(output=output).raw_text == "{}"


@pytest.mark.parametrize(
    ("reason", "ending"),
    [("max_output_tokens", "truncated"), ("content_filter", "refused")],
    ids=str,
)
def test_an_incomplete_response_is_cut_off_or_refused(reason: str, ending: str) -> None:
    found = response(status="incomplete", incomplete_details={"reason": reason})
    assert (found.ending, found.failure_code, found.raw_text) == (ending, reason, '{"nodes": []}')
    assert found.usage.output_tokens == 500


def test_a_refusal_is_read_with_its_words() -> None:
    found = response(output=[message({"type": "refusal", "refusal": "I cannot help with that."})])
    assert (found.ending, found.failure_code, found.error_message, found.raw_text) == (
        "refused",
        "refusal",
        "I cannot help with that.",
        "",
    )


@cases(
    "choice, ending, code",
    {
        "cut off": ({"finish_reason": "length"}, "truncated", "max_output_tokens"),
        "filtered": ({"finish_reason": "content_filter"}, "refused", "content_filter"),
        "refused": (
            {"message": {"role": "assistant", "content": None, "refusal": "No."}},
            "refused",
            "refusal",
        ),
        "nothing said": ({"message": {"role": "assistant", "content": None}}, "complete", None),
    },
)
def test_a_chat_completion_ends_as_it_says(
    choice: dict[str, Any], ending: str, code: str | None
) -> None:
    found = completion(**choice)
    assert (found.ending, found.failure_code) == (ending, code)


def test_what_is_not_reported_is_unknown_and_not_zero() -> None:
    bare = read_content('{"output": []}')
    assert (bare.ending, bare.raw_text, bare.usage, bare.total_tokens) == (
        "complete",
        "",
        Usage(),
        None,
    )
    odd = read_content(
        '{"output": [], "usage": {"input_tokens": "7", "output_tokens": -1, "total_tokens": true}}'
    )
    assert (odd.usage, odd.total_tokens) == (Usage(), None)


@pytest.mark.parametrize(
    "zeros", [{"input_tokens": 0, "output_tokens": 0}, {"prompt_tokens": 0, "completion_tokens": 0}]
)
def test_a_usage_of_nothing_but_zeros_is_unknown(zeros: dict[str, int]) -> None:
    body = RESPONSE if "input_tokens" in zeros else COMPLETION
    found = read_content(json.dumps(body | {"usage": zeros | {"total_tokens": 0}}))
    assert found.raw_text
    assert found.usage == Usage()


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
    assert (found.ending, found.failure_code) == ("failed", code)
    assert found.error_message


def test_a_response_that_failed_says_why() -> None:
    found = response(
        status="failed", output=[], error={"code": "server_error", "message": "went wrong"}
    )
    assert (found.ending, found.failure_code, found.error_message) == (
        "failed",
        "server_error",
        "went wrong",
    )
    assert found.error == {"code": "server_error", "message": "went wrong"}


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: (
        st.lists(inner)
        | st.dictionaries(st.sampled_from(["type", "content", "text", "refusal"]), inner)
    ),
    max_leaves=10,
)


@given(
    body=st.dictionaries(
        st.sampled_from(["output", "choices", "usage", "status", "id", "incomplete_details"]), JSON
    )
)
def test_no_shape_whatever_makes_reading_fail(body: dict[str, Any]) -> None:
    assert read_content(json.dumps(body)).body == json.dumps(body)
