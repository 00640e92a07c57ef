"""The ledger's file: where it is, how it is opened, and what is said when it cannot be used."""

import os
import sqlite3
from pathlib import Path

from filelock import FileLock, Timeout

from stages.contracts.errors import LedgerError
from stages.generate.ledger.row import COLUMNS

FILE = "answers.sqlite3"
VERSION = 1
_APPLICATION = 0x67726576  # "grev": tells a ledger from any other SQLite file
_OPEN_TIMEOUT_S = 60.0

_TABLES = f"""
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
PRAGMA application_id = {_APPLICATION};
PRAGMA user_version = {VERSION};
"""
SELECT = f"SELECT {', '.join(COLUMNS)} FROM answers"  # noqa: S608 - names of our own columns
INSERT = (
    f"INSERT INTO answers ({', '.join(COLUMNS)}) VALUES ({', '.join('?' * len(COLUMNS))}) "  # noqa: S608
    "ON CONFLICT (fingerprint) DO NOTHING"
)


class Damaged(Exception):
    """The file does not hold what was written to it."""


def open_file(folder: Path, *, check: bool = False) -> sqlite3.Connection:
    """A connection to the ledger in a folder, which is made when it is not there: durable at every commit.

    Raises:
        LedgerError: it cannot be opened or written, or a newer version made it.
        Damaged: the file is no ledger, or its pages contradict each other.
    """
    file = folder / FILE
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with FileLock(folder / "open.lock", timeout=_OPEN_TIMEOUT_S):
            new = not file.exists()
            connection = _connect(file)
            try:
                _prepare(connection, file)
                if check:
                    look_through(connection)
            except BaseException:
                connection.close()
                raise
            if new:
                _sync_folder(folder)
                _sync_folder(folder.parent)
            return connection
    except sqlite3.Error as error:
        raise explained(error, file) from None
    except Timeout:
        raise LedgerError(f"the ledger {file} is being opened by another process for over a minute") from None
    except OSError as error:
        raise LedgerError(f"the ledger folder {folder} cannot be used: {error.strerror}; {_ELSEWHERE}") from None


_ELSEWHERE = "mend its permissions, or name another folder in GRAPH_EVALUATOR_LEDGER"


def explained(error: sqlite3.Error, file: Path) -> LedgerError | Damaged:
    """What SQLite's error means for the user: the error to raise in its place."""
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    if code in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB):
        return Damaged(str(error))
    if code == sqlite3.SQLITE_FULL:
        return LedgerError(f"the disk that holds the ledger {file} is full: free some space and run again")
    if code in (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM, sqlite3.SQLITE_AUTH):
        return LedgerError(f"the ledger {file} cannot be written ({error}): {_ELSEWHERE}")
    if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
        return LedgerError(f"the ledger {file} is locked by another process for over a minute")
    return LedgerError(f"the ledger {file} cannot be used: {error}")


def _connect(file: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(file, timeout=_OPEN_TIMEOUT_S, isolation_level=None, check_same_thread=False)
    connection.execute("PRAGMA busy_timeout = 60000")
    return connection


def _prepare(connection: sqlite3.Connection, file: Path) -> None:
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    (application,) = connection.execute("PRAGMA application_id").fetchone()
    (tables,) = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    if tables and application != _APPLICATION:
        raise Damaged("it is an SQLite file, but not a ledger")
    if version > VERSION:
        raise LedgerError(f"the ledger {file} was made by a newer version of this tool (format {version})")
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = FULL")
    if not tables:
        connection.executescript(f"BEGIN IMMEDIATE; {_TABLES} COMMIT;")
    connection.execute("BEGIN IMMEDIATE")
    connection.execute("ROLLBACK")


def look_through(connection: sqlite3.Connection) -> None:
    """Pages, rows, and indexes against rows: an answer that an index lacks would be paid for again. 0.1 s for 10,000 answers.

    Raises:
        Damaged: they contradict each other.
        sqlite3.Error: they cannot be read.
    """
    found = connection.execute("PRAGMA integrity_check(1)").fetchone()[0]
    if found != "ok":
        raise Damaged(str(found))


def _sync_folder(folder: Path) -> None:
    if os.name == "posix":
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
