"""The same text is the same answer however it comes: called through either API, in a batch, from the ledger, or adopted from a response file."""

import json
from typing import Any

from graph_evaluator.generate.answers import read_answer
from graph_evaluator.generate.batch.client import read_line
from graph_evaluator.generate.ledger.rows import row_of, stored_answer
from graph_evaluator.generate.responses import response_of
from graph_evaluator.records.json_text import pretty
from graph_evaluator.shell.results import read_response
from tests.builders.answer_texts import ANSWER_TEXTS
from tests.builders.api_bodies import completion_body, response_body
from tests.builders.cases import cases
from tests.generate.asking import cells, config

CALLED: dict[str, Any] = {"latency_ms": 12.0, "attempts": 1, "created_at": "2026-01-01T00:00:00Z"}


def in_batch(body, cell):
    response = {"status_code": 200, "body": body}
    line = json.dumps({"custom_id": "a", "error": None, "response": response})
    _, received = read_line(line, None) or ("", "")
    return read_answer(str(received), cell.calls[0], in_batch=True, **CALLED | {"latency_ms": None})


def called(body, cell):
    return read_answer(json.dumps(body), cell.calls[0], **CALLED)


def stored(body, cell):
    return from_ledger(called(body, cell), cell.calls[0])


def adopted(body, cell):
    """The answer in a response file, kept in another ledger and read from it."""
    response = response_of(cell.with_answer(called(body, cell)), {})
    content = pretty(response.to_json())
    return from_ledger(read_response(content, file="").answer, cell.calls[0])


def from_ledger(answer, call):
    return stored_answer(row_of(answer, call.model, call.canonical), call)


@cases("make_body", {"Responses": response_body, "Chat Completions": completion_body})
@cases("way", {"called": called, "in a batch": in_batch, "stored": stored, "adopted": adopted})
@cases("schema", {"no schema": None, "a schema": {}})
def test_each_text_is_read_alike_on_every_way_in(schema, way, make_body):
    params = {} if schema is None else {"response_format": "json_schema"}
    (planned,) = cells(config(params=params), schema=schema)
    answers = {name: way(make_body(text), planned) for name, (text, _) in ANSWER_TEXTS.items()}
    graphs = {name: answer.graph for name, answer in answers.items()}
    assert graphs == {name: graph for name, (_, graph) in ANSWER_TEXTS.items()}
    assert [answers[name].raw_text for name in answers] == [
        text for text, _ in ANSWER_TEXTS.values()
    ]
