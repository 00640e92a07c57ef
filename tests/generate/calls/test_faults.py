import json

import pytest

from graph_evaluator.generate.answers import NoAnswer, read_answer
from graph_evaluator.generate.calls.faults import (
    Limit,
    fault_of_error,
    fault_of_no_answer,
    limits_of,
    requested_wait_s,
)
from tests.builders.cases import cases


def of(status, code="", *, message="m"):
    body = {"error": {"code": code or None, "type": None, "message": message}}
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
        ({"retry-after": "nan"}, None),
        ({}, None),
    ],
)
def test_the_wait_that_a_server_asks_for(headers, expected):
    assert requested_wait_s(headers) == expected


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
        return fault_of_no_answer(error)
    return None


@cases(
    "body, status",
    {
        "a page": ("<html></html>", "server_error"),
        "an error with 200": ('{"error": {"code": "overloaded"}}', "server_error"),
        "failed": (failed({"code": "server_error", "message": "m"}), "server_error"),
        "failed for a limit": (failed({"code": "rate_limit_exceeded"}), "rate_limited"),
        "failed for the quota": (failed({"code": "insufficient_quota"}), "quota_exceeded"),
        "failed for the prompt": (failed({"code": "invalid_prompt"}), "invalid_request"),
        "failed with a text": (failed("oops"), "server_error"),
        "cut off by the model": ('{"output": [], "status": "incomplete"}', None),
        "empty": ('{"output": [], "status": "completed", "error": null}', None),
        "a lone surrogate": ('{"output": [{"text": "\\ud800"}]}', None),
    },
)
def test_a_body_may_be_no_answer_or_say_itself_that_it_failed(body, status):
    fault = fault_of_body(body)
    assert (fault.status if fault else None) == status
    assert fault is None or fault.status != "server_error" or fault.scope == "call"
