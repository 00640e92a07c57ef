"""The ledger: the store of every answer that was ever paid for, by request fingerprint.
Append-only, durable, shared.

One SQLite file in WAL mode, `.ledger/answers.sqlite3`, that several processes use at once. A
damaged one is never written to: what can be read of it is copied into memory, and the copy is used.
"""

import asyncio
import json
import os
import shutil
import sqlite3
import threading
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from filelock import FileLock

from graph_evaluator.generate.ledger.locked_files import Claims, SharedUse
from graph_evaluator.generate.ledger.rows import (
    DISK_FULL,
    FILE,
    Row,
    connect,
    connect_to_read,
    create,
    explained,
    find_damage,
    insert_rows,
    prepare,
    readable_rows,
    row_of,
    stored_answer,
)
from graph_evaluator.generate.plan.call import Call
from graph_evaluator.records.errors import LedgerError
from graph_evaluator.records.response import Answer
from graph_evaluator.shell.files import link_or_copy

RESERVE_BYTES = 12 * 1024 * 1024
"""What the log takes of the disk before the first call: room for the answers to calls that are in
flight when the disk fills up.
"""
FULL_BELOW_BYTES = 2 * 1024 * 1024
"""With less free space, besides that of the log, nothing more is called."""
CLAIMS = "claims.lock"
PAY_AGAIN = "GRAPH_EVALUATOR_PAY_AGAIN"
REMEDY = (
    f"put a backup of the ledger in its place, or set {PAY_AGAIN}=1 in the environment to pay "
    "again for what is lost: a damaged ledger is then kept under another name, and what can be "
    "read of it is used"
)
"""How to go on without answers that the ledger has lost."""
ASIDE = "answers.damaged-{}.sqlite3"
"""The name of a damaged ledger that was replaced, by its number."""
_LOGS = ("-wal", "-shm")
_LISTED = "fingerprint IN (SELECT value FROM json_each(?))"


@dataclass(frozen=True, slots=True, kw_only=True)
class Spending:
    """What the answers of one model were called for, how many there are, and what was counted for
    them, US dollars: in total, and for the dearest.

    `purpose` is None for answers that others called for, or an older version: their cost is None.
    An answer whose server reported no usage counts the most that it may have cost.
    """

    purpose: str | None
    model: str
    answers: int
    usd: float | None
    highest_usd: float | None


class Ledger:
    """An open ledger, used as a context; every method raises `LedgerError` when it cannot be used.
    Its folder is made.

    `damage` names a damaged ledger and what is wrong with it; None for a sound one.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.file = folder / FILE
        self.damage: str | None = None
        self._lock = threading.Lock()
        self._waiting: dict[str, Row] = {}
        self._commit: asyncio.Task[None] | None = None
        self._has_room = False
        with ExitStack() as opened, self._explained():
            folder.mkdir(parents=True, exist_ok=True)
            self._use = opened.enter_context(closing(SharedUse(folder / "users.lock")))
            with FileLock(folder / "open.lock"):
                if not os.path.lexists(self.file):
                    create(self.file)
            reason = find_damage(self.file)
            if reason is None:
                self._connection = self._connect(self.file)
            else:
                self.damage = f"the ledger {self.file} is damaged ({reason})"
                self._damaged_inode = self.file.stat().st_ino
                self._connection = self._copy_readable()
            self._closing = opened.pop_all()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, _kind: object, error: BaseException | None, _trace: object) -> None:
        """Write what a cancelled run has left to write, and close."""
        try:
            self.add(list(self._waiting.values()))
        except LedgerError:
            if error is None:
                raise
        finally:
            self._connection.close()
            self._closing.close()

    def _connect(self, file: Path | str) -> sqlite3.Connection:
        connection = connect(file)
        try:
            prepare(connection, self.file)
        except BaseException:
            connection.close()
            raise
        return connection

    def _copy_readable(self) -> sqlite3.Connection:
        """A ledger in memory with all rows of the damaged one that can be read."""
        copy = self._connect(":memory:")
        with closing(connect_to_read(self.file)) as damaged:
            copy.execute("BEGIN")
            insert_rows(copy, readable_rows(damaged, self.file))
            copy.execute("COMMIT")
        return copy

    def present(self, fingerprints: Sequence[str]) -> frozenset[str]:
        """The fingerprints that the ledger has an answer to."""
        rows = self._rows(fingerprints, "fingerprint")
        return frozenset(row["fingerprint"] for row in rows)

    def read(self, calls: Sequence[Call]) -> dict[str, Answer]:
        """The answers to calls by fingerprint, where there are any."""
        by_fingerprint = {call.fingerprint: call for call in calls}
        rows = {row["fingerprint"]: row for row in self._rows(list(by_fingerprint))}
        return {key: stored_answer(row, by_fingerprint[key]) for key, row in rows.items()}

    def rows(self) -> Iterator[Row]:
        """The rows of all answers, oldest first."""
        with self._explained():
            yield from self._connection.execute("SELECT * FROM answers ORDER BY rowid")

    def output_tokens(self, model: str, *, most: int = 500) -> list[tuple[str, int]]:
        """The canonical request and the output tokens of the last answers of a model, newest
        first.
        """
        query = (
            "SELECT request, output_tokens FROM answers "
            "WHERE model = ? AND typeof(output_tokens) = 'integer' ORDER BY rowid DESC LIMIT ?"
        )
        with self._explained():
            return [tuple(row) for row in self._connection.execute(query, (model, most))]

    def add(self, rows: Sequence[Row]) -> None:
        """Store rows; one that is there already is not replaced."""
        if rows:
            with self.transaction() as connection:
                insert_rows(connection, rows)

    def spending(self) -> list[Spending]:
        """What answers were called for and what they cost, by purpose and model."""
        columns = "purpose, model, count(*) AS answers, sum(booked_usd) AS usd"
        query = (
            f"SELECT {columns}, max(booked_usd) AS highest_usd "  # noqa: S608
            "FROM answers GROUP BY purpose, model"
        )
        with self._explained():
            return [Spending(**dict(row)) for row in self._connection.execute(query)]

    async def put(
        self,
        call: Call,
        answer: Answer,
        purpose: str | None = None,
        booked_usd: float | None = None,
    ) -> None:
        """Return when the answer is on disk, with its purpose and what was counted for it; one
        whose wait is cancelled is written all the same, at the latest on closing.

        Raises:
            LedgerError: the answer cannot be stored, or it is stored and the disk is full: nothing
                more may be called.
        """
        paid = {"purpose": purpose, "booked_usd": booked_usd}
        self._waiting[call.fingerprint] = row_of(answer, call.model, call.canonical) | paid
        while call.fingerprint in self._waiting:
            if self._commit is None or self._commit.done():
                self._commit = asyncio.create_task(self._write_waiting())
            await asyncio.shield(self._commit)
        if shutil.disk_usage(self._folder).free < FULL_BELOW_BYTES:
            raise LedgerError(DISK_FULL.format(self.file))

    async def _write_waiting(self) -> None:
        """Write all answers that wait now, with one commit."""
        rows = dict(self._waiting)
        await asyncio.to_thread(self.add, list(rows.values()))
        # Not before: what a cancelled or failed run has not written is written at the end.
        for fingerprint in rows:
            self._waiting.pop(fingerprint)

    def begin_calls(self, *, stored: bool = True, pay_again: bool = False) -> None:
        """Check, before the first call, that answers can be stored. `stored` is False where all
        answers may end with the process.

        With `pay_again` a new ledger takes the place of a damaged one.
        """
        if self.damage is not None and stored:
            if not pay_again:
                raise LedgerError(f"{self.damage}, so that nothing was called; {REMEDY}")
            self._replace()
        if stored and not self._has_room:
            self._reserve_log()

    def _reserve_log(self) -> None:
        """Let the log grow, by writing what is then undone: SQLite uses its room again."""
        self._has_room = True
        with self._explained(), self._lock, self._connection:
            # A log that a killed run left would take the room twice.
            self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
            self._connection.execute("BEGIN IMMEDIATE")
            self._connection.execute("CREATE TABLE reserve (content BLOB)")
            content = os.urandom(RESERVE_BYTES)  # some file systems take no room for zeros
            self._connection.execute("INSERT INTO reserve VALUES (?)", (content,))
            self._connection.rollback()

    def _replace(self) -> None:
        """Put the copy of what can be read in place of the damaged ledger, which keeps its bytes
        under another name.
        """
        with self._explained():
            is_ours = self._use.take_alone()
            try:
                if not is_ours or self.file.stat().st_ino != self._damaged_inode:
                    fix = "run again when no other run uses it"
                    raise LedgerError(f"{self.damage}, and another process uses it: {fix}")
                new_file = self.file.with_suffix(".new")
                new_file.unlink(missing_ok=True)
                with closing(connect(new_file)) as connection:
                    self._connection.backup(connection)
                number = 1
                while (aside := self.file.with_name(ASIDE.format(number))).exists():
                    number += 1
                for part in ("", *_LOGS):
                    with suppress(FileNotFoundError):
                        link_or_copy(Path(f"{self.file}{part}"), Path(f"{aside}{part}"))
                for part in _LOGS:  # before the new file is there: SQLite would write them into it
                    Path(f"{self.file}{part}").unlink(missing_ok=True)
                new_file.replace(self.file)
            finally:
                self._use.share()
            self._connection.close()
            self._connection = self._connect(self.file)
        self.damage = None

    def claims(self) -> AbstractContextManager[Claims]:
        """The claims of a new run, for a `with` statement."""
        with self._explained():
            return closing(Claims(self._folder / CLAIMS, self.present))

    @contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """A block of changes that are on disk, all of them, when it ends; one at a time."""
        with self._explained(), self._lock, self._connection:
            self._connection.execute("BEGIN IMMEDIATE")
            yield self._connection

    def _rows(self, fingerprints: Sequence[str], columns: str = "*") -> Sequence[Row]:
        """The rows of these."""
        query = f"SELECT {columns} FROM answers WHERE {_LISTED}"  # noqa: S608
        with self._explained():
            return self._connection.execute(query, (json.dumps(fingerprints),)).fetchall()

    def _explained(self) -> AbstractContextManager[None]:
        return explained(self.file)
