"""Who fetches which answer: two runs over the same cells pay once.

A claim names a run. A run holds the lock on a file of its own, which the system releases when the process ends, however it
ends. A claim of a run whose lock is free may be taken by any other.
"""

import os
import sqlite3
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from types import TracebackType

from filelock import FileLock, Timeout

from stages.contracts.errors import LedgerError

_CHUNK = 500

Transaction = Callable[[], AbstractContextManager[sqlite3.Connection]]


class Claims:
    """The claims of one run. Use it as a context: leaving it gives back what was claimed and not answered.

    Args:
        transaction: A block of changes to the ledger.
        folder: The folder of the lock files.
        run: The name of this run.
    """

    def __init__(self, transaction: Transaction, folder: Path, run: str) -> None:
        self._transaction = transaction
        self._folder = folder
        self._run = run
        self._lock = FileLock(folder / f"{run}.lock")

    def __enter__(self) -> "Claims":
        """Take the lock of this run."""
        try:
            self._folder.mkdir(exist_ok=True)
            with self._transaction():  # whoever takes claims removes the locks that nobody holds
                self._lock.acquire()
        except OSError as error:
            raise LedgerError(f"the ledger folder {self._folder} cannot be written: {error.strerror}") from None
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Give back every claim and the lock."""
        try:
            with self._transaction() as connection:
                connection.execute("DELETE FROM claims WHERE run = ?", (self._run,))
        except LedgerError:
            pass  # without its lock, a claim of this run is free anyway
        finally:
            self._lock.release()
            Path(self._lock.lock_file).unlink(missing_ok=True)

    def take(self, fingerprints: Sequence[str]) -> frozenset[str]:
        """Claim the answers that nobody has and no other running process is fetching; returns those that are now ours."""
        mine: set[str] = set()
        with self._transaction() as connection:
            self._remove_claims_of_ended_runs(connection)
            for start in range(0, len(fingerprints), _CHUNK):
                chunk = fingerprints[start : start + _CHUNK]
                marks = ", ".join("?" * len(chunk))
                taken = connection.execute(
                    f"SELECT fingerprint FROM answers WHERE fingerprint IN ({marks}) "  # noqa: S608 - only marks
                    f"UNION SELECT fingerprint FROM claims WHERE fingerprint IN ({marks}) AND run <> ?",
                    (*chunk, *chunk, self._run),
                )
                mine.update(set(chunk) - {key for (key,) in taken})
            connection.executemany(
                "INSERT INTO claims (fingerprint, run) VALUES (?, ?) ON CONFLICT (fingerprint) DO NOTHING",
                [(key, self._run) for key in sorted(mine)],
            )
        return frozenset(mine)

    def give_back(self, fingerprints: Iterable[str]) -> None:
        """Let others call what could not be answered."""
        with self._transaction() as connection:
            connection.executemany(
                "DELETE FROM claims WHERE fingerprint = ? AND run = ?", [(key, self._run) for key in fingerprints]
            )

    def _remove_claims_of_ended_runs(self, connection: sqlite3.Connection) -> None:
        claiming = connection.execute("SELECT DISTINCT run FROM claims WHERE run <> ?", (self._run,)).fetchall()
        locked = [lock.stem for lock in self._folder.glob("*.lock") if lock.stem != self._run]
        for run in sorted({*(run for (run,) in claiming), *locked}):
            if not self._is_running(run):
                connection.execute("DELETE FROM claims WHERE run = ?", (run,))

    def _is_running(self, run: str) -> bool:
        path = self._folder / f"{os.path.basename(run)}.lock"
        if not path.exists():
            return False
        try:
            with FileLock(path, timeout=0):
                path.unlink(missing_ok=True)
                return False
        except (Timeout, OSError):
            return True
