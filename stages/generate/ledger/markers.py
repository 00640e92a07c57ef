"""Marks that name the last answer that a process stored, so that one that vanished with SQLite's
write-ahead log is noticed: a file per process, which outlives a kill.
"""

import fcntl
import os
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO

_PREFIX = "stored-"
_SUFFIX = ".mark"


class Marker:
    """The mark of this process, locked while it runs."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._handle: BinaryIO | None = None

    def write(self, fingerprint: str) -> None:
        """Name an answer that was stored."""
        if self._handle is None:
            number, name = tempfile.mkstemp(_SUFFIX, _PREFIX, self._folder)
            self._handle = os.fdopen(number, "wb")
            self._file = Path(name)
            fcntl.flock(self._handle, fcntl.LOCK_EX)
        os.pwrite(self._handle.fileno(), fingerprint.encode("ascii"), 0)

    def clear(self) -> None:
        """Remove the mark: no answer is in the log only."""
        if self._handle is not None:
            self._file.unlink(missing_ok=True)
            self.release()

    def release(self) -> None:
        """Leave the mark to those who have the ledger open; the last of them removes it."""
        if self._handle is not None:
            self._handle.close()
            self._handle = None


def marks_of_ended(folder: Path) -> Iterator[tuple[Path, str]]:
    """The marks of processes that do not run any more, and the fingerprint that each names."""
    for file in sorted(folder.glob(f"{_PREFIX}*{_SUFFIX}")):
        with suppress(FileNotFoundError, BlockingIOError), file.open("rb") as handle:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            yield file, handle.read().decode("ascii", "replace")
