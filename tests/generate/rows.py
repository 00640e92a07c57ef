"""Rows of the ledger for tests."""

from typing import Any

from stages.generate.answers.reading import Usage
from stages.generate.call import Answer
from stages.generate.ledger.row import LedgerRow, row_of
from stages.generate.plan.fingerprint import fingerprint_of


def request(name: str) -> str:
    """A canonical request that differs by name."""
    return f'{{"input":"{name}"}}'


def key(name: str) -> str:
    """The fingerprint of `request(name)`."""
    return fingerprint_of(request(name))


def row(name: str, *, body: str = "{}", **changed: Any) -> LedgerRow:
    """A row whose request is `request(name)`."""
    fields: dict[str, Any] = {
        "fingerprint": key(name),
        "body": body,
        "latency_ms": 12.5,
        "attempts": 1,
        "arrived_at": "2026-01-01T00:00:00Z",
        "endpoint": "https://api.openai.com/v1",
    }
    usage = Usage(input=3, output=5)
    return row_of(Answer(**{**fields, **changed}), model="m", request=request(name), usage=usage)
