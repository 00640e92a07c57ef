"""What processes that share a ledger say by locked files: that they use it, and which answers they
fetch.
"""

import fcntl
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

_CLAIM_DIGITS = 15
"""Hex digits of a fingerprint that name the byte of its claim: the longest offset that a file may
have takes sixteen.
"""


class LockedFile:
    """A file that is open as long as its locks are needed; the system releases them when the
    process ends, however it ends.
    """

    def __init__(self, file: Path) -> None:
        self._file = file.open("ab")

    def close(self) -> None:
        """Give everything back."""
        self._file.close()


class Claims(LockedFile):
    """Which answers this process fetches, so that two runs over the same cells pay once; a process
    has them open once at a time.

    A claim is a lock on one byte of a file.
    """

    def __init__(self, file: Path, present: Callable[[Sequence[str]], frozenset[str]]) -> None:
        super().__init__(file)
        self._present = present

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


class SharedUse(LockedFile):
    """That this process uses a ledger: a shared lock on a file, held until it is closed."""

    def __init__(self, file: Path) -> None:
        super().__init__(file)
        self.share()

    def share(self) -> None:
        """Let others use it; waits while one has it alone."""
        fcntl.flock(self._file, fcntl.LOCK_SH)

    def take_alone(self) -> bool:
        """Keep others from using it; False when one does."""
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            self.share()
            return False
        return True
