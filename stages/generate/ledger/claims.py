"""Who fetches which answer: two runs over the same cells pay once.

A claim names a run; a run lives as long as it holds the lock on its own file, which the system releases when the process
ends, however it ends. A claim of a run that lives no more is free to take.
"""

import os
import sqlite3
from collections.abc import Iterable, Sequence
from pathlib import Path
from types import TracebackType

from filelock import FileLock, Timeout

from stages.contracts.errors import LedgerError
from stages.generate.ledger.file import explained

_CHUNK = 500


class Claims:
    """The claims of one run. Use it as a context: leaving it gives back what was claimed and not answered."""

    def __init__(self, connection: sqlite3.Connection, folder: Path, file: Path, run: str) -> None:
        self._connection = connection
        self._file = file
        self._runs = folder / "runs"
        self._run = run
        self._lock = FileLock(self._runs / f"{run}.lock")

    def __enter__(self) -> "Claims":
        """Begin to live."""
        try:
            self._runs.mkdir(exist_ok=True)
            self._connection.execute("BEGIN IMMEDIATE")  # whoever takes claims clears up the locks that nobody holds
            try:
                self._lock.acquire()
            finally:
                self._connection.execute("COMMIT")
        except OSError as error:
            raise LedgerError(f"the ledger folder {self._runs} cannot be written: {error.strerror}") from None
        except sqlite3.Error as error:
            raise explained(error, self._file) from None
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Give back every claim and stop living."""
        try:
            self._connection.execute("DELETE FROM claims WHERE run = ?", (self._run,))
        except sqlite3.Error:
            pass  # a claim of a run that lives no more is free anyway
        finally:
            self._lock.release()
            Path(self._lock.lock_file).unlink(missing_ok=True)

    def take(self, fingerprints: Sequence[str]) -> frozenset[str]:
        """Claim the answers that nobody has and no other living run is fetching; the rest is held by others or is there.

        Returns:
            What is now ours to fetch.
        """
        try:
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                self._forget_the_dead()
                mine = self._take(fingerprints)
                self._connection.execute("COMMIT")
            except BaseException:
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")
                raise
        except sqlite3.Error as error:
            raise explained(error, self._file) from None
        return mine

    def give_back(self, fingerprints: Iterable[str]) -> None:
        """Let others try what could not be answered."""
        try:
            self._connection.executemany(
                "DELETE FROM claims WHERE fingerprint = ? AND run = ?", [(key, self._run) for key in fingerprints]
            )
        except sqlite3.Error as error:
            raise explained(error, self._file) from None

    def _take(self, fingerprints: Sequence[str]) -> frozenset[str]:
        mine: set[str] = set()
        for start in range(0, len(fingerprints), _CHUNK):
            chunk = fingerprints[start : start + _CHUNK]
            marks = ", ".join("?" * len(chunk))
            there = self._connection.execute(
                f"SELECT fingerprint FROM answers WHERE fingerprint IN ({marks}) "  # noqa: S608 - only marks
                f"UNION SELECT fingerprint FROM claims WHERE fingerprint IN ({marks}) AND run <> ?",
                (*chunk, *chunk, self._run),
            )
            mine.update(set(chunk) - {key for (key,) in there})
        self._connection.executemany(
            "INSERT INTO claims (fingerprint, run) VALUES (?, ?) ON CONFLICT (fingerprint) DO NOTHING",
            [(key, self._run) for key in sorted(mine)],
        )
        return frozenset(mine)

    def _forget_the_dead(self) -> None:
        for (run,) in self._connection.execute(
            "SELECT DISTINCT run FROM claims WHERE run <> ?", (self._run,)
        ).fetchall():
            if not self._lives(str(run)):
                self._connection.execute("DELETE FROM claims WHERE run = ?", (run,))
        for lock in sorted(self._runs.glob("*.lock")):  # of runs that were killed before they had claimed anything
            if lock.stem != self._run:
                self._lives(lock.stem)

    def _lives(self, run: str) -> bool:
        path = self._runs / f"{os.path.basename(run)}.lock"
        if not path.exists():
            return False
        try:
            with FileLock(path, timeout=0):
                path.unlink(missing_ok=True)
                return False
        except Timeout:
            return True
        except OSError:
            return True
