"""A response that was pulled is adopted as the answer that it was written from, and gives the same bytes again."""

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from stages.generate.ledger.adoption import UNKNOWN_REQUEST, answers_of_response
from stages.generate.ledger.rows import answer_of, intact, row_of
from stages.generate.plan.cells import by_fingerprint
from stages.generate.plan.work import state_of
from stages.generate.responses.response import response_of
from stages.shared.records.json_text import pretty
from stages.shared.records.response import Response
from tests.builders.cases import cases
from tests.generate.asking import cells, config
from tests.generate.entries import paid

TEXTS = st.text() | st.sampled_from(
    ["{}", '{"a": [1e400, "\\ud800"]}', "null", "```json\n{}\n```", " "]
)
CUTS = ("max_output_tokens", "content_filter", "odd")
ENDINGS: list[dict[str, Any]] = [
    {"status": "completed"},
    *({"status": "incomplete", "incomplete_details": {"reason": cut}} for cut in CUTS),
]


def counts(*names: str, **details: Any) -> st.SearchStrategy[dict[str, Any]]:
    """Any of these counts, and any of these details."""
    number = st.integers(0, 10**6)
    return st.fixed_dictionaries({}, optional=dict.fromkeys(names, number) | details)


RESPONSE_USAGE = counts(
    "input_tokens",
    "output_tokens",
    input_tokens_details=counts("cached_tokens", "cache_write_tokens"),
    output_tokens_details=counts("reasoning_tokens"),
)


@st.composite
def response_bodies(draw: st.DrawFn) -> dict[str, Any]:
    text = {"type": "output_text", "text": draw(TEXTS)}
    refusal = {"type": "refusal", "refusal": draw(st.text())}
    content = draw(st.sampled_from([[text], [text, refusal]]))
    body = {
        "id": draw(st.sampled_from(["resp_1", None])),
        "model": "m-2026",
        "service_tier": draw(st.sampled_from(["flex", None])),
        "output": [{"type": "reasoning"}, {"type": "message", "content": content}],
        "usage": draw(RESPONSE_USAGE),
    }
    ending: dict[str, Any] = draw(st.sampled_from(ENDINGS))
    return body | ending


@st.composite
def completion_bodies(draw: st.DrawFn) -> dict[str, Any]:
    message = {"content": draw(st.none() | TEXTS), "refusal": draw(st.none() | st.text())}
    finish = draw(st.sampled_from(["stop", "length", "content_filter"]))
    return {
        "model": "m-2026",
        "choices": [{"message": message, "finish_reason": finish}],
        "usage": draw(counts("prompt_tokens", "completion_tokens")),
    }


def bodies(api: str) -> st.SearchStrategy[tuple[str, list[dict[str, Any]]]]:
    one = response_bodies() if api == "responses" else completion_bodies()
    return st.tuples(st.just(api), st.lists(one, min_size=1, max_size=3))


@given(bodies("responses") | bodies("chat_completions"))
def test_an_adopted_response_gives_the_same_bytes(drawn: tuple[str, list[dict[str, Any]]]) -> None:
    api, drawn_bodies = drawn
    (planned,) = cells(config(api=api), unparsed_draws=len(drawn_bodies))
    answers = {
        key: paid(key, json.dumps(body), latency_ms=None if number else 12.25, attempts=number + 1)
        for number, (key, body) in enumerate(zip(planned.fingerprints, drawn_bodies, strict=True))
    }
    written = response_of(state_of(planned, answers))
    rows = [row_of(entry) for entry in answers_of_response(written, by_fingerprint([planned]))]
    assert all(map(intact, rows))
    taken = {answer.fingerprint: answer for answer in map(answer_of, rows)}
    assert {answer.source for answer in taken.values()} == {"adopted"}
    again = response_of(state_of(planned, taken))
    assert pretty(again.to_json()) == pretty(written.to_json())


ANSWERED: dict[str, Any] = {
    "model_id": "m",
    "brief_id": "b1",
    "sample": 1,
    "status": "success",
    "raw_text": "{}",
    "created_at": "2026-01-01T00:00:00Z",
    "attempts": 1,
}


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
    known = by_fingerprint([planned])
    whole = ANSWERED | {"fingerprint": planned.fingerprints[0]}
    assert len(list(answers_of_response(Response(**whole), known))) == 1
    assert list(answers_of_response(Response(**(whole | changed)), known)) == []


def test_a_response_of_another_prompt_is_adopted_under_its_own_fingerprint() -> None:
    fields = {"fingerprint": "f" * 64, "request": {"api": "responses", "model": "m"}}
    (entry,) = answers_of_response(Response(**(ANSWERED | fields)), {})
    assert entry.fingerprint == "f" * 64
    assert entry.model == "m"
    assert entry.request == UNKNOWN_REQUEST
    assert intact(row_of(entry))


def test_every_answer_of_a_response_that_a_second_turn_repaired_is_adopted() -> None:
    """Earlier versions could send an answer back once, and kept what that changed."""
    (planned,) = cells(config())
    first = ANSWERED | {"fingerprint": planned.fingerprints[0]}
    turn = {"fingerprint": "f" * 64, "request": {"model": "m"}, "earlier_draws": [first]}
    response = Response.read(ANSWERED | turn | {"repair": {"message": "Again."}})
    adopted = answers_of_response(response, by_fingerprint([planned]))
    assert [answer.fingerprint for answer in adopted] == [planned.fingerprints[0], "f" * 64]
