"""A damaged ledger: repaired where that is safe, else set aside under another name, with every
readable answer taken over.
"""

import os
import shutil
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

from stages.contracts.errors import LedgerError
from stages.generate.ledger.rows import APPLICATION, SELECT, Damaged, Row, connect, intact

FILE = "answers.sqlite3"
ELSEWHERE = "fix its permissions, or name another folder in GRAPH_EVALUATOR_LEDGER"
ASIDE = "answers.damaged-{}.sqlite3"
"""The name of a ledger that was set aside, by its number."""
_MAGIC = b"SQLite format 3\0"
_HEADER_BYTES = 100
_APPLICATION_AT = slice(68, 72)
_LEAST_ROW_BYTES = 256
_MOST_BYTES = 1 << 36  # a damaged header may state any length


@contextmanager
def explained(file: Path, connection: sqlite3.Connection) -> Iterator[None]:
    """A block in which SQLite's errors become sentences, and after which a damaged ledger is set
    aside.
    """
    try:
        yield
        return
    except Damaged as error:
        damage = str(error)
    except sqlite3.Error as error:
        code = getattr(error, "sqlite_errorcode", 0) & 0xFF
        if code not in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB):
            raise LedgerError(_reason(error, code, file)) from None
        damage = str(error)
    connection.close()
    aside = _set_aside(file)
    raise LedgerError(
        f"the ledger {file} is damaged ({damage}); it is set aside as {aside.name}, and nothing "
        "of it is deleted. "
        "The next run begins a new ledger and takes over every answer that can still be read; "
        "it would pay again for the others"
    )


def _reason(error: sqlite3.Error, code: int, file: Path) -> str:
    if code == sqlite3.SQLITE_FULL:
        return f"the disk that holds the ledger {file} is full: free some space and run again"
    if code in (
        sqlite3.SQLITE_READONLY,
        sqlite3.SQLITE_CANTOPEN,
        sqlite3.SQLITE_PERM,
        sqlite3.SQLITE_AUTH,
    ):
        return f"the ledger {file} cannot be written ({error}): {ELSEWHERE}"
    if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
        return f"the ledger {file} has been locked by another process for over a minute"
    return f"the ledger {file} cannot be used: {error}"


def _set_aside(file: Path) -> Path:
    number = 1
    while (aside := file.with_name(ASIDE.format(number))).exists():
        number += 1
    for part in ("", "-wal", "-shm"):
        with suppress(FileNotFoundError):
            Path(f"{file}{part}").rename(f"{aside}{part}")
    return aside


def repair_header(file: Path) -> bool:
    """Write the constant first bytes of an SQLite file again where another part of its header shows
    that it is a ledger.
    """
    with file.open("r+b") as handle:
        header = handle.read(_HEADER_BYTES)
        if header[_APPLICATION_AT] != APPLICATION.to_bytes(4, "big") or header.startswith(_MAGIC):
            return False
        handle.seek(0)
        handle.write(_MAGIC)
        os.fsync(handle.fileno())
    return True


def readable_rows(aside: Path) -> Iterator[Row]:
    """The intact rows of a damaged ledger; works on a copy, so that the file is not altered."""
    with tempfile.TemporaryDirectory() as scratch:
        copy = Path(scratch) / "copy"
        for part in ("", "-wal"):
            with suppress(FileNotFoundError):
                shutil.copyfile(f"{aside}{part}", f"{copy}{part}")
        repair_header(copy)
        _lengthen(copy)
        with closing(connect(copy)) as connection:
            try:
                (last,) = connection.execute("SELECT max(rowid) FROM answers").fetchone()
            except sqlite3.Error as error:
                if error.sqlite_errorcode == sqlite3.SQLITE_NOTADB:
                    return
                last = aside.stat().st_size // _LEAST_ROW_BYTES
            for number in range(1, (last or 0) + 1):
                with suppress(sqlite3.Error):
                    row = connection.execute(f"{SELECT} WHERE rowid = ?", (number,)).fetchone()
                    if row is not None and intact(row):
                        yield row


def _lengthen(file: Path) -> None:
    """Make a file that was cut off as long as its header says: SQLite reads nothing at all of one
    that is too short.
    """
    with file.open("r+b") as handle:
        header = handle.read(_HEADER_BYTES)
        page_bytes = int.from_bytes(header[16:18], "big")
        pages = int.from_bytes(header[28:32], "big")
        whole = (65_536 if page_bytes == 1 else page_bytes) * pages
        if header.startswith(_MAGIC) and file.stat().st_size < whole <= _MOST_BYTES:
            handle.truncate(whole)
