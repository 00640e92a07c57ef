"""An API's answer is read for what it says; what it does not say stays unknown."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graph_evaluator.generate.answers import read_answer, refusal_in
from graph_evaluator.generate.replies import NoAnswer
from graph_evaluator.records.response import Usage
from tests.builders.api_bodies import completion_body, response_body
from tests.builders.cases import cases
from tests.generate.asking import cells, config
from tests.generate.entries import paid

DRAFT = '{"nodes": []}'
ABOUT = {"id": "a_1", "model": "m-1", "service_tier": "flex"}
RESPONSE = response_body(DRAFT) | ABOUT
RESPONSE["usage"] = {
    "input_tokens": 1000,
    "input_tokens_details": {"cached_tokens": 600, "cache_write_tokens": 100},
    "output_tokens": 500,
    "output_tokens_details": {"reasoning_tokens": 300},
}
COMPLETION = completion_body(DRAFT) | ABOUT
COMPLETION["usage"] = {
    "prompt_tokens": 1000,
    "completion_tokens": 500,
    "prompt_tokens_details": {"cached_tokens": 600},
    "completion_tokens_details": {"reasoning_tokens": 0},
}


def response(**changed):
    return answer_to(RESPONSE | changed)


def completion(**choice):
    return answer_to(COMPLETION | {"choices": [COMPLETION["choices"][0] | choice]})


def answer_to(body, params=None):
    """The answer to a call with these settings."""
    (planned,) = cells(config(params=params or {}), schema={})
    return paid(planned.calls[0], json.dumps(body))


def message(*content, **changed):
    return {"type": "message", "content": list(content), **changed}


def text(value):
    return {"type": "output_text", "text": value}


@cases(
    "read, body, usage",
    {
        "Responses": (response(), RESPONSE, (1000, 600, 100, 500, 300)),
        "Chat Completions": (completion(), COMPLETION, (1000, 600, None, 500, 0)),
    },
)
def test_a_complete_body_is_read_with_its_graph_and_usage(read, body, usage):
    assert json.loads(read.received or "") == body
    assert (read.status, read.failure_code, read.error_message) == ("success", None, None)
    assert (read.raw_text, read.graph, read.extraction_method) == (DRAFT, {"nodes": []}, "direct")
    assert tuple(read.measured.usage.to_json().values()) == usage
    reported = (read.measured.response_id, read.measured.answered_model, read.measured.service_tier)
    assert reported == tuple(ABOUT.values())


@cases(
    "output, raw_text",
    {
        "in parts": ([message(text("one "), text("two ")), message(text("3"))], "one two 3"),
        "after commentary": (
            [message(text("x"), phase="commentary"), message(text("{}"), phase="final_answer")],
            "{}",
        ),
    },
)
def test_the_text_is_all_parts_of_the_answer(output, raw_text):
    assert response(output=output).raw_text == raw_text


REFUSAL = {"type": "refusal", "refusal": "No."}
REFUSED = {"role": "assistant", "content": None, "refusal": "No."}


USAGE = {"prompt_tokens": 1000, "completion_tokens": 500}


def cut_by(reason):
    return {"status": "incomplete", "incomplete_details": {"reason": reason}}


@cases(
    "read, status, code",
    {
        "cut off": (response(**cut_by("max_output_tokens")), "truncated", "max_output_tokens"),
        "filtered": (response(**cut_by("content_filter")), "refused", "content_filter"),
        "refused": (response(output=[message(REFUSAL)]), "refused", "refusal"),
        "cut off in a chat": (completion(finish_reason="length"), "truncated", "max_output_tokens"),
        "filtered in a chat": (
            completion(finish_reason="content_filter"),
            "refused",
            "content_filter",
        ),
        "refused in a chat": (completion(message=REFUSED), "refused", "refusal"),
        "over the context": (
            completion(finish_reason="model_context_window_exceeded"),
            "truncated",
            "model_context_window_exceeded",
        ),
        "filtered without a message": (
            answer_to({"choices": [{"index": 0, "finish_reason": "SAFETY"}], "usage": USAGE}),
            "refused",
            "content_filter",
        ),
        "cut off without a message": (
            answer_to({"choices": [{"message": None, "finish_reason": "length"}], "usage": USAGE}),
            "truncated",
            "max_output_tokens",
        ),
        "refused by Zhipu": (completion(finish_reason="sensitive"), "refused", "sensitive"),
        "cut off for a reason that is not known": (
            response(**cut_by("vibes")),
            "truncated",
            "incomplete",
        ),
        "nothing said in a chat": (
            completion(message=REFUSED | {"refusal": None}),
            "parse_failed",
            "empty_output",
        ),
    },
)
def test_an_answer_ends_as_it_says(read, status, code):
    assert (read.status, read.failure_code) == (status, code)
    assert read.graph is None
    assert (read.error_message == "No.") == (code == "refusal")
    assert read.measured.usage.output_tokens == 500


@pytest.mark.parametrize(
    "error",
    [
        {"code": "content_filter", "message": "m"},
        {"code": "BadRequest", "innererror": {"code": "ResponsibleAIPolicyViolation"}},
        {"code": 403, "message": "m", "metadata": {"flagged_input": "a word", "reasons": ["hate"]}},
        {"code": "invalid_request_error", "message": "Content Exists Risk"},
        {"code": "400", "message": "litellm.ContentPolicyViolationError: filtered"},
        {"type": "invalid_request_error", "message": "Output blocked by content filtering policy"},
        "Content violates usage guidelines. Failed check: SAFETY_CHECK_TYPE_CSAM",
    ],
)
def test_an_error_by_which_a_provider_refuses_the_prompt_is_a_refusal(error):
    choice = {"finish_reason": "error", "message": {"content": ""}, "error": error}
    assert refusal_in({"error": error})
    for body in ({"error": error}, [{"error": error}], {"choices": [choice]}):
        assert answer_to(body).status == "refused"


def test_reasoning_in_parts_of_the_content_is_not_part_of_the_text():
    parts = [{"type": "reasoning", "text": "{ maybe"}, {"type": "text", "text": DRAFT}]
    assert completion(message={"content": parts}).raw_text == DRAFT


@cases("reason, error", {"a word": ("network_error", None), "an error": ("stop", {"code": 502})})
def test_an_answer_that_the_provider_broke_off_is_none(reason, error):
    choice = {"finish_reason": reason, "message": {"content": '{"nodes": ['}, "error": error}
    with pytest.raises(NoAnswer) as raised:
        read_answer(json.dumps({"choices": [choice]}), latency_ms=1, attempts=1, created_at=None)
    assert (raised.value.code, raised.value.error) == ("failed", error)


@cases("text, status", {"a graph": ('{"nodes": []}', "success"), "prose": ("No.", "parse_failed")})
def test_a_reason_that_is_not_known_is_kept_with_the_answer(text, status):
    choice = {"finish_reason": "vibes", "message": {"content": text}}
    read = answer_to({"choices": [choice]})
    assert read.status == status
    assert "vibes" in read.warnings[0]
    assert ("vibes" in (read.error_message or "")) == (status == "parse_failed")


@cases(
    "text, status, code",
    {
        "a graph": ('{"nodes": []}', "success", None),
        "null": ("null", "parse_failed", "no_json"),
        "prose": ("I would rather not.", "parse_failed", "no_json"),
        "white space": (" \n", "parse_failed", "empty_output"),
        "nested too deeply": ("[" * 200 + "]" * 200, "parse_failed", "no_json"),
    },
)
def test_a_complete_answer_has_the_status_of_its_text(text, status, code):
    read = answer_to(response_body(text))
    assert (read.status, read.failure_code) == (status, code)
    assert (read.graph is not None) == (status == "success")


@cases(
    "text, written, status",
    {
        "cut off": ("so far so go", 100, "truncated"),
        "nothing but reasoning": ("", 100, "truncated"),
        "with JSON": ("{}", 100, "success"),
    },
)
def test_an_answer_without_json_whose_output_reached_the_bound_is_truncated(text, written, status):
    usage = {"input_tokens": 3, "output_tokens": written}
    read = answer_to(response_body(text, usage=usage), {"max_output_tokens": 100})
    assert read.status == status
    assert (read.failure_code == "max_output_tokens") == (status == "truncated")


def test_what_is_not_reported_is_unknown_and_not_zero():
    odd, zeros = {"input_tokens": "7", "output_tokens": -1}, {"input_tokens": 0, "output_tokens": 0}
    for usage in (None, odd, zeros):
        assert answer_to({"output": [], "usage": usage}).measured.usage == Usage()
    no_input = {"input_tokens": 0, "output_tokens": 9}
    assert answer_to({"output": [], "usage": no_input}).measured.usage == Usage(output_tokens=9)


@cases(
    "usage, output_tokens",
    {
        "xAI": ({"total_tokens": 64_000, "reasoning_tokens": 60_000}, 61_000),
        "Gemini": ({"total_tokens": 64_000}, 61_000),
        "without a total": ({"completion_tokens_details": {"reasoning_tokens": 60_000}}, 61_000),
        "a total without some of the output": (
            {"total_tokens": 3_500, "reasoning_tokens": 0},
            1_000,
        ),
        "no output but a total": ({"completion_tokens": None, "total_tokens": 5_000}, 2_000),
        "a total that is none": ({"total_tokens": "64000"}, 1_000),
    },
)
def test_tokens_that_only_the_total_counts_are_output(usage, output_tokens):
    reported = {"prompt_tokens": 3_000, "completion_tokens": 1_000} | usage
    read = answer_to(completion_body(usage=reported)).measured.usage
    assert (read.input_tokens, read.output_tokens) == (3_000, output_tokens)


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ("", "empty_body"),
        ('{"output": 1', "not_json"),
        ('{"output": [1]}', "wrong_shape"),
        ('{"choices": [{"text": "old"}]}', "wrong_shape"),
        ('{"status": "in_progress", "output": []}', "unfinished"),
        ('{"status": "failed", "output": [], "error": {"code": "x"}}', "x"),
    ],
)
def test_a_body_that_is_no_answer_fails_with_a_code(body, code):
    with pytest.raises(NoAnswer) as failed:
        read_answer(body, latency_ms=None, attempts=1, created_at=None)
    assert failed.value.code == code
    assert failed.value.message
    assert (failed.value.error is None) == (code != "x")
    (planned,) = cells(config())
    stored = paid(planned.calls[0], body)
    assert (stored.status, stored.failure_code) == ("parse_failed", code)


KEYS = ["output", "choices", "usage", "status", "id", "incomplete_details"]
INNER_KEYS = ["type", "content", "text", "refusal", "message"]
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.sampled_from(INNER_KEYS),
    lambda inner: st.lists(inner) | st.dictionaries(st.sampled_from(INNER_KEYS), inner),
    max_leaves=10,
)


@given(st.dictionaries(st.sampled_from(KEYS), JSON))
def test_no_shape_whatever_makes_reading_fail(body):
    assert answer_to(body).received == json.dumps(body)
