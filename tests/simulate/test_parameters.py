from typing import Any

import pytest

from stages.simulate.api_error import Rejected
from stages.simulate.asking import read_chat, read_responses
from tests.simulate.requests import body

REJECTED: dict[str, tuple[bytes, int, str | None, str | None]] = {
    "not JSON": (b"{", 400, None, None),
    "no object": (b"[]", 400, None, None),
    "not UTF-8": (b'{"model": "\xff"}', 400, None, None),
    "no model": (body(model=None), 400, "missing_required_parameter", "model"),
    "unknown model": (body(model="gpt-9"), 404, "model_not_found", "model"),
    "no input": (body(input=None), 400, "missing_required_parameter", "input"),
    "input of the wrong kind": (body(input=5), 400, "invalid_type", "input"),
    "unknown parameter": (body(temprature=0), 400, "unknown_parameter", "temprature"),
    "unknown inner parameter": (body(reasoning={"efort": "low"}), 400, "unknown_parameter", "reasoning.efort"),
    "temperature as text": (body(temperature="0"), 400, "invalid_type", "temperature"),
    "temperature too high": (body(temperature=2.5), 400, "decimal_above_max_value", "temperature"),
    "max_output_tokens too low": (body(max_output_tokens=3), 400, "integer_below_min_value", "max_output_tokens"),
    "max_output_tokens a boolean": (body(max_output_tokens=True), 400, "invalid_type", "max_output_tokens"),
    "unknown effort": (body(reasoning={"effort": "huge"}), 400, "invalid_value", "reasoning.effort"),
    "temperature for a reasoning model": (
        body(model="sim-deep", temperature=0),
        400,
        "unsupported_parameter",
        "temperature",
    ),
    "effort for another model": (body(reasoning={"effort": "low"}), 400, "unsupported_parameter", "reasoning.effort"),
    "streaming": (body(stream=True), 400, "unsupported_value", "stream"),
    "tools": (body(tools=[{"type": "web_search"}]), 400, "unsupported_value", "tools"),
    "message without a role": (body(input=[{"content": "x"}]), 400, "invalid_value", "input[0].role"),
    "message without text": (body(input=[{"role": "user", "content": 1}]), 400, "invalid_value", "input[0].content"),
}


@pytest.mark.parametrize(("content", "status", "code", "param"), REJECTED.values(), ids=REJECTED.keys())
def test_a_bad_request_is_rejected_as_the_api_does(
    content: bytes, status: int, code: str | None, param: str | None
) -> None:
    with pytest.raises(Rejected) as caught:
        read_responses(content, "1/1/1")
    error = caught.value.error
    assert (error.status, error.code, error.param) == (status, code, param)


def test_an_unknown_model_is_told_which_ones_there_are() -> None:
    with pytest.raises(Rejected, match=r"drill-calls, .*sim-careful, .*sim-sloppy"):
        read_responses(body(model="sim-carefull"), "1/1/1")


def test_null_stands_for_a_parameter_that_is_not_given() -> None:
    assert read_responses(b'{"model":"sim-deep","input":"x","temperature":null}', "1/1/1").asked.input == "x"


def test_messages_are_told_apart_by_role() -> None:
    given: list[dict[str, Any]] = [
        {"role": "developer", "content": "Rules."},
        {"role": "user", "content": [{"type": "input_text", "text": "Tea?"}]},
    ]
    asked = read_responses(body(instructions=None, input=given), "1/1/1").asked
    assert (asked.instructions, asked.input) == ("Rules.", "Tea?")


def test_chat_messages_are_the_same_question() -> None:
    messages = b'[{"role":"system","content":"Rules."},{"role":"user","content":"Tea?"}]'
    asked = read_chat(b'{"model":"sim-careful","max_completion_tokens":900,"messages":%s}' % messages, "1/1/1").asked
    assert (asked.instructions, asked.input, asked.max_output_tokens) == ("Rules.", "Tea?", 900)
