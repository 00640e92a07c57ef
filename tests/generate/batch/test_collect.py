"""The meaning of a line of an output or error file."""

import json
from typing import Any

from stages.generate.batch.client import read_line
from stages.generate.calls.faults import Fault
from stages.generate.plan.call import Endpoint
from tests.builders.cases import cases

HERE = Endpoint(provider="openai")


def line(**fields: Any) -> str:
    return json.dumps({"id": "batch_req_1", "custom_id": "c", **fields})


def answered(status: int, body: str) -> str:
    return f'{{"custom_id": "c", "error": null, "response": {{"status_code": {status}, "body": {body}}}}}'


@cases(
    "written, status",
    {
        "an answer of the other API": (
            answered(200, '{"choices": [{"message": {"content": "x"}}]}'),
            "invalid_request",
        ),
        "bad key": (answered(401, "{}"), "auth_failed"),
        "no quota": (answered(429, '{"error": {"code": "insufficient_quota"}}'), "quota_exceeded"),
        "a body of another shape": (answered(200, "{}"), "server_error"),
        "an answer that says it failed": (
            answered(200, '{"status": "failed", "output": [], "error": {"code": "server_error"}}'),
            "server_error",
        ),
        "expired": (
            line(response=None, error={"code": "batch_expired", "message": "too late"}),
            "timeout_failed",
        ),
        "cancelled": (line(response=None, error={"code": "batch_cancelled"}), "server_error"),
        "no quota, as an error": (line(error={"code": "insufficient_quota"}), "quota_exceeded"),
        "neither answer nor error": (line(), "server_error"),
    },
)
def test_what_is_no_answer_has_a_reason(written: str, status: str) -> None:
    _, fault = read_line(written, HERE) or ("", None)
    assert isinstance(fault, Fault)
    assert fault.status == status


@cases(
    "written",
    {
        "empty": "",
        "white space": "  \r\n",
        "cut": '{"custom_id": ',
        "no id": '{"response": null}',
        "an id that is no text": '{"custom_id": 7}',
        "absurd nesting": "[" * 50_000,
    },
)
def test_a_line_that_names_no_request_is_no_line(written: str) -> None:
    assert read_line(written, HERE) is None
