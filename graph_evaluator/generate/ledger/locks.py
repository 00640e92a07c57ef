"""What the processes that share a ledger have claimed and reserved: locks, which the system
releases when a process ends, however it ends.
"""

import fcntl
import json
import os
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from graph_evaluator.generate.ledger.rows import explained

_CLAIM_DIGITS = 15
"""Hex digits of a fingerprint that name the byte of its claim: the longest offset that a file may
have takes sixteen.
"""


class Claims:
    """The answers that a run fetches, so that two runs over the same cells pay once: locks on bytes
    of a file that a process has open once at a time. `present` says which answers are stored.
    """

    def __init__(self, file: Path, present: Callable[[Sequence[str]], frozenset[str]]) -> None:
        with explained(file):
            self._file = file.open("ab")
        self._present = present

    def close(self) -> None:
        """Give everything back."""
        self._file.close()

    def take(self, fingerprints: Sequence[str]) -> frozenset[str]:
        """Claim the answers that nobody has and no other running process is fetching; returns those
        that are now ours.
        """
        ours = [key for key in fingerprints if self._lock(key, fcntl.LOCK_EX | fcntl.LOCK_NB)]
        # Not before: another process may have stored them and ended in between.
        answered = self._present(ours)
        self.give_back(answered)
        return frozenset(ours) - answered

    def give_back(self, fingerprints: Iterable[str]) -> None:
        """Let others call what could not be answered."""
        for key in fingerprints:
            self._lock(key, fcntl.LOCK_UN)

    def _lock(self, fingerprint: str, operation: int) -> bool:
        try:
            fcntl.lockf(self._file, operation, 1, int(fingerprint[:_CLAIM_DIGITS], 16))
        except (BlockingIOError, PermissionError):
            return False
        return True


class Reserved(NamedTuple):
    """What a process has reserved, US dollars, on a purpose, for which answers count that the
    ledger has after a row.
    """

    purpose: str
    after_row: int
    usd: float = 0.0


class Reservations:
    """What this process has reserved for calls in flight: its file in the folder of all."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(exist_ok=True)
        self._folder = folder
        self._gate = (folder / "gate").open("ab")
        self._own = folder / f"{os.getpid()}-{time.time_ns()}.json"
        with self.alone():
            self._file = self._own.open("wb", buffering=0)
            fcntl.flock(self._file, fcntl.LOCK_EX)

    def close(self) -> None:
        """Give everything back."""
        with self.alone():
            self._own.unlink(missing_ok=True)
            self._file.close()
        self._gate.close()

    @contextmanager
    def alone(self) -> Iterator[None]:
        """A block in which no other process reserves anything."""
        fcntl.flock(self._gate, fcntl.LOCK_EX)
        try:
            yield
        finally:
            fcntl.flock(self._gate, fcntl.LOCK_UN)

    def note(self, reserved: Reserved) -> None:
        """Let others know what this process has reserved."""
        content = json.dumps(reserved).encode()
        os.pwrite(self._file.fileno(), content.ljust(200), 0)

    def others(self) -> list[Reserved]:
        """What the other processes that are running have reserved; within a block `alone`."""
        found: list[Reserved] = []
        for file in self._folder.glob("*.json"):
            if file == self._own:
                continue
            with file.open("rb") as other:
                try:
                    fcntl.flock(other, fcntl.LOCK_SH | fcntl.LOCK_NB)
                    file.unlink(missing_ok=True)
                except BlockingIOError:  # its process is running
                    content = other.read()
                    found += [Reserved(*json.loads(content))] if content else []
        return found
