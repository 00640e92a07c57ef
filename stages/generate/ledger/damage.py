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
_PAGE_BYTES = 4096
_CONSTANTS = {
    0: _MAGIC + _PAGE_BYTES.to_bytes(2, "big") + bytes([2, 2, 0, 64, 32, 32]),
    44: bytes([0, 0, 0, 4]) + bytes(8) + bytes([0, 0, 0, 1]),
    64: bytes(4),
    72: bytes(20),
}
"""What the header of every ledger holds, by place. Source: SQLite, Database File Format, section
1.3.
"""
_PAGES_AT = slice(28, 32)
_HEADER_BYTES = SHORTEST_LEDGER = 100
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
    aside = set_aside(file)
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


def set_aside(file: Path) -> Path:
    """Rename a ledger, and return its new name."""
    number = 1
    while (aside := file.with_name(ASIDE.format(number))).exists():
        number += 1
    for part in ("", "-wal", "-shm"):
        with suppress(FileNotFoundError):
            Path(f"{file}{part}").rename(f"{aside}{part}")
    return aside


def repair_header(file: Path) -> bool:
    """Write what is constant or follows from the length in the header of an SQLite file, where
    another part of it shows that it is a ledger, and that makes the file sound.
    """
    header = _read_header(file)
    if not _is_ledger(header):
        return False
    stated_pages = int.from_bytes(header[_PAGES_AT], "big")
    in_use = Path(f"{file}-wal").exists()
    pages = stated_pages if in_use else file.stat().st_size // _PAGE_BYTES
    repaired = _repaired(header, pages)
    if repaired == header or not _would_be_sound(file, repaired):
        return False
    _write_header(file, repaired)
    return True


def _is_ledger(header: bytes) -> bool:
    return header[_APPLICATION_AT] == APPLICATION.to_bytes(4, "big")


def _repaired(header: bytes, pages: int) -> bytes:
    """A header with the constants, of a file of so many pages."""
    repaired = bytearray(header)
    for place, content in _CONSTANTS.items():
        repaired[place : place + len(content)] = content
    repaired[_PAGES_AT] = pages.to_bytes(4, "big")
    return bytes(repaired)


def _read_header(file: Path) -> bytes:
    with file.open("rb") as handle:
        return handle.read(_HEADER_BYTES)


def _write_header(file: Path, header: bytes) -> None:
    with file.open("r+b") as handle:
        handle.write(header)
        os.fsync(handle.fileno())


def _would_be_sound(file: Path, header: bytes) -> bool:
    """Whether a copy of a file with this header is whole."""
    with _copied(file) as copy, closing(connect(copy)) as connection:
        _write_header(copy, header)
        try:
            (verdict,) = connection.execute("PRAGMA quick_check(1)").fetchone()
        except sqlite3.Error:
            return False
    return bool(verdict == "ok")


@contextmanager
def _copied(file: Path) -> Iterator[Path]:
    """A copy of a file and its log, for the time of a block."""
    with tempfile.TemporaryDirectory() as scratch:
        copy = Path(scratch) / "copy"
        for part in ("", "-wal"):
            with suppress(FileNotFoundError):
                shutil.copyfile(f"{file}{part}", f"{copy}{part}")
        yield copy


def readable_rows(aside: Path) -> Iterator[Row]:
    """The intact rows of a damaged ledger; works on a copy, so that the file is not altered."""
    with _copied(aside) as copy:
        _complete(copy)
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


def _complete(file: Path) -> None:
    """Write the constant header, and make a file that was cut off as long as it says: SQLite reads
    nothing at all of one that is too short.
    """
    header = _read_header(file)
    if not _is_ledger(header):
        return
    size = file.stat().st_size
    stated_size = _PAGE_BYTES * int.from_bytes(header[_PAGES_AT], "big")
    whole = max(size, stated_size) if stated_size <= _MOST_BYTES else size
    pages = whole // _PAGE_BYTES
    _write_header(file, _repaired(header, pages))
    os.truncate(file, pages * _PAGE_BYTES)
