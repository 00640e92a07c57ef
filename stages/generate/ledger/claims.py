"""Who fetches which answer: two runs over the same cells pay once.

A claim names a run. A run holds the lock on a file of its own, which the system releases when the process ends, however it
ends. A claim of a run whose lock is free may be taken by any other.
"""

import json
import os
import sqlite3
import uuid
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from filelock import FileLock, Timeout

from stages.contracts.errors import LedgerError
from stages.generate.ledger.rows import LISTED

Transaction = Callable[[], AbstractContextManager[sqlite3.Connection]]


@contextmanager
def claims_of_run(transaction: Transaction, folder: Path) -> Iterator["Claims"]:
    """The claims of a new run, with its lock in `folder`; afterwards what was claimed and not answered is free."""
    run = uuid.uuid4().hex
    lock = FileLock(folder / f"{run}.lock")
    try:
        folder.mkdir(exist_ok=True)
        with transaction():  # whoever takes claims removes the locks that nobody holds
            lock.acquire()
    except OSError as error:
        raise LedgerError(f"the ledger folder {folder} cannot be written: {error.strerror}") from None
    try:
        yield Claims(transaction, folder, run)
    finally:
        with suppress(LedgerError), transaction() as connection:  # without its lock, a claim of this run is free anyway
            connection.execute("DELETE FROM claims WHERE run = ?", (run,))
        lock.release()
        Path(lock.lock_file).unlink(missing_ok=True)


@dataclass(frozen=True, slots=True)
class Claims:
    """The claims of one run."""

    _transaction: Transaction
    _folder: Path
    _run: str

    def take(self, fingerprints: Sequence[str]) -> frozenset[str]:
        """Claim the answers that nobody has and no other running process is fetching; returns those that are now ours."""
        keys = json.dumps(fingerprints)
        with self._transaction() as connection:
            self._remove_claims_of_ended_runs(connection)
            taken = connection.execute(
                f"SELECT fingerprint FROM answers WHERE {LISTED} "  # noqa: S608 - our own condition
                f"UNION SELECT fingerprint FROM claims WHERE {LISTED} AND run <> ?",
                (keys, keys, self._run),
            )
            mine = frozenset(fingerprints) - {key for (key,) in taken}
            connection.executemany(
                "INSERT INTO claims (fingerprint, run) VALUES (?, ?) ON CONFLICT (fingerprint) DO NOTHING",
                [(key, self._run) for key in sorted(mine)],
            )
        return mine

    def give_back(self, fingerprints: Iterable[str]) -> None:
        """Let others call what could not be answered."""
        with self._transaction() as connection:
            connection.executemany(
                "DELETE FROM claims WHERE fingerprint = ? AND run = ?", [(key, self._run) for key in fingerprints]
            )

    def _remove_claims_of_ended_runs(self, connection: sqlite3.Connection) -> None:
        claiming = {run for (run,) in connection.execute("SELECT DISTINCT run FROM claims")}
        locked = {lock.stem for lock in self._folder.glob("*.lock")}
        for run in sorted((claiming | locked) - {self._run}):
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
