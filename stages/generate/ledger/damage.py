"""A damaged ledger: set aside under another name, never deleted, and every readable answer in it taken over."""

import shutil
import sqlite3
import tempfile
from collections.abc import Iterator
from pathlib import Path

from filelock import FileLock

from stages.generate.ledger.file import FILE, INSERT, SELECT
from stages.generate.ledger.row import answer_of

_STEM, _SUFFIX = FILE.rsplit(".", 1)
_PARTS = ("", "-wal", "-shm")
_LEAST_ROW_BYTES = 256
_MOST_LENGTHENED = 1 << 36  # a damaged header may name any length


def set_aside(folder: Path) -> Path:
    """Rename the ledger's file and its journal to the next free `answers.damaged-N.sqlite3`; returns the new name."""
    with FileLock(folder / "open.lock"):
        number = 1
        while (folder / f"{_STEM}.damaged-{number}.{_SUFFIX}").exists():
            number += 1
        aside = folder / f"{_STEM}.damaged-{number}.{_SUFFIX}"
        for part in _PARTS:
            source = folder / f"{FILE}{part}"
            if source.exists():
                source.rename(folder / f"{aside.name}{part}")
    return aside


def take_over(connection: sqlite3.Connection, folder: Path) -> list[tuple[str, int]]:
    """Copy what can be read of every set-aside file into the ledger, once for each file.

    Returns:
        The name of each file that was taken over just now, and how many answers were readable in it.
    """
    known = {str(name) for (name,) in connection.execute("SELECT file FROM taken_over")}
    done: list[tuple[str, int]] = []
    for aside in sorted(folder.glob(f"{_STEM}.damaged-*.{_SUFFIX}")):
        if aside.name in known:
            continue
        rows = list(_readable(aside))
        connection.execute("BEGIN IMMEDIATE")
        connection.executemany(INSERT, rows)
        connection.execute(
            "INSERT INTO taken_over (file, answers) VALUES (?, ?) ON CONFLICT (file) DO NOTHING",
            (aside.name, len(rows)),
        )
        connection.execute("COMMIT")
        done.append((aside.name, len(rows)))
    return done


def _readable(aside: Path) -> Iterator[tuple[object, ...]]:
    """The rows that are as they were written; works on a copy, so that the damaged file stays as it is."""
    with tempfile.TemporaryDirectory() as scratch:
        for part in _PARTS[:2]:
            source = aside.with_name(f"{aside.name}{part}")
            if source.exists():
                shutil.copyfile(source, Path(scratch) / f"copy{part}")
        _lengthen(Path(scratch) / "copy")
        connection = sqlite3.connect(Path(scratch) / "copy", isolation_level=None)
        try:
            for number in range(1, _last_row(connection, aside) + 1):
                row = _row(connection, number)
                if row is not None and answer_of(row) is not None:
                    yield row
        finally:
            connection.close()


def _lengthen(file: Path) -> None:
    """Make a file that was cut off as long as its header says: SQLite reads nothing at all of one that is too short."""
    with file.open("r+b") as handle:
        header = handle.read(100)
        page_bytes = int.from_bytes(header[16:18], "big")
        pages = int.from_bytes(header[28:32], "big")
        whole = (65_536 if page_bytes == 1 else page_bytes) * pages
        if header.startswith(b"SQLite format 3") and file.stat().st_size < whole <= _MOST_LENGTHENED:
            handle.truncate(whole)


def _last_row(connection: sqlite3.Connection, aside: Path) -> int:
    try:
        connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    except sqlite3.Error:
        return 0
    try:
        last = connection.execute("SELECT max(rowid) FROM answers").fetchone()[0]
        return int(last or 0)
    except sqlite3.Error:
        return aside.stat().st_size // _LEAST_ROW_BYTES


def _row(connection: sqlite3.Connection, number: int) -> tuple[object, ...] | None:
    try:
        row: tuple[object, ...] | None = connection.execute(f"{SELECT} WHERE rowid = ?", (number,)).fetchone()
    except (sqlite3.Error, UnicodeDecodeError):
        return None
    return row
