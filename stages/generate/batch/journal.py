"""The journal of batches: those submitted and not yet collected. It survives every kill, so that
nothing is submitted twice.

A file of its own beside the answers, so that damage to one does not affect the other. A batch
passes through three states, each on disk before the step that it allows:

    intended    its calls are reserved; the input file may be uploading
    uploaded    the input file exists; the batch may have been created
    submitted   the batch has an id: only waiting and collecting are left

and is closed when each of its calls is settled: its answer is stored, or it is known that there is
none. A batch that was `intended` when the process died was never created; one that was `uploaded`
is searched for by its key.
"""

import itertools
import sqlite3
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
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
    """A batch that is not closed: the calls that are not settled, and its state, noted at a Unix
    time.
    """

    key: str
    endpoint: Endpoint
    model: str
    state: State
    noted_at: float
    batch_id: str | None
    fingerprints: tuple[str, ...]

    @property
    def name(self) -> str:
        """What to call it in a message."""
        return f"batch {self.batch_id}" if self.batch_id else "a batch whose id is not known yet"


class BatchJournal:
    """The journal in a ledger folder; every method returns when its change is on disk, or raises
    `LedgerError`.
    """

    def __init__(self, folder: Path, clock: Callable[[], float] = time.time) -> None:
        self.file = folder / FILE
        self.clock = clock
        with self._explained():
            folder.mkdir(parents=True, exist_ok=True)
            self._connection = sqlite3.connect(
                self.file, timeout=_OPEN_TIMEOUT_S, isolation_level="IMMEDIATE"
            )
            (version,) = self._connection.execute("PRAGMA user_version").fetchone()
            if version > VERSION:
                raise LedgerError(
                    f"the journal {self.file} was made by a newer version of this tool"
                )
            self._connection.execute("PRAGMA journal_mode = WAL")
            self._connection.execute("PRAGMA synchronous = FULL")
            if version < VERSION:
                self._connection.executescript(f"BEGIN IMMEDIATE; {_TABLES} COMMIT;")

    def close(self) -> None:
        """Close the file."""
        self._connection.close()

    def open_batches(self) -> tuple[BatchRecord, ...]:
        """The batches that are not closed, oldest first."""
        with self._explained():
            rows = self._connection.execute(
                "SELECT key, endpoint, model, state, noted_at, batch_id, fingerprint "
                "FROM batches JOIN requests USING (key) "
                "WHERE settled = 0 ORDER BY batches.rowid, position"
            )
            records: list[BatchRecord] = []
            for (key, noted, model, state, at, batch_id), calls in itertools.groupby(
                rows, lambda row: row[:-1]
            ):
                endpoint, fingerprints = (
                    Endpoint.model_validate_json(noted),
                    tuple(row[-1] for row in calls),
                )
                records.append(BatchRecord(key, endpoint, model, state, at, batch_id, fingerprints))
            return tuple(records)

    def intend(
        self, key: str, *, endpoint: Endpoint, model: str, fingerprints: Sequence[str]
    ) -> None:
        """Reserve the calls of a batch, before anything is sent."""
        with self._explained(), self._connection:
            self._connection.execute(
                "INSERT INTO batches (key, endpoint, model, state, noted_at) "
                "VALUES (?, ?, ?, 'intended', ?)",
                (key, endpoint.model_dump_json(), model, self.clock()),
            )
            self._connection.executemany(
                "INSERT INTO requests (key, position, fingerprint) VALUES (?, ?, ?)",
                [(key, position, fingerprint) for position, fingerprint in enumerate(fingerprints)],
            )

    def note(self, key: str, state: State, *, batch_id: str | None = None) -> None:
        """Note a later state of a batch; a submitted one has an id."""
        with self._explained(), self._connection:
            self._connection.execute(
                "UPDATE batches SET state = ?, noted_at = ?, batch_id = ? WHERE key = ?",
                (state, self.clock(), batch_id, key),
            )

    def settle(self, key: str, fingerprints: Iterable[str]) -> None:
        """These calls have everything that the batch will ever give them."""
        with self._explained(), self._connection:
            self._connection.executemany(
                "UPDATE requests SET settled = 1 WHERE key = ? AND fingerprint = ?",
                [(key, fingerprint) for fingerprint in fingerprints],
            )

    @contextmanager
    def _explained(self) -> Iterator[None]:
        try:
            yield
        except (sqlite3.Error, OSError, ValidationError) as error:
            raise LedgerError(
                f"the journal of batches {self.file} cannot be used: {error}; it lists the batches "
                "that are not collected, so that nothing is submitted twice: fix its permissions "
                "or free some space, and keep it"
            ) from None


def open_batches(folder: Path) -> tuple[BatchRecord, ...]:
    """The batches that are not closed; without a journal none, and none is created."""
    if not (folder / FILE).exists():
        return ()
    with closing(BatchJournal(folder)) as journal:
        return journal.open_batches()


def fingerprints_out(folder: Path) -> frozenset[str]:
    """The calls that are in a batch and not collected."""
    return frozenset(key for record in open_batches(folder) for key in record.fingerprints)
