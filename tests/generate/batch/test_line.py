"""What a line of an output or error file says."""

import json
from typing import Any

import pytest

from stages.generate.batch.line import BatchLine, read_line

GOOD = '{"object": "response", "output": [], "usage": {"total_tokens": 3}}'


def line(**fields: Any) -> bytes:
    return json.dumps({"id": "batch_req_1", "custom_id": "c", **fields}).encode()


def answered(status: int, body: str) -> bytes:
    return b'{"custom_id": "c", "error": null, "response": {"status_code": %d, "body": %s}}' % (status, body.encode())


def test_an_answer_comes_with_its_body_as_it_was() -> None:
    assert read_line(answered(200, GOOD), api="responses") == BatchLine("c", body=GOOD)


@pytest.mark.parametrize(
    ("written", "status"),
    [
        pytest.param(answered(400, '{"error": {"message": "bad"}}'), "invalid_request", id="bad request"),
        pytest.param(answered(401, "{}"), "auth_failed", id="bad key"),
        pytest.param(answered(429, '{"error": {"code": "insufficient_quota"}}'), "quota_exceeded", id="no quota"),
        pytest.param(answered(429, "{}"), "rate_limited", id="rate limit"),
        pytest.param(answered(500, "null"), "server_error", id="server error"),
        pytest.param(answered(200, "{}"), "server_error", id="a body of another shape"),
        pytest.param(
            answered(200, '{"status": "failed", "output": [], "error": {"code": "server_error"}}'),
            "server_error",
            id="an answer that says it failed",
        ),
        pytest.param(
            line(response=None, error={"code": "batch_expired", "message": "too late"}), "timeout_failed", id="expired"
        ),
        pytest.param(line(response=None, error={"code": "batch_cancelled"}), "server_error", id="cancelled"),
        pytest.param(line(error={"code": "insufficient_quota"}), "quota_exceeded", id="no quota, as an error"),
        pytest.param(line(), "server_error", id="neither answer nor error"),
    ],
)
def test_what_is_no_answer_has_a_reason(written: bytes, status: str) -> None:
    found = read_line(written, api="responses")
    assert found is not None
    assert found.fault is not None
    assert (found.body, found.fault.status) == (None, status)


@pytest.mark.parametrize(
    "written",
    [
        pytest.param(b"", id="empty"),
        pytest.param(b"  \r\n", id="white space"),
        pytest.param(b'{"custom_id": ', id="cut"),
        pytest.param(b'{"response": null}', id="no id"),
        pytest.param(b'{"custom_id": 7}', id="an id that is no text"),
        pytest.param(b"[" * 50_000, id="absurd nesting"),
        pytest.param(b'{"custom_id": "\xff"}', id="not UTF-8"),
    ],
)
def test_a_line_that_names_no_request_is_no_line(written: bytes) -> None:
    assert read_line(written, api="responses") is None


def test_numbers_of_the_body_are_not_touched() -> None:
    body = '{"output": [], "big": 1e400, "zero": -0.0, "long": 123456789012345678901234567890}'
    found = read_line(answered(200, body), api="responses")
    assert found is not None
    assert found.body == body
