import pytest

from stages.simulate.request import CHAT, RESPONSES, ApiError, read_request
from tests.builders.cases import cases
from tests.simulate.requests import body

REJECTED: dict[str, tuple[bytes, int, str | None, str | None]] = {
    "not JSON": (b"{", 400, None, None),
    "no object": (b"[]", 400, None, None),
    "not UTF-8": (b'{"model": "\xff"}', 400, None, None),
    "no model": (body(model=None), 400, "missing_required_parameter", "model"),
    "unknown model": (body(model="gpt-9"), 404, "model_not_found", "model"),
    "no input": (body(input=None), 400, "missing_required_parameter", "input"),
    "input of the wrong kind": (body(input=5), 400, "invalid_value", "input[0]"),
    "streaming": (body(stream=True), 400, "unsupported_value", "stream"),
    "message without a role": (body(input=[{"content": "x"}]), 400, "invalid_value", "input[0]"),
    "message without text": (
        body(input=[{"role": "user", "content": 1}]),
        400,
        "invalid_value",
        "input[0]",
    ),
}


@cases("content, status, code, param", REJECTED)
def test_a_bad_request_is_rejected(
    content: bytes, status: int, code: str | None, param: str | None
) -> None:
    with pytest.raises(ApiError) as caught:
        read_request(content, RESPONSES)
    assert (caught.value.status, caught.value.code, caught.value.param) == (status, code, param)


def test_the_message_for_an_unknown_model_lists_the_known_ones() -> None:
    with pytest.raises(ApiError, match=r"drill-calls, .*sim-careful, .*sim-sloppy"):
        read_request(body(model="sim-carefull"), RESPONSES)


def test_messages_are_divided_by_role() -> None:
    given = [
        {"role": "developer", "content": "Rules."},
        {"role": "user", "content": [{"type": "input_text", "text": "Tea?"}]},
    ]
    request = read_request(body(instructions=None, input=given), RESPONSES)
    assert (request.instructions, request.input) == ("Rules.", "Tea?")


def test_chat_messages_are_the_same_request() -> None:
    messages = b'[{"role":"system","content":"Rules."},{"role":"user","content":"Tea?"}]'
    request = read_request(
        b'{"model":"sim-careful","max_completion_tokens":900,"messages":%s}' % messages, CHAT
    )
    assert (request.instructions, request.input, request.max_output_tokens) == (
        "Rules.",
        "Tea?",
        900,
    )


def test_chat_asks_for_a_schema_in_its_own_way() -> None:
    form = b'{"type":"json_schema","json_schema":{"name":"g","schema":{"type":"object"}}}'
    content = (
        b'{"model":"sim-careful","messages":[{"role":"user","content":"x"}],"response_format":%s}'
        % form
    )
    request = read_request(content, CHAT)
    assert (request.json_only, request.schema) == (True, {"type": "object"})
