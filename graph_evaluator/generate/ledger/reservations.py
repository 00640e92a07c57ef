"""What the processes that share a ledger have reserved for calls in flight: a file for each, which
the system unlocks when its process ends, however it ends.
"""

import fcntl
import json
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple


class Reserved(NamedTuple):
    """What a process has reserved, US dollars, on a purpose, for which answers count that the
    ledger has after a row.
    """

    purpose: str
    after_row: int
    usd: float = 0.0


class Reservations:
    """The reservations of this process, in the folder of all."""

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
