"""A response that was pulled is adopted as the answer that it was written from, and gives the same bytes again."""

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from stages.contracts.json_text import pretty
from stages.contracts.response import Response
from stages.generate.ledger.adoption import UNKNOWN_REQUEST, answers_of_response
from stages.generate.ledger.rows import answer_of, intact, row_of
from stages.generate.plan.cells import by_fingerprint
from stages.generate.plan.work import state_of
from stages.generate.responses.response import response_of
from tests.builders.cases import cases
from tests.generate.asking import cells, config
from tests.generate.entries import paid

TEXTS = st.text() | st.sampled_from(
    ["{}", '{"a": [1e400, "\\ud800"]}', "null", "```json\n{}\n```", " "]
)
COUNTS = st.none() | st.integers(0, 10**6)


def known(record: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in record.items() if value is not None}


@st.composite
def response_bodies(draw: st.DrawFn) -> dict[str, Any]:
    content: list[dict[str, Any]] = [{"type": "output_text", "text": draw(TEXTS)}]
    if draw(st.booleans()):
        content.append({"type": "refusal", "refusal": draw(st.text())})
    cut = draw(st.none() | st.sampled_from(["max_output_tokens", "content_filter", "odd"]))
    return {
        "id": draw(st.sampled_from(["resp_1", None])),
        "model": "m-2026",
        "service_tier": draw(st.sampled_from(["flex", None])),
        "status": "incomplete" if cut else "completed",
        "incomplete_details": {"reason": cut} if cut else None,
        "output": [{"type": "reasoning"}, {"type": "message", "content": content}],
        "usage": known({
            "input_tokens": draw(COUNTS),
            "output_tokens": draw(COUNTS),
            "input_tokens_details": known({"cached_tokens": draw(COUNTS), "cache_write_tokens": draw(COUNTS)}),
            "output_tokens_details": known({"reasoning_tokens": draw(COUNTS)}),
        }),
    }  # fmt: skip


@st.composite
def completion_bodies(draw: st.DrawFn) -> dict[str, Any]:
    message = {"content": draw(st.none() | TEXTS), "refusal": draw(st.none() | st.text())}
    finish = draw(st.sampled_from(["stop", "length", "content_filter"]))
    return {
        "model": "m-2026",
        "choices": [{"message": message, "finish_reason": finish}],
        "usage": known({"prompt_tokens": draw(COUNTS), "completion_tokens": draw(COUNTS)}),
    }


def adopted_bytes_are_the_same(api: str, bodies: list[dict[str, Any]]) -> None:
    (planned,) = cells(config(api=api), unparsed_draws=len(bodies))
    answers = {
        key: paid(key, json.dumps(body), latency_ms=None if number else 12.25, attempts=number + 1)
        for number, (key, body) in enumerate(zip(planned.fingerprints, bodies, strict=True))
    }
    written = response_of(state_of(planned, answers))
    rows = [row_of(entry) for entry in answers_of_response(written, by_fingerprint([planned]))]
    assert all(map(intact, rows))
    taken = {answer.fingerprint: answer for answer in map(answer_of, rows)}
    assert {answer.source for answer in taken.values()} == {"adopted"}
    again = response_of(state_of(planned, taken))
    assert pretty(again.to_json()) == pretty(written.to_json())


@given(st.lists(response_bodies(), min_size=1, max_size=3))
def test_a_response_of_the_responses_api_comes_back(bodies: list[dict[str, Any]]) -> None:
    adopted_bytes_are_the_same("responses", bodies)


@given(st.lists(completion_bodies(), min_size=1, max_size=3))
def test_a_response_of_chat_completions_comes_back(bodies: list[dict[str, Any]]) -> None:
    adopted_bytes_are_the_same("chat_completions", bodies)


@cases(
    "changed",
    {
        "another request": {"fingerprint": "another"},
        "no fingerprint": {"fingerprint": None},
        "no answer": {"status": "server_error"},
        "no time": {"created_at": None},
    },
)
def test_what_is_not_the_answer_to_this_request_is_not_adopted(changed: dict[str, Any]) -> None:
    (planned,) = cells(config())
    fields: dict[str, Any] = {
        "model_id": "m",
        "brief_id": "b1",
        "sample": 1,
        "status": "success",
        "raw_text": "{}",
        "fingerprint": planned.fingerprints[0],
        "created_at": "2026-01-01T00:00:00Z",
        "attempts": 1,
    }
    assert len(list(answers_of_response(Response(**fields), by_fingerprint([planned])))) == 1
    assert (
        list(answers_of_response(Response(**(fields | changed)), by_fingerprint([planned]))) == []
    )


def test_a_response_of_another_prompt_is_adopted_under_its_own_fingerprint() -> None:
    answered = Response(
        model_id="m", brief_id="b1", sample=1, status="success", raw_text="{}", fingerprint="f" * 64,
        created_at="2026-01-01T00:00:00Z", attempts=1, request={"api": "responses", "model": "m"},
    )  # fmt: skip
    (entry,) = answers_of_response(answered, {})
    assert (entry.fingerprint, entry.model, entry.request) == ("f" * 64, "m", UNKNOWN_REQUEST)
    assert intact(row_of(entry))
