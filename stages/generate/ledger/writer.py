"""Writes answers to the ledger in a thread of its own, many to a commit: an answer counts once its commit is on disk."""

import asyncio
import queue
import sqlite3
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from stages.contracts.errors import GraphEvaluatorError, LedgerError
from stages.generate.ledger.file import INSERT, Damaged, explained, open_file
from stages.generate.ledger.reserve import DiskReserve
from stages.generate.ledger.row import LedgerRow, values_of

_MOST_PER_COMMIT = 2_000


@dataclass(frozen=True)
class _Waiting:
    row: LedgerRow
    loop: asyncio.AbstractEventLoop
    future: "asyncio.Future[None]"


class LedgerWriter:
    """One writing connection behind a queue. `put` may be cancelled: what was handed over is still written."""

    def __init__(self, folder: Path, file: Path, reserve: DiskReserve) -> None:
        self._file = file
        self._connection = open_file(folder)
        self._reserve = reserve
        self._queue: queue.SimpleQueue[_Waiting | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._work, name="ledger", daemon=True)
        self._thread.start()

    async def put(self, row: LedgerRow) -> None:
        """Return when the row is on disk; an answer that is already there stays as it is.

        Raises:
            LedgerError: it could not be written, or it took the last of the disk to write it.
        """
        loop = asyncio.get_running_loop()
        future: asyncio.Future[None] = loop.create_future()
        self._queue.put(_Waiting(row, loop, future))
        await future

    def close(self) -> None:
        """Write what is still waiting and stop."""
        self._queue.put(None)
        self._thread.join()
        self._connection.close()

    def _work(self) -> None:
        open_ended = True
        while open_ended:
            batch: list[_Waiting] = []
            entry = self._queue.get()
            while entry is not None:
                batch.append(entry)
                if len(batch) == _MOST_PER_COMMIT:
                    break
                try:
                    entry = self._queue.get_nowait()
                except queue.Empty:
                    break
            open_ended = entry is not None
            if batch:
                self._settle(batch, self._commit([waiting.row for waiting in batch]))

    def _commit(self, rows: Sequence[LedgerRow]) -> GraphEvaluatorError | None:
        try:
            self._write(rows)
        except sqlite3.Error as error:
            reason = explained(error, self._file)
            if not self._reserve.release():
                return _told(reason, self._file)
            try:
                self._write(rows)
            except sqlite3.Error:
                return _told(reason, self._file)
            return LedgerError(f"{reason}; the answers that had arrived were kept")
        return None

    def _write(self, rows: Sequence[LedgerRow]) -> None:
        try:
            self._connection.execute("BEGIN IMMEDIATE")
            self._connection.executemany(INSERT, map(values_of, rows))
            self._connection.executemany(
                "DELETE FROM claims WHERE fingerprint = ?", [(row.fingerprint,) for row in rows]
            )
            self._connection.execute("COMMIT")
        except sqlite3.Error:
            if self._connection.in_transaction:
                self._connection.execute("ROLLBACK")
            raise

    @staticmethod
    def _settle(batch: Sequence[_Waiting], error: GraphEvaluatorError | None) -> None:
        by_loop: dict[asyncio.AbstractEventLoop, list[asyncio.Future[None]]] = {}
        for waiting in batch:
            by_loop.setdefault(waiting.loop, []).append(waiting.future)
        for loop, futures in by_loop.items():
            if not loop.is_closed():
                loop.call_soon_threadsafe(_resolve, futures, error)


def _told(reason: LedgerError | Damaged, file: Path) -> LedgerError:
    return reason if isinstance(reason, LedgerError) else LedgerError(f"the ledger {file} is damaged: {reason}")


def _resolve(futures: Sequence["asyncio.Future[None]"], error: GraphEvaluatorError | None) -> None:
    for future in futures:
        if future.cancelled():
            continue
        if error is None:
            future.set_result(None)
        else:
            future.set_exception(error)
