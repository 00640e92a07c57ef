"""The table of the ledger: a row is an answer that was paid for, the request that it answers, and a
checksum over both; and what is wrong with a damaged file.
"""

import hashlib
import os
import sqlite3
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from graph_evaluator.generate.answers import read_again, read_answer
from graph_evaluator.generate.plan.call import Call
from graph_evaluator.generate.replies import NoAnswer
from graph_evaluator.records.errors import LedgerError
from graph_evaluator.records.json_text import canonical, parse
from graph_evaluator.records.response import Answer, Measured
from graph_evaluator.shell.numbers import counted

FILE = "answers.sqlite3"
APPLICATION = 0x67726576
"""The application id of a ledger: distinguishes it from other SQLite files."""
VERSION = 1
COLUMNS = {
    "fingerprint": "TEXT PRIMARY KEY NOT NULL",
    "model": "TEXT NOT NULL",
    "request": "TEXT NOT NULL",
    "body": "TEXT NOT NULL",
    "input_tokens": "INTEGER",
    "cached_tokens": "INTEGER",
    "cache_write_tokens": "INTEGER",
    "output_tokens": "INTEGER",
    "reasoning_tokens": "INTEGER",
    "latency_ms": "REAL",
    "attempts": "INTEGER NOT NULL",
    "arrived_at": "TEXT NOT NULL",
    "endpoint": "TEXT NOT NULL",
    "source": "TEXT NOT NULL",
    "checksum": "TEXT NOT NULL",
}
ADDED_COLUMNS: dict[str, str] = {"purpose": "TEXT", "booked_usd": "REAL"}
"""Columns that later versions added, nullable and not in the checksum: what an answer was called
for (`run`, `settle:HASH`, `improve:HASH` or `briefs`), and what was counted for it towards a cap.

Both are null for answers that this ledger did not call for, or that an older version called for.

`prepare` adds them to a ledger that lacks them. A checkout that does not know them reads and writes
the ledger as before, since it names the columns that it inserts.
"""
FROM_RESPONSE = "response"
"""The `source` of a row whose body is an answer as a response file has it, and no API's; rows of
earlier versions have "adopted" there, and a body of an API that reads the same.
"""
UNUSABLE = "unusable"
"""The `source` of a row without an answer: its body is a reply that was probably
paid for and cannot be used, in its `received`, or none within the deadline. Its key is that of the
request with the time, as a later one may be an answer.
"""
_CHECKED = (
    "fingerprint",
    "request",
    "body",
    "latency_ms",
    "attempts",
    "arrived_at",
    "endpoint",
    "source",
)
_DEFINITIONS = ", ".join(f"{name} {kind}" for name, kind in COLUMNS.items())
_TABLES = f"""
CREATE TABLE answers ({_DEFINITIONS});
CREATE INDEX answers_by_model ON answers (model);
-- for checkouts of versions 0.1 and 0.2
CREATE TABLE claims (fingerprint TEXT PRIMARY KEY NOT NULL, run TEXT NOT NULL);
CREATE TABLE taken_over (file TEXT PRIMARY KEY NOT NULL, answers INTEGER NOT NULL);
PRAGMA application_id = {APPLICATION};
PRAGMA user_version = {VERSION};
"""
ADOPTED = "adopted"
"""The table in memory that takes the rows which are added to a ledger that is only read."""
_INDEX = "CREATE INDEX IF NOT EXISTS answers_by_purpose ON answers (purpose, model, booked_usd)"
_TIMEOUT_S = 60.0
LedgerRow = Mapping[str, Any] | sqlite3.Row
DISK_FULL = "the disk of the ledger {} is full: free some space and run again"
_FIX = (
    "keep it: run again when no other run uses it, fix its permissions, or name another folder in "
    "GRAPH_EVALUATOR_LEDGER"
)
_DAMAGE = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_ERROR)


class LockedLedger(LedgerError):
    """Another program writes to the ledger, or keeps it from being written to."""


@contextmanager
def explained(file: Path) -> Iterator[None]:
    """A block in which errors of SQLite and of the system become sentences."""
    try:
        yield
    except (sqlite3.Error, ValidationError, OSError) as error:
        if _code(error) == sqlite3.SQLITE_BUSY:
            raise LockedLedger(f"another program has locked the ledger {file}") from None
        if _code(error) == sqlite3.SQLITE_FULL:
            raise LedgerError(DISK_FULL.format(file)) from None
        raise LedgerError(f"the ledger file {file} cannot be used ({error}); {_FIX}") from None


def _code(error: Exception) -> int:
    return getattr(error, "sqlite_errorcode", 0) & 0xFF


def connect(file: Path | str, *, uri: bool = False) -> sqlite3.Connection:
    """A connection whose rows have names; bytes that are not UTF-8 become lone surrogates, which no
    checksum accepts.
    """
    connection = sqlite3.connect(
        file, timeout=_TIMEOUT_S, isolation_level=None, check_same_thread=False, uri=uri
    )
    connection.row_factory = sqlite3.Row
    connection.text_factory = lambda raw: raw.decode("utf-8", "surrogateescape")
    return connection


def connect_to_read(file: Path) -> sqlite3.Connection:
    """A connection that cannot write to the file; the last one to be closed, it leaves the
    write-ahead log unchanged.
    """
    address, log = file.absolute().as_uri(), file.with_name(f"{file.name}-wal")
    connection = connect(f"{address}?mode=ro", uri=True)
    try:
        connection.execute("PRAGMA schema_version")
    except sqlite3.OperationalError:
        if log.exists() and log.stat().st_size:
            raise
        # In a folder that cannot be written SQLite has no place for its log, and needs none.
        connection = connect(f"{address}?immutable=1", uri=True)
    return connection


def prepare_to_read(connection: sqlite3.Connection) -> None:
    """Let `answers` be the rows of the file, which may lack added columns, and those that are
    inserted into `ADOPTED`.
    """
    added = ", ".join(f"{name} {kind}" for name, kind in ADDED_COLUMNS.items())
    present = _names_of(connection)
    columns = (*COLUMNS, *ADDED_COLUMNS)
    listed = ", ".join(name if name in present else f"NULL AS {name}" for name in columns)
    connection.execute("PRAGMA temp_store = MEMORY")
    connection.execute(f"CREATE TEMP TABLE {ADOPTED} ({_DEFINITIONS}, {added})")
    connection.execute(
        f"CREATE TEMP VIEW answers AS SELECT rowid AS rowid, {listed} FROM main.answers "
        f"UNION ALL SELECT rowid, * FROM {ADOPTED}"
    )


def _names_of(connection: sqlite3.Connection) -> set[str]:
    return {row["name"] for row in connection.execute("PRAGMA main.table_info(answers)")}


def make_private_folder(folder: Path) -> None:
    """Make the folder of a ledger if there is none: only its owner can read it, and git ignores
    it.
    """
    if not folder.exists():
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)  # another run may be faster
        (folder / ".gitignore").write_text("*\n", encoding="utf-8")


def touch_private(file: Path) -> None:
    """Make an empty file if there is none, which only its owner can read."""
    os.close(os.open(file, os.O_CREAT, 0o600))


def create(file: Path) -> None:
    """Make an empty ledger, under another name first: a kill leaves no empty file."""
    new_file = file.with_suffix(".new")
    new_file.unlink(missing_ok=True)
    touch_private(new_file)
    with closing(connect(new_file)) as connection:
        prepare(connection, new_file)
    new_file.rename(file)


def prepare(connection: sqlite3.Connection, file: Path) -> None:
    """Set a connection up for durable writing, with the tables of a ledger."""
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    (tables,) = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    if version > VERSION:
        raise LedgerError(
            f"the ledger {file} was made by a newer version of this tool (format {version})"
        )
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = FULL")
    if not tables:
        connection.executescript(f"BEGIN IMMEDIATE; {_TABLES} COMMIT;")
    connection.execute("BEGIN IMMEDIATE")  # fails now, and not after the first call
    for name in sorted(ADDED_COLUMNS.keys() - _names_of(connection)):
        connection.execute(f"ALTER TABLE answers ADD COLUMN {name} {ADDED_COLUMNS[name]}")
    connection.execute(_INDEX)
    connection.execute("COMMIT")


def insert_rows(connection: sqlite3.Connection, rows: Iterable[LedgerRow], table: str) -> None:
    """Insert rows, which may lack added columns. A row that is already there is kept."""
    columns = [*COLUMNS, *ADDED_COLUMNS]
    values = ", ".join(f":{name}" for name in columns)
    connection.executemany(
        f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({values}) "
        "ON CONFLICT (fingerprint) DO NOTHING",
        (dict.fromkeys(columns) | dict(row) for row in rows),
    )


def row_of(answer: Answer, model: str, request: str) -> dict[str, Any]:
    """The row that keeps the answer to a canonical request, or what stands in its place; the token
    counts repeat what the body says, for those who query the file.

    The body of an answer that was adopted is the answer as its response file has it.
    """
    measured, body, key = answer.measured, answer.received, answer.fingerprint
    source = "batch" if measured.service_tier == "batch" else "call"
    if not answer.answered:
        body = canonical(answer.to_json() | {"received": body})
        key, source = f"{key}#{time.time_ns()}", UNUSABLE
    elif body is None:
        body, source = canonical(answer.to_json()), FROM_RESPONSE
    latency_ms = measured.latency_ms
    row = {
        "fingerprint": key,
        "model": model,
        "request": request,
        "body": body.encode("utf-8", "replace").decode("utf-8"),
        **measured.usage.to_json(),
        "latency_ms": None if latency_ms is None else float(latency_ms),  # as SQLite returns it
        "attempts": measured.attempts,
        "arrived_at": measured.created_at or time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        "endpoint": measured.endpoint or "",
        "source": source,
    }
    return row | {"checksum": _checksum(row)}


def intact(row: LedgerRow) -> bool:
    """Whether a row is what was written."""
    try:
        return bool(row["checksum"] == _checksum(row))
    except UnicodeEncodeError:
        return False


def find_damage(file: Path) -> str | None:
    """What SQLite's check of the whole file and the checksums of its rows find wrong with a ledger;
    None for a sound one.
    """
    if not file.stat().st_size:  # SQLite would delete the log next to it
        return "it is empty"
    try:
        with closing(connect_to_read(file)) as connection:
            (application,) = connection.execute("PRAGMA application_id").fetchone()
            (verdict,) = connection.execute("PRAGMA integrity_check(1)").fetchone()
            if application != APPLICATION:
                return "it is not a ledger"
            if verdict != "ok":
                return " ".join(str(verdict).split())
            rows = connection.execute("SELECT * FROM answers")
            altered = sum(not intact(row) for row in rows)
    except sqlite3.Error as error:
        if _code(error) in _DAMAGE:
            return str(error)
        raise
    return f"{counted(altered, 'answer')} not as written" if altered else None


def stored_answer(row: LedgerRow, call: Call | None = None) -> Answer:
    """The answer in an intact row, read as the call that it answers asks for."""
    body, source = row["body"], row["source"]
    if source == UNUSABLE:
        return Answer.model_validate(parse(body))
    if source == FROM_RESPONSE:
        return read_again(Answer.model_validate(parse(body)), call)
    latency_ms, attempts, created_at = row["latency_ms"], row["attempts"], row["arrived_at"]
    try:
        return read_answer(
            body,
            call,
            latency_ms=latency_ms,
            attempts=attempts,
            created_at=created_at,
            in_batch=source == "batch",
        )
    except NoAnswer as error:  # earlier versions stored these too
        return Answer(
            fingerprint=row["fingerprint"],
            status="parse_failed",
            raw_text="",
            failure_code=error.code,
            error_message=error.message,
            measured=Measured(
                latency_ms=latency_ms,
                attempts=attempts,
                created_at=created_at,
                endpoint=row["endpoint"],
            ),
            received=body,
        )


def _checksum(row: LedgerRow) -> str:
    return hashlib.sha256(
        "\0".join(str(row[name]) for name in _CHECKED).encode("utf-8")
    ).hexdigest()
