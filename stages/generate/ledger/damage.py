"""A damaged ledger: what is wrong with it, which rows can be read, and its new name when a new
ledger takes its place. Nothing here writes to it.
"""

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

from filelock import Timeout

from stages.generate.ledger.rows import APPLICATION, SELECT, Row, connect_to_read, intact
from stages.shared.records.errors import LedgerError
from stages.shared.shell.files import link_or_copy

FILE = "answers.sqlite3"
ELSEWHERE = "fix its permissions, or name another folder in GRAPH_EVALUATOR_LEDGER"
ASIDE = "answers.damaged-{}.sqlite3"
"""The name of a damaged ledger that was replaced, by its number."""
DISK_FULL = "the disk that holds the ledger {} is full: free some space and run again"
_LOCKED = "has been locked by another process for over a minute"
_LEAST_ROW_BYTES = 256
_LOGS = ("-wal", "-shm")
_UNWRITABLE = (
    sqlite3.SQLITE_READONLY,
    sqlite3.SQLITE_CANTOPEN,
    sqlite3.SQLITE_PERM,
    sqlite3.SQLITE_AUTH,
)
_IN_USE = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
_NO_DAMAGE = (*_UNWRITABLE, *_IN_USE, sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR)


@contextmanager
def explained(file: Path) -> Iterator[None]:
    """A block in which errors of SQLite and of the system become sentences."""
    try:
        yield
    except sqlite3.Error as error:
        raise LedgerError(_reason(error, file)) from None
    except Timeout:
        raise LedgerError(f"the ledger {file} {_LOCKED}") from None
    except OSError as error:
        reason = f"{error.strerror}: {error.filename}" if error.filename else error.strerror
        folder = file.parent
        problem = f"the ledger folder {folder} cannot be used ({reason}); {ELSEWHERE}"
        raise LedgerError(problem) from None


def _reason(error: sqlite3.Error, file: Path) -> str:
    code = _code(error)
    if code == sqlite3.SQLITE_FULL:
        return DISK_FULL.format(file)
    if code in _UNWRITABLE:
        return f"the ledger {file} cannot be written ({error}): {ELSEWHERE}"
    if code in _IN_USE:
        return f"the ledger {file} {_LOCKED}"
    return f"the ledger {file} cannot be used ({error}): run again"


def _code(error: sqlite3.Error) -> int:
    return getattr(error, "sqlite_errorcode", 0) & 0xFF


def find_damage(file: Path) -> str | None:
    """What SQLite's check of the whole file finds wrong with a ledger; None for a sound one."""
    try:
        with closing(connect_to_read(file)) as connection:
            (application,) = connection.execute("PRAGMA application_id").fetchone()
            (verdict,) = connection.execute("PRAGMA integrity_check(1)").fetchone()
    except sqlite3.Error as error:
        if _code(error) in _NO_DAMAGE:
            raise
        return str(error)
    if application != APPLICATION:
        return "it is not a ledger"
    return None if verdict == "ok" else " ".join(str(verdict).split())


def readable_rows(connection: sqlite3.Connection, file: Path) -> Iterator[Row]:
    """The rows of a damaged ledger whose checksum holds."""
    # Without this SQLite reads nothing of a file that was cut off.
    connection.execute("PRAGMA writable_schema = ON")
    try:
        (last,) = connection.execute("SELECT max(rowid) FROM answers").fetchone()
    except sqlite3.Error as error:
        if _code(error) == sqlite3.SQLITE_NOTADB:
            return
        last = file.stat().st_size // _LEAST_ROW_BYTES
    for number in range(1, (last or 0) + 1):
        with suppress(sqlite3.Error):
            row = connection.execute(f"{SELECT} WHERE rowid = ?", (number,)).fetchone()
            if row is not None and intact(row):
                yield row


def replace_damaged(file: Path, new_file: Path) -> None:
    """Put a new ledger in place of a damaged one, which keeps its bytes under another name."""
    number = 1
    while (aside := file.with_name(ASIDE.format(number))).exists():
        number += 1
    for part in ("", *_LOGS):
        with suppress(FileNotFoundError):
            link_or_copy(Path(f"{file}{part}"), Path(f"{aside}{part}"))
    for part in _LOGS:  # before the new file is there: SQLite would write them into it
        Path(f"{file}{part}").unlink(missing_ok=True)
    os.replace(new_file, file)
