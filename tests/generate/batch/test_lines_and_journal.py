"""The lines of input and output files, and the journal of batches."""

import json
import shutil
from contextlib import closing
from unittest import mock

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graph_evaluator.generate.batch import journal
from graph_evaluator.generate.batch.client import read_line
from graph_evaluator.generate.batch.journal import (
    FILE,
    BatchJournal,
    fingerprints_out,
    line_of,
    new_batches,
    open_batches,
)
from graph_evaluator.generate.calls.outcome import Fault
from graph_evaluator.generate.plan.call import Endpoint
from graph_evaluator.records.errors import LedgerError
from tests.builders.cases import cases
from tests.generate.calls.examples import call
from tests.generate.earlier_projects import EARLIER_VERSIONS

HERE = Endpoint(provider="openai")
CHAT = Endpoint(provider="openai", api="chat_completions")


@cases(
    "endpoint, path",
    {
        "new": (HERE, "/v1/responses"),
        "old": (CHAT, "/v1/chat/completions"),
    },
)
def test_a_line_asks_for_the_call(endpoint, path):
    asked = call(endpoint=endpoint)
    assert json.loads(line_of(asked)) == {
        "custom_id": asked.fingerprint,
        "method": "POST",
        "url": path,
        "body": asked.body(in_batch=True),
    }


def test_a_batch_has_one_model_and_one_endpoint():
    calls = [call("a"), call("a", model="n"), call("b"), call("c", endpoint=CHAT)]
    found = [(batch.endpoint.api, batch.model, len(batch.calls)) for batch in new_batches(calls)]
    assert found == [("responses", "m", 2), ("responses", "n", 1), ("chat_completions", "m", 1)]


@given(
    st.lists(st.integers(0, 300), max_size=20, unique=True),
    st.integers(1, 6),
    st.integers(400, 2_000),
)
def test_every_call_is_in_exactly_one_batch_within_the_limits(lengths, requests, size):
    calls = [call("x" * length) for length in lengths]
    with mock.patch.multiple(journal, MOST_REQUESTS=requests, MOST_BYTES=size):
        parts = [list(batch.calls.values()) for batch in new_batches(calls)]
    assert [entry for part in parts for entry in part] == calls
    assert all(len(part) <= requests for part in parts)
    assert all(sum(len(line_of(one)) for one in part) <= size or len(part) == 1 for part in parts)


def line(**fields):
    return json.dumps({"id": "batch_req_1", "custom_id": "c", **fields})


def answered(status, body):
    return f'{{"custom_id": "c", "error": null, "response": {{"status_code": {status}, "body": {body}}}}}'


@pytest.mark.parametrize("error", [None, {}, "", {"code": None, "message": ""}])
def test_an_answer_counts_although_its_line_has_an_empty_error(error):
    written = line(error=error, response={"status_code": 200, "body": {"choices": []}})
    assert read_line(written, None) == ("c", '{"choices":[]}\n')


FILTERED = {"code": "content_filter"}


@cases(
    "fields, body",
    {
        "a refusal as an error": ({"response": None, "error": FILTERED}, {"error": FILTERED}),
        "a refusal as both": (
            {"response": {"status_code": 400, "body": {"error": FILTERED}}, "error": {"code": "x"}},
            {"error": FILTERED},
        ),
        "a body as a text": (
            {"response": {"status_code": 200, "body": '{"choices": []}'}},
            {"choices": []},
        ),
    },
)
def test_an_answer_has_many_places_in_a_line(fields, body):
    _, reply = read_line(line(**fields), None) or ("", "")
    assert isinstance(reply, str)
    assert json.loads(reply) == body


@cases(
    "written, status",
    {
        "bad key": (answered(401, "{}"), "auth_failed"),
        "no quota": (answered(429, '{"error": {"code": "insufficient_quota"}}'), "quota_exceeded"),
        "expired": (
            line(response=None, error={"code": "batch_expired", "message": "too late"}),
            "timeout_failed",
        ),
        "cancelled": (line(response=None, error={"code": "batch_cancelled"}), "server_error"),
        "no quota, as an error": (line(error={"code": "insufficient_quota"}), "quota_exceeded"),
        "neither answer nor error": (line(), "server_error"),
    },
)
def test_what_is_no_answer_has_a_reason(written, status):
    _, fault = read_line(written, None) or ("", None)
    assert isinstance(fault, Fault)
    assert fault.status == status


@cases(
    "written",
    {
        "an error without content": answered(200, "{}").replace("null", "{}"),
        "a prompt that a filter refuses": answered(400, '{"error": {"code": "content_filter"}}'),
    },
)
def test_a_line_with_a_body_is_read_by_its_body(written):
    _, body = read_line(written, None) or ("", None)
    assert body == f"{json.dumps(json.loads(written)['response']['body'], separators=(',', ':'))}\n"


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
def test_a_line_that_names_no_request_is_no_line(written):
    assert read_line(written, None) is None


def test_a_damaged_journal_is_named_and_kept(tmp_path):
    (tmp_path / FILE).write_bytes(b"no database " * 1_000)
    with pytest.raises(LedgerError, match=FILE):
        BatchJournal(tmp_path)
    assert (tmp_path / FILE).read_bytes().startswith(b"no database")


def test_a_journal_of_a_newer_version_is_not_touched(tmp_path):
    with closing(BatchJournal(tmp_path)) as opened:
        opened._connection.execute("PRAGMA user_version = 99")
    with pytest.raises(LedgerError, match="newer version"):
        BatchJournal(tmp_path)


@pytest.mark.parametrize("version", EARLIER_VERSIONS, ids=str)
def test_a_journal_of_an_earlier_version_is_read(tmp_path, version):
    shutil.copy(version.folder / "journal" / FILE, tmp_path / FILE)
    intended, uploaded, submitted = open_batches(tmp_path)
    team = Endpoint(
        provider="openai",
        url="http://127.0.0.1:47811/v1",
        key_env="A_KEY",
        headers_env=(("X-Team", "TEAM"),),
    )
    assert intended.key == "key-intended"
    assert intended.step == "intended"
    assert intended.endpoint == team
    assert uploaded.step == "uploaded"
    assert uploaded.noted_at == 1760000101.0
    assert submitted.batch_id == "batch_2"
    assert submitted.endpoint == Endpoint(provider="openai")
    assert submitted.fingerprints == ["c1" + "0" * 62, "c2" + "0" * 62]
    assert fingerprints_out(tmp_path) == {
        *intended.fingerprints,
        *uploaded.fingerprints,
        *submitted.fingerprints,
    }
