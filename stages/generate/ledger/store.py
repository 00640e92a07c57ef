"""The ledger: the store of every answer that was ever paid for, by request fingerprint.
Append-only, durable, shared.

One SQLite file in WAL mode, `.ledger/answers.sqlite3`, that several processes use at once.
"""

import asyncio
import json
import os
import shutil
import sqlite3
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, closing, contextmanager, suppress
from pathlib import Path
from typing import Self

from filelock import FileLock, Timeout

from stages.contracts.errors import LedgerError
from stages.generate.answers.answer import Answer
from stages.generate.ledger.damage import (
    ASIDE,
    ELSEWHERE,
    FILE,
    SHORTEST_LEDGER,
    explained,
    readable_rows,
    repair_header,
    set_aside,
)
from stages.generate.ledger.locked_files import Claims, Marker, marks_of_ended
from stages.generate.ledger.rows import (
    DAMAGED,
    SELECT,
    Damaged,
    Row,
    answer_of,
    connect,
    create,
    insert_rows,
    intact,
    prepare,
    row_of,
)
from stages.shell.numbers import counted

LEAST_FREE_BYTES = 16 * 1024 * 1024
"""What the disk must have free before the first call: about two hundred long answers and their
journal.
"""
CLAIMS = "claims.lock"
PAY_AGAIN = "GRAPH_EVALUATOR_PAY_AGAIN"
_OPEN_TIMEOUT_S = 60.0
_LISTED = "fingerprint IN (SELECT value FROM json_each(?))"


class Ledger:
    """An open ledger, used as a context; every method raises `LedgerError` when it cannot be used.
    Its folder is made.

    `say` is called with one sentence when damage was found or repaired.
    """

    def __init__(self, folder: Path, say: Callable[[str], None]) -> None:
        self._folder = folder
        self._say = say
        self.file = folder / FILE
        self._lock = threading.Lock()
        self._waiting: list[tuple[Answer, asyncio.Future[None]]] = []
        self._commit: asyncio.Task[None] | None = None
        self._marker = Marker(folder)
        self._unreadable: str | None = None
        self._lost_answers = 0
        try:
            folder.mkdir(parents=True, exist_ok=True)
            with self._opening():
                self._set_aside_emptied()
                if not os.path.lexists(self.file):
                    self._remove_marks()
                    create(self.file)
                self._open()
            self._take_over()
            self._look_for_lost()
        except Timeout:
            raise LedgerError(
                f"the ledger {self.file} has been locked by another process for over a minute"
            ) from None
        except OSError as error:
            raise self._unusable(error) from None
        except sqlite3.OperationalError as error:  # a link, or a file in place of a folder
            raise LedgerError(f"the ledger {self.file} cannot be used ({error})") from None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, _kind: object, error: BaseException | None, _trace: object) -> None:
        """Write what a cancelled run has left to write, and close."""
        try:
            self.add([answer for answer, _ in self._waiting])
            self._clear_marks()
        except LedgerError:
            if error is None:
                raise
        finally:
            self._marker.release()
            self._connection.close()

    def _clear_marks(self) -> None:
        """Clear the marks of this process and of ended ones, once the log is in the file."""
        with suppress(sqlite3.Error, OSError, Timeout), self._opening():
            log = self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
            if log[0]:  # another process is busy with it, and clears the marks
                return
            self._marker.clear()
            if not self._lost_answers:
                self._remove_marks()

    def _remove_marks(self) -> None:
        for file, _ in marks_of_ended(self._folder):
            file.unlink(missing_ok=True)

    def present(self, fingerprints: Sequence[str]) -> frozenset[str]:
        """The fingerprints that the ledger has an answer to."""
        return frozenset(row["fingerprint"] for row in self._rows(fingerprints))

    def read(self, fingerprints: Sequence[str]) -> dict[str, Answer]:
        """The answers to these, where there are any."""
        return {row["fingerprint"]: answer_of(row) for row in self._rows(fingerprints)}

    def requests(self) -> list[str]:
        """The canonical requests of all answers, oldest first."""
        with self._explained():
            return [
                row["request"]
                for row in self._connection.execute(f"{SELECT} ORDER BY rowid")
                if intact(row)
            ]

    def output_tokens(self, model: str, *, most: int = 500) -> list[tuple[str, int]]:
        """The canonical request and the output tokens of the last answers of a model, newest
        first.
        """
        counted_rows = f"{SELECT} WHERE model = ? AND typeof(output_tokens) = 'integer'"
        query = f"{counted_rows} ORDER BY rowid DESC LIMIT ?"
        with self._explained():
            rows = self._connection.execute(query, (model, most))
            return [(row["request"], row["output_tokens"]) for row in rows if intact(row)]

    def add(self, answers: Sequence[Answer]) -> None:
        """Store answers; one that is there already is not replaced."""
        if not answers:
            return
        rows = [row_of(answer) for answer in answers]
        with self.transaction() as connection:
            insert_rows(connection, rows)
        self._marker.write(answers[-1].fingerprint)

    async def put(self, answer: Answer) -> None:
        """Return when the answer is on disk; one whose wait is cancelled is written all the same,
        at the latest on closing.
        """
        stored: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append((answer, stored))
        if self._commit is None or self._commit.done():
            self._commit = asyncio.create_task(self._write_waiting())
        await stored

    async def _write_waiting(self) -> None:
        while batch := list(self._waiting):
            try:
                await asyncio.to_thread(self.add, [answer for answer, _ in batch])
            except Exception as error:  # noqa: BLE001 - whatever it is, everyone who waits gets it
                for _, stored in self._waiting:
                    if not stored.done():
                        stored.set_exception(error)
                return
            # Not before: what a cancelled or failed run has not written is written at the end.
            del self._waiting[: len(batch)]
            for _, stored in batch:
                if not stored.done():
                    stored.set_result(None)

    def begin_calls(self, *, paid: bool = True, pay_again: bool = False) -> None:
        """Check, before the first call, that answers can be stored, and where calls are paid
        (unless `pay_again`) that none is paid for again because its answer was lost.
        """
        if paid and (self._unreadable is not None or self._lost_answers):
            if not pay_again:
                raise LedgerError(self._loss())
            if self._unreadable is not None:
                self._note_taken_over(self._unreadable, [])
            self._remove_marks()
            self._lost_answers = 0
        if shutil.disk_usage(self._folder).free < LEAST_FREE_BYTES:
            raise LedgerError(
                f"the disk has no room for answers ({self._folder}): nothing was called; free some "
                "space and run again"
            )
        with self._explained():  # an answer that an index lacks would be paid for again
            self._check("integrity_check")

    def _loss(self) -> str:
        loss, remedy = self._vanished(), "its log"
        if self._unreadable is not None:
            loss = f"nothing can be read of the damaged ledger {self._folder / self._unreadable}"
            remedy = "the ledger"
        return (
            f"{loss}, so that they would be called and paid for again; nothing was called. Put a "
            f"copy of {remedy} in place, or set {PAY_AGAIN}=1 in the environment to go on without"
        )

    def claims(self) -> AbstractContextManager[Claims]:
        """The claims of a new run, for a `with` statement."""
        try:
            return closing(Claims(self._folder / CLAIMS, self.present))
        except OSError as error:
            raise self._unusable(error) from None

    @contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """A block of changes that are on disk, all of them, when it ends; one at a time."""
        with self._explained(), self._lock, self._connection:
            self._connection.execute("BEGIN IMMEDIATE")
            yield self._connection

    def _rows(self, fingerprints: Sequence[str]) -> list[Row]:
        """The intact rows of these; others are moved to a table of their own."""
        with self._explained():
            keys = (json.dumps(fingerprints),)
            rows: list[Row] = self._connection.execute(f"{SELECT} WHERE {_LISTED}", keys).fetchall()
        intact_rows = [row for row in rows if intact(row)]
        if len(intact_rows) < len(rows):
            self._remove_altered([row["fingerprint"] for row in rows if not intact(row)])
        return intact_rows

    def _remove_altered(self, fingerprints: Sequence[str]) -> None:
        keys = (json.dumps(fingerprints),)
        altered = f"answers WHERE {_LISTED}"
        columns = "SELECT * FROM answers WHERE 0"
        create = f"CREATE TABLE IF NOT EXISTS {DAMAGED} AS {columns}"
        with self.transaction() as connection:
            connection.execute(create)
            connection.execute(f"INSERT INTO {DAMAGED} SELECT * FROM {altered}", keys)  # noqa: S608
            connection.execute(f"DELETE FROM {altered}", keys)  # noqa: S608
        named = ", ".join(key[:12] for key in fingerprints[:5])
        answers = f"{counted(len(fingerprints), 'answer')} ({named})"
        self._say(
            f"the ledger {self.file} is damaged: {answers} cannot be used, kept in its table "
            f"{DAMAGED}"
        )

    def _opening(self) -> FileLock:
        return FileLock(self._folder / "open.lock", timeout=_OPEN_TIMEOUT_S)

    def _set_aside_emptied(self) -> None:
        """Set a file aside that is too short for a ledger, although calls were made with it."""
        was_used = self.file.exists() and (self._folder / CLAIMS).exists()
        if was_used and self.file.stat().st_size < SHORTEST_LEDGER:
            size = counted(self.file.stat().st_size, "byte")
            aside = set_aside(self.file)
            self._say(f"the ledger {self.file} had {size}; it is set aside as {aside.name}")

    def _look_for_lost(self) -> None:
        """Find out whether answers vanished that killed processes stored."""
        names = {name for _, name in marks_of_ended(self._folder) if name}
        present = {row["fingerprint"] for row in self._rows(sorted(names))} if names else set()
        self._lost_answers = len(names - present)
        if self._lost_answers:
            self._say(f"{self._vanished()}: perhaps its write-ahead log {FILE}-wal was removed")

    def _vanished(self) -> str:
        return f"the ledger {self.file} lacks answers that a process had stored when it was killed"

    def _open(self) -> None:
        not_closed = Path(f"{self.file}-wal").exists()
        if self.file.exists() and repair_header(self.file):
            outcome = "it is repaired, and every answer can be read"
            self._say(f"the header of the ledger {self.file} was damaged; {outcome}")
        self._connection = connect(self.file, timeout_s=_OPEN_TIMEOUT_S)
        try:
            with self._explained():
                prepare(self._connection, self.file)
                if not_closed:
                    self._check("quick_check")
        except BaseException:
            self._connection.close()
            raise

    def _check(self, pragma: str) -> None:
        (verdict,) = self._connection.execute(f"PRAGMA {pragma}(1)").fetchone()
        if verdict != "ok":
            raise Damaged(str(verdict))

    def _take_over(self) -> None:
        """Copy the readable answers of files that were set aside, once for each file."""
        with self._explained():
            known = {name for (name,) in self._connection.execute("SELECT file FROM taken_over")}
        for aside in sorted(self._folder.glob(ASIDE.format("*"))):
            if aside.name in known:
                continue
            rows = list(readable_rows(aside))
            if not rows:
                self._unreadable = aside.name
                continue
            self._note_taken_over(aside.name, rows)
            answers = counted(len(rows), "readable answer")
            self._say(f"took over {answers} from the damaged ledger {aside.name}")

    def _note_taken_over(self, name: str, rows: Sequence[Row]) -> None:
        with self.transaction() as connection:
            insert_rows(connection, rows)
            connection.execute(
                "INSERT INTO taken_over (file, answers) VALUES (?, ?) "
                "ON CONFLICT (file) DO NOTHING",
                (name, len(rows)),
            )

    def _unusable(self, error: OSError) -> LedgerError:
        reason = f"{error.strerror}: {error.filename}" if error.filename else error.strerror
        return LedgerError(
            f"the ledger folder {self._folder} cannot be used ({reason}); {ELSEWHERE}"
        )

    def _explained(self) -> AbstractContextManager[None]:
        return explained(self.file, self._connection)
