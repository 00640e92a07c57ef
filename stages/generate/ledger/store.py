"""The ledger: the store of every answer that was ever paid for, by request fingerprint. Append-only, durable, shared.

One SQLite file in WAL mode, `.ledger/answers.sqlite3`, that several processes use at once.
"""

import asyncio
import json
import shutil
import sqlite3
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from types import TracebackType

from filelock import FileLock, Timeout

from stages.contracts.errors import LedgerError
from stages.generate.answers.api_answer import PaidAnswer
from stages.generate.ledger.claims import Claims, claims_of_run
from stages.generate.ledger.damage import (
    ELSEWHERE,
    FILE,
    Damaged,
    explained,
    files_set_aside,
    read_text,
    readable_rows,
    repair_header,
)
from stages.generate.ledger.rows import (
    APPLICATION,
    COLUMNS,
    INSERT,
    LISTED,
    SELECT,
    TABLES,
    VERSION,
    LedgerEntry,
    Row,
    answer_of,
    intact,
    row_of,
)
from stages.shell.numbers import counted

LEAST_FREE_BYTES = 16 * 1024 * 1024
"""What the disk must have free before the first call: about two hundred long answers and their journal."""
PAY_AGAIN = "GRAPH_EVALUATOR_PAY_AGAIN"
_OPEN_TIMEOUT_S = 60.0
_REQUEST, _OUTPUT = COLUMNS.index("request"), COLUMNS.index("output_tokens")


class Ledger:
    """An open ledger; use it as a context. Its folder is made when it does not exist.

    `say` is called with one sentence when damage was found or repaired. `was_empty`: the file was there and had 0 bytes.

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
            raise LedgerError(f"the ledger folder {folder} cannot be used: {error.strerror}; {ELSEWHERE}") from None

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
            connection.executemany(INSERT, rows)
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

        With `pay_again` a run goes on although nothing could be read of a damaged ledger.
        """
        if self._unreadable is not None and not pay_again:
            raise LedgerError(
                f"nothing can be read of the damaged ledger {self._folder / self._unreadable}, so its answers would be "
                f"called and paid for again; nothing was called. Put a copy of the ledger in place as {FILE}, or set "
                f"{PAY_AGAIN}=1 in the environment to go on without it"
            )
        if self._unreadable is not None:
            self._note_taken_over(self._unreadable, [])
        if shutil.disk_usage(self._folder).free < LEAST_FREE_BYTES:
            raise LedgerError(
                f"the disk has no room for answers ({self._folder}): nothing was called; free some space and run again"
            )
        with self._explained():  # an answer that an index lacks would be paid for again
            self._check("integrity_check")

    def claims(self) -> AbstractContextManager[Claims]:
        """The claims of a new run, for a `with` statement."""
        return claims_of_run(self.transaction, self._folder / "runs")

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
            error: Exception | None = None
            try:
                await asyncio.to_thread(self.add, [entry for entry, _ in batch])
            except LedgerError as failed:
                error = failed
            del self._waiting[: len(batch)]  # not before: a run that is cancelled leaves them to be written at the end
            for _, future in batch:
                if not future.done():
                    future.set_result(None) if error is None else future.set_exception(error)

    def _rows(self, fingerprints: Sequence[str]) -> Iterator[Row]:
        """The intact rows of these; others are moved to a table of their own."""
        altered: list[str] = []
        with self._explained():
            for row in self._connection.execute(f"{SELECT} WHERE {LISTED}", (json.dumps(fingerprints),)):
                if intact(row):
                    yield row
                else:
                    altered.append(row[0])
        if altered:
            self._remove_altered(altered)

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
        connection = self._connection = sqlite3.connect(
            self.file, timeout=_OPEN_TIMEOUT_S, isolation_level=None, check_same_thread=False
        )
        connection.text_factory = read_text
        try:
            with self._explained():
                self._prepare(connection)
                if not_closed:
                    self._check("quick_check")
        except BaseException:
            connection.close()
            raise
        return connection

    def _prepare(self, connection: sqlite3.Connection) -> None:
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
            connection.executescript(f"BEGIN IMMEDIATE; {TABLES} COMMIT;")
        connection.execute("BEGIN IMMEDIATE")  # fails now, and not after the first call, when it cannot be written
        connection.execute("ROLLBACK")

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
            connection.executemany(INSERT, rows)
            connection.execute(
                "INSERT INTO taken_over (file, answers) VALUES (?, ?) ON CONFLICT (file) DO NOTHING", (name, len(rows))
            )

    def _explained(self) -> AbstractContextManager[None]:
        return explained(self.file, self._connection)
