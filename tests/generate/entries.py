"""Answers for tests."""

import hashlib
import json
from pathlib import Path
from typing import Any

from stages.generate.answers.answer import Answer, read_content
from stages.generate.ledger.store import Ledger
from tests.builders.api_bodies import response_body


def request(name: str) -> str:
    """A canonical request that differs by name."""
    return f'{{"input":"{name}"}}'


def key(name: str) -> str:
    """The fingerprint of `request(name)`."""
    return hashlib.sha256(request(name).encode()).hexdigest()


def body(text: str = "{}", **changed: Any) -> str:
    """The body of a Responses API answer with this text."""
    return json.dumps(response_body(text, **changed))


def paid(fingerprint: str = "f", content: str | None = None, **changed: Any) -> Answer:
    """An answer whose body is `content`."""
    fields: dict[str, Any] = {
        "model": "m",
        "request": "{}",
        "latency_ms": 12.5,
        "attempts": 1,
        "created_at": "2026-01-01T00:00:00Z",
        "endpoint": "https://api.openai.com/v1",
    }
    read = read_content(body() if content is None else content)
    return Answer(fingerprint=fingerprint, content=read, **{**fields, **changed})


def entry(name: str, content: str | None = None, **changed: Any) -> Answer:
    """An answer whose request is `request(name)`."""
    return paid(key(name), content, request=request(name), **changed)


def open_ledger(folder: Path) -> Ledger:
    """The ledger of a folder."""
    return Ledger(folder)
