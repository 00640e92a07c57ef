"""The table of the ledger: a row is an answer that was paid for, the request that it answers, and a checksum over both."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from stages.generate.answers.api_answer import PaidAnswer, read_answer

APPLICATION = 0x67726576
"""The application id of a ledger: distinguishes it from other SQLite files."""
VERSION = 1
TABLES = f"""
CREATE TABLE answers (
    fingerprint TEXT PRIMARY KEY NOT NULL,
    model TEXT NOT NULL,
    request TEXT NOT NULL,
    body TEXT NOT NULL,
    input_tokens INTEGER,
    cached_tokens INTEGER,
    cache_write_tokens INTEGER,
    output_tokens INTEGER,
    reasoning_tokens INTEGER,
    latency_ms REAL,
    attempts INTEGER NOT NULL,
    arrived_at TEXT NOT NULL,
    endpoint TEXT NOT NULL,
    source TEXT NOT NULL,
    checksum TEXT NOT NULL
);
CREATE INDEX answers_by_model ON answers (model);
CREATE TABLE claims (fingerprint TEXT PRIMARY KEY NOT NULL, run TEXT NOT NULL);
CREATE TABLE taken_over (file TEXT PRIMARY KEY NOT NULL, answers INTEGER NOT NULL);
PRAGMA application_id = {APPLICATION};
PRAGMA user_version = {VERSION};
"""
COLUMNS = (
    "fingerprint", "model", "request", "body",
    "input_tokens", "cached_tokens", "cache_write_tokens", "output_tokens", "reasoning_tokens",
    "latency_ms", "attempts", "arrived_at", "endpoint", "source", "checksum",
)  # fmt: skip
SELECT = f"SELECT {', '.join(COLUMNS)} FROM answers"  # noqa: S608 - names of our own columns
INSERT = (
    f"INSERT INTO answers ({', '.join(COLUMNS)}) VALUES ({', '.join('?' * len(COLUMNS))}) "  # noqa: S608
    "ON CONFLICT (fingerprint) DO NOTHING"
)
LISTED = "fingerprint IN (SELECT value FROM json_each(?))"
"""The condition that a row's fingerprint is in a JSON list."""

Row = Sequence[Any]
"""The values of a row, in the order of `COLUMNS`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LedgerEntry:
    """An answer, the model that gave it, and the canonical request, whose SHA-256 is the fingerprint."""

    answer: PaidAnswer
    model: str
    request: str


def row_of(entry: LedgerEntry) -> Row:
    """The row that keeps an answer; the token counts repeat what the body says, for those who query the file."""
    answer = entry.answer
    usage = answer.content.usage
    body = answer.content.body.encode("utf-8", "replace").decode("utf-8")
    latency_ms = None if answer.latency_ms is None else float(answer.latency_ms)
    measured = (latency_ms, answer.attempts, answer.arrived_at, answer.endpoint, answer.source)
    return (
        answer.fingerprint, entry.model, entry.request, body,
        usage.input_tokens, usage.cached_tokens, usage.cache_write_tokens, usage.output_tokens, usage.reasoning_tokens,
        *measured, _checksum(answer.fingerprint, entry.request, body, *measured),
    )  # fmt: skip


def intact(row: Row) -> bool:
    """Whether a row is what was written."""
    fingerprint, _, request, body, _, _, _, _, _, *measured, checksum = row
    try:
        return bool(_checksum(fingerprint, request, body, *measured) == checksum)
    except UnicodeEncodeError:  # bytes that are not UTF-8 are read as lone surrogates
        return False


def answer_of(row: Row) -> PaidAnswer:
    """The answer in an intact row."""
    fingerprint, _, _, body, _, _, _, _, _, latency_ms, attempts, arrived_at, endpoint, source, _ = row
    return PaidAnswer(
        fingerprint=fingerprint,
        content=read_answer(body),
        latency_ms=latency_ms,
        attempts=attempts,
        arrived_at=arrived_at,
        endpoint=endpoint,
        source=source,
    )


def _checksum(*parts: object) -> str:
    return hashlib.sha256("\0".join(map(str, parts)).encode("utf-8")).hexdigest()
