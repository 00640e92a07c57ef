"""The ledger: the store of every answer that was ever paid for, by request fingerprint.
Append-only, durable, shared.

One SQLite file in WAL mode, `.ledger/answers.sqlite3`, that several processes use at once. A
damaged one is refused by name: it is never written to, changed or deleted.
"""

import asyncio
import json
import os
import shutil
import sqlite3
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from shlex import quote
from typing import Self

from filelock import FileLock

from graph_evaluator.generate.ledger.rows import (
    ADOPTED,
    DISK_FULL,
    FILE,
    UNUSABLE,
    LedgerRow,
    LockedLedger,
    connect,
    connect_to_read,
    create,
    explained,
    find_damage,
    insert_rows,
    make_private_folder,
    prepare,
    prepare_to_read,
    row_of,
    stored_answer,
)
from graph_evaluator.generate.plan.call import Call
from graph_evaluator.records.errors import LedgerError
from graph_evaluator.records.json_text import canonical
from graph_evaluator.records.response import Answer
from graph_evaluator.shell.command import say

RESERVE_BYTES = 12 * 1024 * 1024
"""What the log takes of the disk before the first call: room for the answers to calls that are in
flight when the disk fills up.
"""
FULL_BELOW_BYTES = 2 * 1024 * 1024
"""With less free space, besides that of the log, nothing more is called."""
_ANSWERS = f"source != '{UNUSABLE}'"
_LISTED = "fingerprint IN (SELECT value FROM json_each(?))"


class DamagedLedger(LedgerError):
    """A ledger is damaged; nothing of it was changed."""

    def __init__(self, file: Path, reason: str) -> None:
        name, folder = quote(str(file)), quote(str(file.with_name("damaged")))
        super().__init__(
            f"the ledger {file} is damaged ({reason}); nothing was called or changed. Move it and "
            f"its log aside, `mkdir {folder} && mv {name}* {folder}`, and put a backup in its "
            "place, or run without one: a new ledger is filled from results, git and DVC"
        )


class Ledger:
    """An open ledger, used as a context; every method raises `LedgerError` when it cannot be used.
    Its folder is made.

    One that is only read may lack its file, and nothing is written to the disk: rows that are added
    are kept in memory.

    Raises:
        DamagedLedger: it is damaged.
    """

    def __init__(self, folder: Path, *, read_only: bool = False) -> None:
        self._folder = folder
        self._table = "answers"
        self.file = folder / FILE
        self.read_only = read_only
        self._lock = threading.Lock()
        self.waiting: dict[str, LedgerRow] = {}
        """The answers that have arrived and are not stored yet."""
        self._writer = ThreadPoolExecutor(1)
        self._commit: asyncio.Task[None] | None = None
        self._has_room = False
        with self._explained():
            if not read_only:
                make_private_folder(folder)
                with FileLock(folder / "open.lock"):
                    if not os.path.lexists(self.file):
                        create(self.file)
            self._connection = self._connect()
            is_file = not read_only and os.path.lexists(self.file)
            # What is read while the other connection writes.
            self._reader = connect_to_read(self.file) if is_file else self._connection

    def _connect(self) -> sqlite3.Connection:
        if not os.path.lexists(self.file):
            connection = connect(":memory:")
            prepare(connection, self.file)
            return connection
        reason = find_damage(self.file)
        if reason is not None:
            raise DamagedLedger(self.file, reason)
        connection = connect_to_read(self.file) if self.read_only else connect(self.file)
        try:
            if self.read_only:
                prepare_to_read(connection)
                self._table = ADOPTED
            else:
                prepare(connection, self.file)
        except BaseException:
            connection.close()
            raise
        return connection

    def __enter__(self) -> Self:
        return self

    def __exit__(self, _kind: object, error: BaseException | None, _trace: object) -> None:
        """Write what a cancelled run has left to write, and close."""
        try:
            self.add(list(self.waiting.values()))
        except LedgerError:
            if error is None:
                raise
        finally:
            self._writer.shutdown()
            self._reader.close()
            self._connection.close()

    def present(self, fingerprints: Sequence[str]) -> frozenset[str]:
        """The fingerprints that the ledger has an answer to."""
        rows = self._rows(fingerprints, "fingerprint")
        return frozenset(row["fingerprint"] for row in rows)

    def read(self, calls: Sequence[Call]) -> dict[str, Answer]:
        """The answers to calls by fingerprint, where there are any."""
        by_fingerprint = {call.fingerprint: call for call in calls}
        rows = {row["fingerprint"]: row for row in self._rows(list(by_fingerprint))}
        return {key: stored_answer(row, by_fingerprint[key]) for key, row in rows.items()}

    def unusable(self, calls: Sequence[Call]) -> dict[str, Answer]:
        """The records of calls whose last reply was probably paid for and cannot be used, by
        fingerprint.
        """
        query = (
            "SELECT asked.value AS asked, answers.* FROM json_each(?) AS asked JOIN answers "
            "ON fingerprint > asked.value || '#' AND fingerprint < asked.value || '$' "
            "ORDER BY fingerprint"
        )
        rows = self._query(query, json.dumps([call.fingerprint for call in calls]))
        return {row["asked"]: stored_answer(row) for row in rows}

    def requests(self) -> Iterator[str]:
        """The canonical requests of all answers, oldest first."""
        query = f"SELECT request FROM answers WHERE {_ANSWERS} ORDER BY rowid"
        with self._explained():
            for row in self._connection.execute(query):
                yield row["request"]

    def rows(self) -> Iterator[LedgerRow]:
        """The rows of all answers and replies that cannot be used, oldest first."""
        with self._explained():
            yield from self._connection.execute("SELECT * FROM answers ORDER BY rowid")

    def output_tokens(self, call: Call) -> list[int]:
        """The output tokens of those of the model's last 500 answers that are at the settings of a
        call.
        """
        newest = (
            f"SELECT request, output_tokens FROM answers WHERE model = ? AND {_ANSWERS} "
            "AND typeof(output_tokens) = 'integer' ORDER BY rowid DESC LIMIT 500"
        )
        query = (
            f"SELECT output_tokens FROM ({newest}) WHERE json_extract(request, '$.settings') = ?"
        )
        settings = canonical(call.planned.settings)
        return [row["output_tokens"] for row in self._query(query, call.model, settings)]

    def add(self, rows: Sequence[LedgerRow]) -> None:
        """Store rows, once no other program has locked the ledger; one that is there already is not
        replaced.
        """
        while rows:
            try:
                with self.transaction() as connection:
                    insert_rows(connection, rows, self._table)
                return
            except LockedLedger as locked:
                say(f"{locked}: waiting for it, to store what was paid for")

    def last_row(self) -> int:
        """The number of the last row."""
        (row,) = self._query("SELECT coalesce(max(rowid), 0) AS last FROM answers")
        return int(row["last"])

    def booked(self, after_row: int) -> list[LedgerRow]:
        """What was counted towards caps for the answers after a row, US dollars, with the `row`,
        `model` and `purpose` of each, and whether it `is_of_month`.
        """
        query = (
            "SELECT rowid AS row, model, purpose, booked_usd, "
            "arrived_at >= strftime('%Y-%m-01', 'now') AS is_of_month "
            "FROM answers WHERE rowid > ? AND booked_usd IS NOT NULL ORDER BY rowid"
        )
        with self._explained():
            return self._reader.execute(query, (after_row,)).fetchall()

    def paid_for(self, purpose: str) -> tuple[int, float]:
        """How many answers a purpose has called for in all runs, and what was counted for them and
        for replies that cannot be used, US dollars.
        """
        query = (
            f"SELECT total({_ANSWERS}) AS answers, total(booked_usd) AS usd "
            "FROM answers WHERE purpose = ?"
        )
        (sums,) = self._query(query, purpose)
        return int(sums["answers"]), sums["usd"]

    async def put(
        self,
        call: Call,
        answer: Answer,
        booked_usd: float | None = None,
        purpose: str | None = None,
    ) -> None:
        """Return when the answer is on disk, or what stands in its place, with its purpose and what
        was counted for it; one whose wait is cancelled is written all the same, at the latest on
        closing.

        Raises:
            LedgerError: the answer cannot be stored, or it is stored and the disk is full: nothing
                more may be called.
        """
        paid = {"purpose": purpose, "booked_usd": booked_usd}
        row = row_of(answer, call.model, call.canonical) | paid
        key = row["fingerprint"]
        self.waiting[key] = row
        while key in self.waiting:
            if self._commit is None or self._commit.done():
                self._commit = asyncio.create_task(self.write_waiting())
            await asyncio.shield(self._commit)
        if shutil.disk_usage(self._folder).free < FULL_BELOW_BYTES:
            raise LedgerError(DISK_FULL.format(self.file))

    async def write_waiting(self) -> None:
        """Write all answers that wait now, with one commit.

        Raises:
            LedgerError: they cannot be stored.
        """
        rows = dict(self.waiting)
        loop = asyncio.get_running_loop()
        await loop.run_in_executor(self._writer, self.add, list(rows.values()))
        if self.present(list(rows)) != rows.keys():
            raise LedgerError(f"the ledger {self.file} does not keep what is stored")
        # Not before: what a cancelled or failed run has not written is written at the end.
        for fingerprint in rows:
            self.waiting.pop(fingerprint, None)

    def reserve_room(self) -> None:
        """Let the log grow before the first call, by writing what is then undone: SQLite uses its
        room again.
        """
        if self._has_room:
            return
        self._has_room = True
        self._writer.submit(int).result()  # a thread may be refused once answers have arrived
        with self._explained(), self._lock, self._connection:
            # A log that a killed run left would take the room twice.
            self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
            self._connection.execute("BEGIN IMMEDIATE")
            self._connection.execute("CREATE TABLE reserve (content BLOB)")
            content = os.urandom(RESERVE_BYTES)  # some file systems take no room for zeros
            self._connection.execute("INSERT INTO reserve VALUES (?)", (content,))
            self._connection.rollback()

    @contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """A block of changes that are on disk, all of them, when it ends; one at a time."""
        with self._explained(), self._lock, self._connection:
            self._connection.execute("BEGIN IMMEDIATE")
            yield self._connection

    def _rows(self, fingerprints: Sequence[str], columns: str = "*") -> Sequence[LedgerRow]:
        """The rows of these."""
        query = f"SELECT {columns} FROM answers WHERE {_LISTED}"
        return self._query(query, json.dumps(fingerprints))

    def _query(self, query: str, *values: object) -> Sequence[LedgerRow]:
        """The rows that a query gives."""
        with self._explained():
            return self._connection.execute(query, values).fetchall()

    def _explained(self) -> AbstractContextManager[None]:
        return explained(self.file)
