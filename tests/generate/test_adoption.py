"""A response that was pulled is adopted as the answer that it was written from, and gives the same bytes again."""

import json
from typing import cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graph_evaluator.generate.adoption import (
    UNKNOWN_REQUEST,
    EarlierRun,
    adopt,
    rows_of_response,
)
from graph_evaluator.generate.ledger.rows import intact, stored_answer
from graph_evaluator.generate.responses import response_of
from graph_evaluator.records.json_text import pretty
from graph_evaluator.records.response import Answer, Measured, Usage
from graph_evaluator.records.run_results import PromptRef, Run
from tests.builders.api_bodies import response_body
from tests.builders.cases import cases
from tests.generate.asking import PROMPT, cells, config
from tests.generate.entries import open_ledger, paid

TEXTS = st.text() | st.sampled_from(
    ["{}", '{"a": [1e400, "\\ud800"]}', "null", "```json\n{}\n```", " "]
)
ENDS = st.sampled_from([None, "max_output_tokens", "content_filter", "odd"])


def calls_of(planned):
    return {call.fingerprint: call for call in planned.calls}


def body_of(text, refusal, end):
    """A body with any text and ending."""
    parts = [{"type": "output_text", "text": text}]
    if refusal is not None:
        parts.append({"type": "refusal", "refusal": refusal})
    output = [{"type": "message", "content": parts}]
    body = response_body(output=output, id=None, model="m-2026", service_tier="flex")
    if end is not None:
        body |= {"status": "incomplete", "incomplete_details": {"reason": end}}
    return json.dumps(body)


@given(st.lists(st.builds(body_of, TEXTS, st.none() | st.text(), ENDS), min_size=1, max_size=3))
def test_an_adopted_response_gives_the_same_bytes(bodies):
    (planned,) = cells(config(), unparsed_draws=len(bodies))
    calls = calls_of(planned)
    answers = {
        call.fingerprint: paid(
            call, body, latency_ms=12.25 if call.draw == 1 else None, attempts=call.draw
        )
        for call, body in zip(planned.calls, bodies, strict=True)
    }
    written = pretty(response_of(planned.with_answers(answers), {}).to_json())
    rows = rows_of_response(written, calls)
    assert all(map(intact, rows))
    taken = {row["fingerprint"]: stored_answer(row, calls[row["fingerprint"]]) for row in rows}
    assert pretty(response_of(planned.with_answers(taken), {}).to_json()) == written


def filled(record):
    """A value for every field of a record, each another one."""
    values = {}
    for number, (name, field) in enumerate(record.model_fields.items(), 2):
        kinds = cast("type", field.annotation)
        possible = [Usage(**filled(Usage))] if kinds is Usage else [name, number, number + 0.5]
        values[name] = next(value for value in possible if isinstance(value, kinds))
    return values


def test_no_measured_field_is_lost_on_adoption():
    (planned,) = cells(config())
    (call,) = planned.calls
    measured = Measured(**filled(Measured) | {"stated_usd": None})  # no file keeps it
    answer = Answer(status="success", fingerprint=call.fingerprint, measured=measured)
    written = pretty(response_of(planned.with_answers({call.fingerprint: answer}), {}).to_json())
    (row,) = rows_of_response(written, calls_of(planned))
    assert stored_answer(row, call).measured == measured


def test_a_row_that_an_earlier_version_adopted_reads_as_before():
    """It has a body of the Responses API, whichever API gave the answer."""
    (planned,) = cells(config(api="chat_completions"))
    body = {"object": "response", "status": "completed", "output": [], "usage": {}}
    found = paid(planned.calls[0], json.dumps(body), source="adopted")
    assert (found.status, found.failure_code) == ("parse_failed", "empty_output")


ANSWERED = {
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
def test_a_response_whose_json_was_written_anew_is_adopted(tmp_path, separators):
    content = json.dumps(ANSWERED, separators=separators).encode()
    with open_ledger(tmp_path) as ledger:
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
def test_what_is_not_the_answer_to_a_known_request_is_not_adopted(changed):
    assert len(rows_of_response(pretty(ANSWERED), {})) == 1
    assert rows_of_response(pretty(ANSWERED | changed), {}) == []


def test_a_response_of_another_prompt_is_adopted_under_its_own_fingerprint():
    """So is every answer of one that a second turn repaired: earlier versions had such."""
    (planned,) = cells(config())
    first = ANSWERED | {"fingerprint": planned.fingerprints[0]}
    content = pretty(ANSWERED | {"earlier_draws": [first], "repair": {"message": "Again."}})
    known, other = rows_of_response(content, calls_of(planned))
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


(MISSING,) = [planned.calls[0] for planned in cells(config("m"))]


def record(**changed):
    """A record of an older version, of the missing cell unless `changed` says otherwise."""
    fields = {
        "run_id": "p-1",
        "git_sha": None,
        "tool_version": "1",
        "prompt": PromptRef(path=PROMPT.path, sha256=PROMPT.sha256),
        "models": {"m": "0"},
        "briefs": {MISSING.cell.brief_id: "0"},
        "samples": 1,
        "round": 1,
    }
    run = Run(**(fields | changed))
    return EarlierRun(source="a", folder_md5="0.dir", run=run)


OTHERS = {"models": {"n": "0"}, "briefs": {}}


@cases(
    "of_run, may_hold",
    {
        "the answer by its fingerprint": (
            record(answers={"n": f"00 {MISSING.fingerprint[:12]}"}, **OTHERS),
            True,
        ),
        "other answers": (record(answers={"m": "0" * 12}), False),
        "another model and brief": (record(**OTHERS), True),
        "simulated models alone": (record(simulated_models=("m",)), False),
        "another prompt": (record(prompt=PromptRef(path=PROMPT.path, sha256="c" * 64)), False),
        "another round": (record(round=2), False),
        "nothing is known": (EarlierRun(source="a", folder_md5="0.dir", run=None), True),
    },
)
def test_a_record_that_may_hold_the_answer_to_a_missing_call_is_read(of_run, may_hold):
    assert of_run.may_hold([MISSING]) == may_hold
