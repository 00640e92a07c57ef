"""What processes that share a ledger say by locked files: which answers they fetch, and which they
stored last.
"""

import fcntl
import os
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO

_PREFIX = "stored-"
_SUFFIX = ".mark"


_CLAIM_DIGITS = 15
"""Hex digits of a fingerprint that name the byte of its claim: the longest offset that a file may
have takes sixteen.
"""


class Claims:
    """Which answers this process fetches, so that two runs over the same cells pay once; a process
    has them open once at a time.

    A claim is a lock on one byte of a file, which the system releases when the process ends,
    however it ends.
    """

    def __init__(self, file: Path, present: Callable[[Sequence[str]], frozenset[str]]) -> None:
        self._file = file.open("ab")
        self._present = present

    def close(self) -> None:
        """Give everything back."""
        self._file.close()

    def take(self, fingerprints: Sequence[str]) -> frozenset[str]:
        """Claim the answers that nobody has and no other running process is fetching; returns those
        that are now ours.
        """
        ours = [key for key in fingerprints if self._lock(key)]
        answered = self._present(
            ours
        )  # not before: another process may have stored them and ended in between
        self.give_back(answered)
        return frozenset(ours) - answered

    def give_back(self, fingerprints: Iterable[str]) -> None:
        """Let others call what could not be answered."""
        for key in fingerprints:
            fcntl.lockf(self._file, fcntl.LOCK_UN, 1, int(key[:_CLAIM_DIGITS], 16))

    def _lock(self, fingerprint: str) -> bool:
        try:
            fcntl.lockf(
                self._file, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, int(fingerprint[:_CLAIM_DIGITS], 16)
            )
        except (BlockingIOError, PermissionError):
            return False
        return True


class Marker:
    """The mark of this process, which names the last answer that it stored, so that one that
    vanished with SQLite's write-ahead log is noticed. Locked while the process runs.
    """

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
