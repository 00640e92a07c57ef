import json

import pytest

from graph_evaluator.generate.answers import read_answer
from graph_evaluator.generate.calls.outcome import (
    Limit,
    fault_of_error,
    fault_of_no_answer,
    limits_of,
    requested_wait_s,
)
from graph_evaluator.generate.replies import NoAnswer
from graph_evaluator.records.json_text import JsonValue
from tests.builders.cases import cases
from tests.generate.calls.examples import call

DAY = "Mon, 01 Jun 2026"


def of(status, code="", *, message="m"):
    body: JsonValue = {"error": {"code": code or None, "type": None, "message": message}}
    return fault_of_error(status, body, {}, "MY_KEY")


@pytest.mark.parametrize(
    ("status", "code", "expected", "scope"),
    [
        (413, "", "invalid_request", "cell"),
        (301, "", "invalid_request", "cell"),
        (403, "model_not_found", "invalid_request", "cell"),
        (402, "", "quota_exceeded", "key"),
        (429, "billing_hard_limit_reached", "quota_exceeded", "key"),
        (403, "billing_not_active", "quota_exceeded", "key"),
        (429, "", "rate_limited", "call"),
        (500, "insufficient_quota", "server_error", "call"),
        (501, "", "server_error", "cell"),
        (400, "API_KEY_INVALID", "auth_failed", "key"),
        (200, "authentication_error", "auth_failed", "key"),
        (200, "PERMISSION_DENIED", "auth_failed", "key"),
        (200, "Throttling.RateQuota", "rate_limited", "call"),
        (200, "invalid_request_error", "invalid_request", "cell"),
        (200, "NOT_FOUND", "invalid_request", "cell"),
        (200, "overloaded_error", "server_error", "call"),
    ],
)
def test_a_status_and_a_code_say_what_can_be_done(status, code, expected, scope):
    fault = of(status, code)
    assert fault.status == expected
    assert fault.scope == scope


def test_a_request_that_no_limit_lets_pass_is_not_tried_again():
    message = "Request too large for gpt: Limit 30000, Requested 40000"
    fault = of(429, "rate_limit_exceeded", message=message)
    assert fault.status == "invalid_request"
    assert fault.scope == "cell"


@cases(
    "status, code, words",
    {
        "a redirect": (307, "", "base_url"),
        "a refused key": (401, "invalid_api_key", "MY_KEY"),
        "a dead quota": (429, "insufficient_quota", "credit"),
    },
)
def test_a_message_says_what_to_do_and_repeats_no_key(status, code, words):
    message = of(status, code, message="Incorrect API key provided: canary*****1234").message
    assert words in message
    assert status != 401 or "canary" not in message


@pytest.mark.parametrize(
    "body", [None, "", "<html>", [], {"error": None}, {"error": [1]}, {"code": "x" * 65}]
)
def test_an_error_body_may_be_anything(body):
    assert fault_of_error(500, body, {}).code == "http_500"


@pytest.mark.parametrize(
    ("headers", "expected"),
    [
        ({"retry-after": "2"}, 2.0),
        ({"retry-after-ms": "250", "retry-after": "9"}, 0.25),
        ({"retry-after": "soon"}, None),
        ({"retry-after": f"{DAY} 08:00:36 GMT", "date": f"{DAY} 08:00:06 GMT"}, 30.0),
        ({"retry-after": f"{DAY} 08:00:00 GMT", "date": f"{DAY} 09:00:00 GMT"}, 0.0),
        ({"retry-after": f"{DAY} 08:00:36 GMT"}, None),
        ({"retry-after": "Mon Jun  1 08:00:36 2026", "date": f"{DAY} 08:00:06 GMT"}, 30.0),
        ({"retry-after": "1m30s"}, 90.0),
        ({"retry-after": "nan"}, None),
        ({}, None),
    ],
)
def test_the_wait_that_a_server_asks_for(headers, expected):
    assert requested_wait_s(headers) == expected


@pytest.mark.parametrize("delay", ["36.5s", 36.5, {"seconds": "36.5"}])
def test_the_wait_in_the_details_of_an_error_counts_like_the_header(delay):
    error: JsonValue = [
        {"error": {"code": 429, "message": "m", "details": [{"retryDelay": delay}]}}
    ]
    fault = fault_of_error(429, error, {"retry-after": "2"})
    assert (fault.status, fault.wait_s, fault.message) == ("rate_limited", 36.5, "HTTP 429: m")


@pytest.mark.parametrize(
    "limit", ["tokens per day", "free-models-per-day", "UserByModelByDay", "1000 calls / month"]
)
def test_a_limit_that_a_run_does_not_outlast_is_a_quota(limit):
    assert of(429, message=f"Rate limit exceeded: {limit}").status == "quota_exceeded"


@cases(
    "body, message",
    {
        "a text and a code": ({"code": 402, "error": "no credit"}, "no credit"),
        "a list": (
            {"success": False, "errors": [{"code": 402, "message": "no money"}]},
            "no money",
        ),
        "an error in an error": ({"error": {"error": {"code": 402, "message": "deep"}}}, "deep"),
        "no error beside a message": ({"error": None, "code": 402, "message": "none"}, "none"),
    },
)
def test_an_error_has_many_shapes(body, message):
    fault = fault_of_error(200, body, {})
    assert fault.status == "quota_exceeded"
    assert fault.message.startswith(f"HTTP 200 with the error 402: {message}")


def test_rate_limit_headers_are_read():
    headers = {
        "x-ratelimit-remaining-requests": "59",
        "x-ratelimit-reset-requests": "1m0.5s",
        "x-ratelimit-remaining-tokens": "149984",
        "x-ratelimit-reset-tokens": "6ms",
    }
    assert limits_of(headers) == (Limit(59, 60.5), Limit(149984, 0.006))
    del headers["x-ratelimit-reset-requests"]
    assert limits_of(headers)[0] is None


def failed(error):
    return json.dumps({"status": "failed", "output": [], "error": error})


def fault_of_body(body):
    """Why a body with HTTP 200 is no answer."""
    try:
        read_answer(body, latency_ms=None, attempts=1, created_at=None)
    except NoAnswer as error:
        return fault_of_no_answer(error, body)
    return None


@cases(
    "body, status",
    {
        "an error with 200": ('{"error": {"code": "overloaded"}}', "server_error"),
        "failed": (failed({"code": "server_error", "message": "m"}), "server_error"),
        "failed for the quota": (failed({"code": "insufficient_quota"}), "quota_exceeded"),
        "failed for the prompt": (failed({"code": "invalid_prompt"}), None),
        "a list with an error": (
            '[{"error": {"code": 404, "message": "no model"}}]',
            "invalid_request",
        ),
        "an error at the top": ('{"code": 401, "msg": "no key"}', "auth_failed"),
        "an error with a detail": ('{"detail": "worker died"}', "server_error"),
        "a message of another API": ('{"message": {"content": "{}"}}', "server_error"),
        "a limit with 200": ('{"error": {"code": "429", "message": "slow down"}}', "rate_limited"),
        "failed with a text": (failed("oops"), "server_error"),
        "an error after no text": (
            '{"choices": [{"message": {"content": ""}}], "error": {"code": 429}}',
            "rate_limited",
        ),
        "cut off by the model": ('{"output": [], "status": "incomplete"}', None),
        "empty": ('{"output": [], "status": "completed", "error": null}', None),
        "a lone surrogate": ('{"output": [{"text": "\\ud800"}]}', None),
    },
)
def test_a_body_may_be_no_answer_or_say_itself_that_it_failed(body, status):
    fault = fault_of_body(body)
    assert (fault.status if fault else None) == status
    assert fault is None or fault.status != "server_error" or fault.scope in ("call", "once")


@cases(
    "body, arrived",
    {
        "event stream": ('event: x\ndata: {"choices": []}', "an event stream"),
        "JSON and an event": ('{"output": []}\n\ndata: {}\n\n', '"data: {}"'),
        "page": (
            "<!DOCTYPE html><title>Sign in</title><p>x",
            'an HTML page instead of an answer: "Sign in"',
        ),
        "page after white space": (" " * 3_000 + "<title>Sign in</title>", '"Sign in"'),
        "comments of a stream": (": PROCESSING\r\n\r\ndata: {}", "an event stream"),
        "nothing": (" ", "an empty body"),
        "text": ("upstream connect error", '"upstream connect error"'),
        "NaN": ('{"output": [NaN]}', "NaN is not JSON"),
        "no choices": ('{"choices": [], "usage": {"total_tokens": 9}}', "no choices"),
        "another API": ('{"content": [], "stop_reason": "end_turn"}', '"content, stop_reason"'),
    },
)
def test_a_message_says_what_arrived_in_place_of_an_answer(body, arrived):
    fault = fault_of_body(body)
    assert fault is not None
    assert arrived in fault.message
    assert fault.body == body


BILLED = '{"choices": [], "usage": {"prompt_tokens": 5, "completion_tokens": 100000}}'


@cases(
    "body, cost_usd",
    {
        "no choices": (BILLED, 1.0),
        "an event stream": (f'data: {{"usage": null}}\n\ndata: {BILLED}\n\ndata: [DONE]', 1.0),
        "text after JSON": (BILLED + "\n\ndata: [DONE]", 1.0),
        "NaN": (BILLED.replace("[]", "[NaN]"), 1.0),
        "a usage in the model's text": ('{"text": "\\"usage\\": {\\"prompt_tokens\\": 1}"', None),
        "no usage": ("{}", None),
    },
)
def test_what_an_unusable_reply_cost_is_known_by_its_usage_alone(body, cost_usd):
    fault = fault_of_body(body)
    assert fault is not None
    assert fault.cost_usd(call()) == cost_usd
    assert of(429).cost_usd(call()) == 0.0
