"""A response that was pulled is adopted as the answer that it was written from, and gives the same bytes again."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stages.generate.ledger.adoption import UNKNOWN_REQUEST, adopt, rows_of_response
from stages.generate.ledger.rows import answer_of, intact
from stages.generate.plan.cells import by_fingerprint, state_of
from stages.generate.responses import response_of
from stages.shared.records.json_text import pretty
from tests.builders.cases import cases
from tests.generate.asking import cells, config
from tests.generate.entries import open_ledger, paid

TEXTS = st.text() | st.sampled_from(
    ["{}", '{"a": [1e400, "\\ud800"]}', "null", "```json\n{}\n```", " "]
)
CUTS = ("max_output_tokens", "content_filter", "odd")
ENDINGS: list[dict[str, Any]] = [
    {"status": "completed"},
    *({"status": "incomplete", "incomplete_details": {"reason": cut}} for cut in CUTS),
]


COUNTS = st.integers(0, 10**6) | st.none()


@st.composite
def bodies(draw: st.DrawFn, api: str) -> dict[str, Any]:
    """A body of an API, with any text, ending and usage."""
    text, refusal = draw(TEXTS), draw(st.none() | st.text())
    names = ("input", "output") if api == "responses" else ("prompt", "completion")
    usage: dict[str, Any] = {f"{name}_tokens": draw(COUNTS) for name in names}
    usage |= {f"{names[0]}_tokens_details": {"cached_tokens": draw(COUNTS)}}
    about: dict[str, Any] = {
        "id": draw(st.sampled_from(["1", None])),
        "model": "m-2026",
        "usage": usage,
    }
    about |= {"service_tier": draw(st.sampled_from(["flex", None]))}
    if api == "chat_completions":
        finish = draw(st.sampled_from(["stop", "length", "content_filter"]))
        choice = {"message": {"content": text, "refusal": refusal}, "finish_reason": finish}
        return about | {"choices": [choice]}
    parts = [{"type": "output_text", "text": text}]
    if refusal is not None:
        parts.append({"type": "refusal", "refusal": refusal})
    ending: dict[str, Any] = draw(st.sampled_from(ENDINGS))
    output = [{"type": "message", "content": parts}]
    return {**about, **ending, "output": output}


@pytest.mark.parametrize("api", ["responses", "chat_completions"])
@given(data=st.data())
def test_an_adopted_response_gives_the_same_bytes(api: str, data: st.DataObject) -> None:
    drawn_bodies = data.draw(st.lists(bodies(api), min_size=1, max_size=3))
    (planned,) = cells(config(api=api), unparsed_draws=len(drawn_bodies))
    answers = {
        call.fingerprint: paid(
            call, json.dumps(body), latency_ms=12.25 if call.draw == 1 else None, attempts=call.draw
        )
        for call, body in zip(planned.calls, drawn_bodies, strict=True)
    }
    written = pretty(response_of(state_of(planned, answers), {}).to_json())
    rows = rows_of_response(written, by_fingerprint([planned]))
    assert all(map(intact, rows))
    calls = by_fingerprint([planned])
    taken = {row["fingerprint"]: answer_of(row, calls[row["fingerprint"]]) for row in rows}
    assert pretty(response_of(state_of(planned, taken), {}).to_json()) == written


def test_a_row_that_an_earlier_version_adopted_reads_as_before() -> None:
    """It has a body of the Responses API, whichever API gave the answer."""
    (planned,) = cells(config(api="chat_completions"))
    body = {"object": "response", "status": "completed", "output": [], "usage": {}}
    found = paid(planned.calls[0], json.dumps(body), source="adopted")
    assert (found.status, found.failure_code) == ("parse_failed", "empty_output")


ANSWERED: dict[str, Any] = {
    "model_id": "m",
    "brief_id": "b1",
    "sample": 1,
    "status": "success",
    "raw_text": "{}",
    "created_at": "2026-01-01T00:00:00Z",
    "attempts": 1,
    "fingerprint": "f" * 64,
    "request": {"api": "responses", "model": "m"},
}


@pytest.mark.parametrize("separators", [(",", ":"), (", ", " : ")])
def test_a_response_whose_json_was_written_anew_is_adopted(
    tmp_path: Path, separators: tuple[str, str]
) -> None:
    content = json.dumps(ANSWERED, separators=separators).encode()
    with open_ledger(tmp_path) as ledger:
        ledger.begin_calls()
        assert adopt([content], {}, ledger)
        assert ledger.present(["f" * 64]) == {"f" * 64}


@cases(
    "changed",
    {
        "another request": {"fingerprint": "another", "request": {}},
        "no fingerprint": {"fingerprint": None},
        "a recorded answer": {"fingerprint": "recorded:1"},
        "no answer": {"status": "server_error"},
        "no time": {"created_at": None},
        "no response": {"sample": "1"},
    },
)
def test_what_is_not_the_answer_to_a_known_request_is_not_adopted(changed: dict[str, Any]) -> None:
    assert len(rows_of_response(pretty(ANSWERED), {})) == 1
    assert rows_of_response(pretty(ANSWERED | changed), {}) == []


def test_a_response_of_another_prompt_is_adopted_under_its_own_fingerprint() -> None:
    """So is every answer of one that a second turn repaired: earlier versions had such."""
    (planned,) = cells(config())
    first = ANSWERED | {"fingerprint": planned.fingerprints[0]}
    content = pretty(ANSWERED | {"earlier_draws": [first], "repair": {"message": "Again."}})
    known, other = rows_of_response(content, by_fingerprint([planned]))
    assert (known["fingerprint"], known["request"]) == (
        first["fingerprint"],
        planned.calls[0].canonical,
    )
    assert (other["fingerprint"], other["model"], other["request"]) == (
        "f" * 64,
        "m",
        UNKNOWN_REQUEST,
    )
    assert intact(other)
