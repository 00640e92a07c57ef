"""Answers, and rows of a ledger, for tests."""

import hashlib
import json
from dataclasses import replace
from typing import Any

from graph_evaluator.generate.ledger.rows import row_of, stored_answer
from graph_evaluator.generate.ledger.store import Ledger
from graph_evaluator.generate.plan.call import Call
from graph_evaluator.records.response import Answer
from tests.builders.api_bodies import response_body
from tests.generate.calls.examples import call


def asked(name, model="m") -> Call:
    """A call whose canonical request is `request(name)`."""
    return replace(call(name, model=model), identity={"input": name}, fingerprint=key(name))


def request(name) -> str:
    """A canonical request that differs by name."""
    return f'{{"input":"{name}"}}'


def key(name) -> str:
    """The fingerprint of `request(name)`."""
    return hashlib.sha256(request(name).encode()).hexdigest()


def body(text="{}", **changed) -> str:
    """The body of a Responses API answer with this text."""
    return json.dumps(response_body(text, **changed))


def paid(one, content=None, **changed) -> Answer:
    """The answer to a call whose body is `content`."""
    row: dict[str, Any] = {
        "fingerprint": one.fingerprint,
        "body": body() if content is None else content,
        "latency_ms": 12.5,
        "attempts": 1,
        "arrived_at": "2026-01-01T00:00:00Z",
        "endpoint": "https://api.openai.com/v1",
        "source": "call",
    }
    return stored_answer(row | changed, one)


def answers_of(planned, bodies) -> dict[str, Answer]:
    """The answers with these bodies to the first calls of a cell, by fingerprint."""
    pairs = zip(planned.calls, bodies, strict=False)
    return {one.fingerprint: paid(one, content) for one, content in pairs}


def entry(name, content=None, **changed) -> dict[str, Any]:
    """The row of an answer to `asked(name)`."""
    answer = paid(asked(name), content, **changed)
    return row_of(answer, "m", request(name))


def open_ledger(folder) -> Ledger:
    """The ledger of a folder."""
    return Ledger(folder)
