"""One line of an answers file, in every form that is taken."""

import json
import re

import pytest

from graph_evaluator.generate.recorded import (
    BadLine,
    read_recorded_line,
)
from graph_evaluator.records.response import Measured, Usage
from tests.builders.api_bodies import completion_body, response_body
from tests.builders.cases import cases

NOON = "2026-11-02T12:00:00Z"


def read(**fields):
    return read_recorded_line(json.dumps({"brief": "b1"} | fields).encode())


def answer(**fields):
    found = read(**fields).answer()
    assert found is not None
    return found


@cases(
    "fields",
    {
        "text": {"text": '{"nodes": []}'},
        "graph": {"graph": {"nodes": []}},
        "Responses": {"body": response_body('{"nodes": []}')},
        "Chat Completions": {"body": completion_body('{"nodes": []}')},
    },
)
def test_every_form_holds_the_same_graph(fields):
    assert answer(**fields).graph == {"nodes": []}


def test_what_a_line_states_is_measured_and_what_it_does_not_is_not():
    assert (read(text="{}").sample, answer(text="{}").measured) == (None, Measured())
    usage = {"input_tokens": 9, "cached_tokens": 4, "output_tokens": 7, "reasoning_tokens": 2}
    known = {"model": "m-7", "latency_ms": 1500, "created_at": NOON, "usage": usage}
    stated = answer(text="{}", cost_usd=0.25, **known).measured
    assert (stated.answered_model, stated.latency_ms, stated.created_at) == ("m-7", 1500, NOON)
    assert (stated.usage, stated.stated_usd) == (Usage.model_validate(usage), 0.25)


@pytest.mark.parametrize("stated", [NOON, "2026-11-02T13:00:00+01:00", "2026-11-02 12:00:00"])
def test_times_are_brought_to_utc(stated):
    assert read(text="{}", created_at=stated).created_at == NOON


@cases(
    "body",
    {"an error": {"error": {"message": "overloaded"}}, "failed": response_body(status="failed")},
)
def test_an_error_is_no_answer(body):
    assert read(body=body).answer() is None


def test_a_body_of_no_api_is_a_fault_of_the_line():
    with pytest.raises(BadLine, match="instead of an answer of these APIs"):
        read(body={"answer": "{}"}).answer()


@cases(
    "raw, fault",
    {
        "cut": (b'{"brief": "b1", "text": "{', "is not JSON: Unterminated string"),
        "no object": (b'["b1"]', "must be a JSON object"),
        "no brief": (b'{"text": "{}"}', "brief: is missing"),
        "no answer": (b'{"brief": "b1"}', "needs text, graph or body"),
        "two answers": (b'{"brief": "b1", "text": "{}", "graph": {}}', "has text and graph"),
        "sample 0": (b'{"brief": "b1", "text": "", "sample": 0}', "sample: should be greater than"),
        "infinite cost": (
            b'{"brief": "b1", "text": "", "cost_usd": 1e999}',
            "cost_usd: should be a finite",
        ),
        "no time": (b'{"brief": "b1", "text": "", "created_at": "soon"}', "created_at: "),
        "too deep": (b"[" * 300 + b"]" * 300, "nested"),
    },
)
def test_a_line_that_cannot_be_used_says_why(raw, fault):
    with pytest.raises(BadLine, match=re.escape(fault)):
        read_recorded_line(raw)
