"""One row of the ledger: an answer that was paid for, with what it answers and a checksum over both."""

import hashlib

import msgspec

from stages.generate.answers.reading import Usage
from stages.generate.call import Answer


class LedgerRow(msgspec.Struct, frozen=True, kw_only=True):
    """A row as it is stored, in the order of the table's columns.

    `request` is the canonical request, whose SHA-256 is the fingerprint: it holds the prompt's hash, not the prompt. `body`
    is the API's answer as it came; the token counts repeat what it says, for those who query the file.
    """

    fingerprint: str
    model: str
    request: str
    body: str
    input_tokens: int | None
    cached_tokens: int | None
    cache_write_tokens: int | None
    output_tokens: int | None
    reasoning_tokens: int | None
    latency_ms: float | None
    attempts: int
    arrived_at: str
    endpoint: str
    source: str
    checksum: str


COLUMNS: tuple[str, ...] = LedgerRow.__struct_fields__
SOURCES = ("call", "batch", "adopted")


def row_of(answer: Answer, *, model: str, request: str, usage: Usage) -> LedgerRow:
    """The row that keeps an answer."""
    return LedgerRow(
        fingerprint=answer.fingerprint,
        model=model,
        request=request,
        body=_storable(answer.body),
        input_tokens=usage.input,
        cached_tokens=usage.cached,
        cache_write_tokens=usage.cache_write,
        output_tokens=usage.output,
        reasoning_tokens=usage.reasoning,
        latency_ms=None if answer.latency_ms is None else float(answer.latency_ms),
        attempts=answer.attempts,
        arrived_at=answer.arrived_at,
        endpoint=answer.endpoint,
        source=answer.source,
        checksum=_checksum(answer, request),
    )


def answer_of(row: tuple[object, ...]) -> tuple[Answer, str] | None:
    """The answer and the canonical request of a row as it was read; None when it is not what was once written."""
    found = dict(zip(COLUMNS, row, strict=True))
    try:
        answer = msgspec.convert({name: found[name] for name in Answer.__struct_fields__}, Answer)
        request = str(found["request"])
    except (msgspec.ValidationError, KeyError):
        return None
    return (answer, request) if _checksum(answer, request) == found["checksum"] else None


def values_of(row: LedgerRow) -> tuple[object, ...]:
    """A row as the statement that stores it takes it."""
    return tuple(getattr(row, name) for name in row.__struct_fields__)


def _storable(text: str) -> str:
    return text.encode("utf-8", "replace").decode("utf-8")


def _checksum(answer: Answer, request: str) -> str:
    latency = None if answer.latency_ms is None else float(answer.latency_ms)
    parts = (
        answer.fingerprint, request, _storable(answer.body), repr(latency), str(answer.attempts),
        answer.arrived_at, answer.endpoint, answer.source,
    )  # fmt: skip
    return hashlib.sha256("\0".join(parts).encode("utf-8")).hexdigest()
