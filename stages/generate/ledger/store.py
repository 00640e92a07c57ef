"""The ledger: the store of every answer that was ever paid for, by request fingerprint. Append-only, durable, shared.

One SQLite file in WAL mode, `.ledger/answers.sqlite3`, that several processes use at once.
"""

import asyncio
import shutil
import sqlite3
import threading
import uuid
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType

from filelock import FileLock, Timeout

from stages.contracts.errors import LedgerError
from stages.generate.answers.api_answer import PaidAnswer
from stages.generate.ledger.claims import Claims
from stages.generate.ledger.damage import (
    APPLICATION,
    FILE,
    SELECT,
    Damaged,
    files_set_aside,
    read_text,
    readable_rows,
    repair_header,
    set_aside,
)
from stages.generate.ledger.rows import COLUMNS, LedgerEntry, Row, answer_of, intact, row_of
from stages.shell.numbers import counted

VERSION = 1
LEAST_FREE_BYTES = 16 * 1024 * 1024
"""What the disk must have free before the first call: about two hundred long answers and their journal."""
PAY_AGAIN = "GRAPH_EVALUATOR_PAY_AGAIN"
_OPEN_TIMEOUT_S = 60.0
_CHUNK = 500
_REQUEST, _OUTPUT = COLUMNS.index("request"), COLUMNS.index("output_tokens")
_ELSEWHERE = "fix its permissions, or name another folder in GRAPH_EVALUATOR_LEDGER"
_INSERT = (
    f"INSERT INTO answers ({', '.join(COLUMNS)}) VALUES ({', '.join('?' * len(COLUMNS))}) "  # noqa: S608
    "ON CONFLICT (fingerprint) DO NOTHING"
)
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
PRAGMA application_id = {APPLICATION};
PRAGMA user_version = {VERSION};
"""


class Ledger:
    """An open ledger; use it as a context.

    Attributes:
        was_empty: The file was there and had 0 bytes: something has emptied it.

    Args:
        folder: Where it is; it is made when it does not exist.
        say: Called with one sentence when damage was found or repaired.

    Raises:
        LedgerError: from here and from every method: it cannot be used; the message says why and what to do.
    """

    def __init__(self, folder: Path, say: Callable[[str], None]) -> None:
        self._folder = folder
        self._say = say
        self.file = folder / FILE
        self._lock = threading.Lock()
        self._waiting: list[tuple[LedgerEntry, asyncio.Future[None]]] = []
        self._commit: asyncio.Task[None] | None = None
        self._unreadable: str | None = None
        try:
            folder.mkdir(parents=True, exist_ok=True)
            with FileLock(folder / "open.lock", timeout=_OPEN_TIMEOUT_S):
                self.was_empty = self.file.exists() and self.file.stat().st_size == 0
                self._connection = self._open()
            self._take_over()
        except Timeout:
            raise LedgerError(f"the ledger {self.file} has been locked by another process for over a minute") from None
        except OSError as error:
            raise LedgerError(f"the ledger folder {folder} cannot be used: {error.strerror}; {_ELSEWHERE}") from None

    def __enter__(self) -> "Ledger":
        """The ledger itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Write what a cancelled run has left to write, and close."""
        try:
            self.add([entry for entry, _ in self._waiting])
        except LedgerError:
            if error is None:
                raise
        finally:
            self._connection.close()

    def present(self, fingerprints: Sequence[str]) -> frozenset[str]:
        """The fingerprints that the ledger has an answer to."""
        return frozenset(row[0] for row in self._rows(fingerprints))

    def read(self, fingerprints: Sequence[str]) -> dict[str, PaidAnswer]:
        """The answers to these, where there are any."""
        return {row[0]: answer_of(row) for row in self._rows(fingerprints)}

    def requests(self) -> list[str]:
        """The canonical requests of all answers, oldest first."""
        with self._explained():
            return [row[_REQUEST] for row in self._connection.execute(f"{SELECT} ORDER BY rowid") if intact(row)]

    def output_tokens(self, model: str, *, most: int = 500) -> list[tuple[str, int]]:
        """The canonical request and the output tokens of the last answers of a model, newest first."""
        query = f"{SELECT} WHERE model = ? AND output_tokens IS NOT NULL ORDER BY rowid DESC LIMIT ?"
        with self._explained():
            rows = self._connection.execute(query, (model, most))
            return [(row[_REQUEST], row[_OUTPUT]) for row in rows if isinstance(row[_OUTPUT], int) and intact(row)]

    def add(self, entries: Sequence[LedgerEntry]) -> None:
        """Store answers; one that is there already is not replaced."""
        if not entries:
            return
        rows = [row_of(entry) for entry in entries]
        with self.transaction() as connection:
            connection.executemany(_INSERT, rows)
            connection.executemany("DELETE FROM claims WHERE fingerprint = ?", [(row[0],) for row in rows])

    async def put(self, entry: LedgerEntry) -> None:
        """Return when the answer is on disk; answers that wait at the same time share one commit.

        May be cancelled: the answer is written all the same, at the latest when the ledger is closed.
        """
        future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append((entry, future))
        if self._commit is None or self._commit.done():
            self._commit = asyncio.create_task(self._commit_waiting())
        await future

    def begin_calls(self, *, pay_again: bool) -> None:
        """Before the first call: fails when answers could not be stored, or when stored ones would be paid for again.

        Args:
            pay_again: Go on although nothing could be read of a damaged ledger.
        """
        if self._unreadable is not None and not pay_again:
            raise LedgerError(
                f"nothing can be read of the damaged ledger {self._folder / self._unreadable}, so its answers would be "
                f"called and paid for again; nothing was called. Put a copy of the ledger in place as {FILE}, or set "
                f"{PAY_AGAIN}=1 in the environment to continue without it"
            )
        if self._unreadable is not None:
            self._note_taken_over(self._unreadable, [])
        if shutil.disk_usage(self._folder).free < LEAST_FREE_BYTES:
            raise LedgerError(
                f"the disk has no room for answers ({self._folder}): nothing was called; free some space and run again"
            )
        with self._explained():  # an answer that an index lacks would be paid for again
            self._check("integrity_check")

    def claims(self) -> Claims:
        """The claims of a new run."""
        return Claims(self.transaction, self._folder / "runs", uuid.uuid4().hex)

    @contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """A block of changes that are on disk, all of them, when it ends; one at a time."""
        with self._explained(), self._lock:
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield self._connection
                self._connection.execute("COMMIT")
            except BaseException:
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")
                raise

    async def _commit_waiting(self) -> None:
        while self._waiting:
            batch = list(self._waiting)
            (error,) = await asyncio.gather(
                asyncio.to_thread(self.add, [entry for entry, _ in batch]), return_exceptions=True
            )
            del self._waiting[: len(batch)]  # not before: a run that is cancelled leaves them to be written at the end
            for _, future in batch:
                if future.done():
                    continue
                if error is None:
                    future.set_result(None)
                else:
                    future.set_exception(error)

    def _rows(self, fingerprints: Sequence[str]) -> Iterator[Row]:
        """The intact rows of these; others are moved to a table of their own."""
        for start in range(0, len(fingerprints), _CHUNK):
            chunk = fingerprints[start : start + _CHUNK]
            with self._explained():
                rows = self._connection.execute(
                    f"{SELECT} WHERE fingerprint IN ({', '.join('?' * len(chunk))})", chunk
                ).fetchall()
            altered = [row[0] for row in rows if not intact(row)]
            if altered:
                self._remove_altered(altered)
            yield from (row for row in rows if intact(row))

    def _remove_altered(self, fingerprints: Sequence[str]) -> None:
        with self.transaction() as connection:
            connection.execute("CREATE TABLE IF NOT EXISTS damaged_answers AS SELECT * FROM answers WHERE 0")
            for statement in ("INSERT INTO damaged_answers SELECT * FROM answers", "DELETE FROM answers"):
                connection.executemany(f"{statement} WHERE fingerprint = ?", [(key,) for key in fingerprints])
        named = ", ".join(key[:12] for key in fingerprints[:5])
        self._say(
            f"the ledger {self.file} is damaged: {counted(len(fingerprints), 'answer')} ({named}) cannot be used, kept in its "
            "table damaged_answers"
        )

    def _open(self) -> sqlite3.Connection:
        not_closed = Path(f"{self.file}-wal").exists()
        if self.file.exists() and repair_header(self.file):
            self._say(f"the header of the ledger {self.file} was damaged; it is repaired, and every answer can be read")
        self._connection = sqlite3.connect(
            self.file, timeout=_OPEN_TIMEOUT_S, isolation_level=None, check_same_thread=False
        )
        self._connection.text_factory = read_text
        try:
            with self._explained():
                self._prepare(check=not_closed)
        except BaseException:
            self._connection.close()
            raise
        return self._connection

    def _prepare(self, *, check: bool) -> None:
        connection = self._connection
        (version,) = connection.execute("PRAGMA user_version").fetchone()
        (application,) = connection.execute("PRAGMA application_id").fetchone()
        (tables,) = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
        if tables and application != APPLICATION:
            raise Damaged("it is an SQLite file, but not a ledger")
        if version > VERSION:
            raise LedgerError(f"the ledger {self.file} was made by a newer version of this tool (format {version})")
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = FULL")
        if not tables:
            connection.executescript(f"BEGIN IMMEDIATE; {_TABLES} COMMIT;")
        connection.execute("BEGIN IMMEDIATE")  # fails now, and not after the first call, when it cannot be written
        connection.execute("ROLLBACK")
        if check:
            self._check("quick_check")

    def _check(self, pragma: str) -> None:
        found = self._connection.execute(f"PRAGMA {pragma}(1)").fetchone()[0]
        if found != "ok":
            raise Damaged(str(found))

    def _take_over(self) -> None:
        """Copy the readable answers of files that were set aside, once for each file."""
        with self._explained():
            known = {name for (name,) in self._connection.execute("SELECT file FROM taken_over")}
        for aside in files_set_aside(self._folder):
            if aside.name in known:
                continue
            rows = list(readable_rows(aside))
            if not rows and aside.stat().st_size:
                self._unreadable = aside.name
                continue
            self._note_taken_over(aside.name, rows)
            self._say(f"took over {counted(len(rows), 'readable answer')} from the damaged ledger {aside.name}")

    def _note_taken_over(self, name: str, rows: Sequence[Row]) -> None:
        with self.transaction() as connection:
            connection.executemany(_INSERT, rows)
            connection.execute(
                "INSERT INTO taken_over (file, answers) VALUES (?, ?) ON CONFLICT (file) DO NOTHING", (name, len(rows))
            )

    @contextmanager
    def _explained(self) -> Iterator[None]:
        """A block whose SQLite errors become ours; a damaged file is set aside."""
        try:
            yield
        except sqlite3.Error as error:
            code = getattr(error, "sqlite_errorcode", 0) & 0xFF
            if code not in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB):
                raise LedgerError(_reason(error, code, self.file)) from None
            damage = str(error)
        except Damaged as error:
            damage = str(error)
        else:
            return
        self._connection.close()
        aside = set_aside(self._folder)
        raise LedgerError(
            f"the ledger {self.file} is damaged ({damage}); it is set aside as {aside.name}, and nothing of it is deleted. "
            "The next run begins a new ledger and takes over every answer that can still be read; "
            "it would pay again for the others"
        )


def _reason(error: sqlite3.Error, code: int, file: Path) -> str:
    if code == sqlite3.SQLITE_FULL:
        return f"the disk that holds the ledger {file} is full: free some space and run again"
    if code in (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM, sqlite3.SQLITE_AUTH):
        return f"the ledger {file} cannot be written ({error}): {_ELSEWHERE}"
    if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
        return f"the ledger {file} has been locked by another process for over a minute"
    return f"the ledger {file} cannot be used: {error}"
