"""The journal of batches: those submitted and not yet collected. It survives every kill, so that nothing is submitted twice.

A file of its own beside the answers, so that damage to one does not affect the other. A batch passes through three
states, each on disk before the step that it allows:

    intended    its calls are reserved; the input file may be uploading
    uploaded    the input file exists; the batch may have been created
    submitted   the batch has an id: only waiting and collecting are left

and is closed when each of its calls is settled: its answer is stored, or it is known that there is none. A batch that was
`intended` when the process died was never created; one that was `uploaded` is searched for by its key.
"""

import sqlite3
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from pydantic import ValidationError

from stages.contracts.errors import LedgerError
from stages.generate.plan.endpoint import Endpoint

FILE = "batches.sqlite3"
VERSION = 1
_OPEN_TIMEOUT_S = 60.0

State = Literal["intended", "uploaded", "submitted"]

_TABLES = f"""
CREATE TABLE IF NOT EXISTS batches (
    key TEXT PRIMARY KEY NOT NULL,
    endpoint TEXT NOT NULL,
    model TEXT NOT NULL,
    state TEXT NOT NULL,
    noted_at REAL NOT NULL,
    input_file_id TEXT,
    batch_id TEXT
);
CREATE TABLE IF NOT EXISTS requests (
    key TEXT NOT NULL REFERENCES batches (key),
    position INTEGER NOT NULL,
    fingerprint TEXT NOT NULL,
    settled INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (key, position)
);
CREATE INDEX IF NOT EXISTS unsettled ON requests (key, fingerprint) WHERE settled = 0;
PRAGMA user_version = {VERSION};
"""


@dataclass(frozen=True, slots=True)
class BatchRecord:
    """A batch that is not closed.

    `noted_at` is when its state was last noted, Unix time in seconds; `fingerprints` are its calls that are not settled.
    """

    key: str
    endpoint: Endpoint
    model: str
    state: State
    noted_at: float
    batch_id: str | None
    fingerprints: tuple[str, ...]


class BatchJournal:
    """The journal in a ledger folder; every method returns when its change is on disk.

    Raises:
        LedgerError: from here and from every method: the file cannot be used; the message names it.
    """

    def __init__(self, folder: Path) -> None:
        self.file = folder / FILE
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self._connection = sqlite3.connect(self.file, timeout=_OPEN_TIMEOUT_S, isolation_level=None)
            (version,) = self._connection.execute("PRAGMA user_version").fetchone()
            if version > VERSION:
                raise LedgerError(f"the journal {self.file} was made by a newer version of this tool")
            self._connection.execute("PRAGMA journal_mode = WAL")
            self._connection.execute("PRAGMA synchronous = FULL")
            if version < VERSION:
                self._connection.executescript(f"BEGIN IMMEDIATE; {_TABLES} COMMIT;")
        except (sqlite3.Error, OSError) as error:
            raise self._unusable(error) from None

    def close(self) -> None:
        """Close the file."""
        self._connection.close()

    def open_batches(self) -> tuple[BatchRecord, ...]:
        """The batches that are not closed, oldest first."""
        with self._transaction() as connection:
            rows = connection.execute(
                "SELECT key, endpoint, model, state, noted_at, batch_id FROM batches "
                "WHERE key IN (SELECT key FROM requests WHERE settled = 0) ORDER BY rowid"
            )
            return tuple(
                BatchRecord(
                    key, Endpoint.model_validate_json(endpoint), model, state, at, batch_id, self._unsettled(key)
                )
                for key, endpoint, model, state, at, batch_id in rows.fetchall()
            )

    def intend(self, *, key: str, endpoint: Endpoint, model: str, fingerprints: Sequence[str], at: float) -> None:
        """Reserve the calls of a batch, before anything is sent."""
        with self._transaction() as connection:
            connection.execute(
                "INSERT INTO batches (key, endpoint, model, state, noted_at) VALUES (?, ?, ?, 'intended', ?)",
                (key, endpoint.model_dump_json(), model, at),
            )
            connection.executemany(
                "INSERT INTO requests (key, position, fingerprint) VALUES (?, ?, ?)",
                [(key, position, fingerprint) for position, fingerprint in enumerate(fingerprints)],
            )

    def uploaded(self, key: str, input_file_id: str, *, at: float) -> None:
        """The input file exists; the next step is to create the batch."""
        self._note(
            "UPDATE batches SET state = 'uploaded', input_file_id = ?, noted_at = ? WHERE key = ?",
            input_file_id,
            at,
            key,
        )

    def submitted(self, key: str, batch_id: str, *, at: float) -> None:
        """The batch exists; the wait may begin."""
        self._note(
            "UPDATE batches SET state = 'submitted', batch_id = ?, noted_at = ? WHERE key = ?", batch_id, at, key
        )

    def settle(self, key: str, fingerprints: Iterable[str]) -> None:
        """These calls have everything that the batch will ever give them."""
        with self._transaction() as connection:
            connection.executemany(
                "UPDATE requests SET settled = 1 WHERE key = ? AND fingerprint = ?",
                [(key, fingerprint) for fingerprint in fingerprints],
            )

    def close_batch(self, key: str) -> None:
        """The batch was never created, or no longer exists: settle all its calls."""
        self._note("UPDATE requests SET settled = 1 WHERE key = ?", key)

    def _note(self, statement: str, *values: str | float) -> None:
        with self._transaction() as connection:
            connection.execute(statement, values)

    def _unsettled(self, key: str) -> tuple[str, ...]:
        found = self._connection.execute(
            "SELECT fingerprint FROM requests WHERE key = ? AND settled = 0 ORDER BY position", (key,)
        )
        return tuple(fingerprint for (fingerprint,) in found)

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        """Commit what the block does, or nothing of it when it fails."""
        try:
            self._connection.execute("BEGIN IMMEDIATE")
            yield self._connection
            self._connection.execute("COMMIT")
        except (sqlite3.Error, ValidationError) as error:
            raise self._unusable(error) from None
        finally:
            if self._connection.in_transaction:
                self._connection.execute("ROLLBACK")

    def _unusable(self, error: Exception) -> LedgerError:
        return LedgerError(
            f"the journal of batches {self.file} cannot be used: {error}; it lists the batches that are not collected, so "
            "that nothing is submitted twice: fix its permissions or free some space, and keep it"
        )


def fingerprints_out(folder: Path) -> Collection[str]:
    """The calls that are in a batch and not collected; without a journal none, and none is created."""
    if not (folder / FILE).exists():
        return frozenset()
    journal = BatchJournal(folder)
    try:
        return frozenset(key for record in journal.open_batches() for key in record.fingerprints)
    finally:
        journal.close()
