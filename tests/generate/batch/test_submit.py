"""Which calls are in one batch, and what the input file says."""

import json

from hypothesis import given
from hypothesis import strategies as st

from stages.generate.batch.journal import line_of, new_batches
from stages.generate.plan.call import Endpoint
from tests.builders.cases import cases
from tests.generate.calls.examples import call

HERE = Endpoint(provider="openai")
CHAT = Endpoint(provider="openai", api="chat_completions")


@cases(
    "endpoint, path",
    {
        "new": (HERE, "/v1/responses"),
        "old": (CHAT, "/v1/chat/completions"),
    },
)
def test_a_line_asks_for_the_call(endpoint: Endpoint, path: str) -> None:
    asked = call(endpoint=endpoint)
    assert json.loads(line_of(asked)) == {
        "custom_id": asked.fingerprint,
        "method": "POST",
        "url": path,
        "body": asked.body(in_batch=True),
    }


def test_a_line_is_one_line_whatever_the_brief_holds() -> None:
    assert line_of(call("a\nb\r\u2028c")).count(b"\n") == 1


def test_a_batch_has_one_model_and_one_endpoint() -> None:
    calls = [call("a"), call("a", model="n"), call("b"), call("c", endpoint=CHAT)]
    found = [(batch.endpoint.api, batch.model, len(batch.calls)) for batch in new_batches(calls)]
    assert found == [("responses", "m", 2), ("responses", "n", 1), ("chat_completions", "m", 1)]


@given(
    st.lists(st.integers(0, 300), max_size=20, unique=True),
    st.integers(1, 6),
    st.integers(400, 2_000),
)
def test_every_call_is_in_exactly_one_batch_within_the_limits(
    lengths: list[int], requests: int, size: int
) -> None:
    calls = [call("x" * length) for length in lengths]
    batches = new_batches(calls, most_requests=requests, most_bytes=size)
    parts = [list(batch.calls.values()) for batch in batches]
    assert [entry for part in parts for entry in part] == calls
    assert all(len(part) <= requests for part in parts)
    assert all(sum(len(line_of(one)) for one in part) <= size or len(part) == 1 for part in parts)
