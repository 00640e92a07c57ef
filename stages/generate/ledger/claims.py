"""Who fetches which answer: two runs over the same cells pay once.

A claim is a lock on one byte of a file, which the system releases when the process ends, however it ends.
"""

import fcntl
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

_DIGITS = 15
"""Hex digits of a fingerprint that name its byte: the longest offset that a file may have takes sixteen."""


class Claims:
    """The claims of this process, in a file of the ledger's folder; a process has them open once at a time.

    `present` gives the fingerprints that have an answer.
    """

    def __init__(self, file: Path, present: Callable[[Sequence[str]], frozenset[str]]) -> None:
        self._file = file.open("ab")
        self._present = present

    def close(self) -> None:
        """Give everything back."""
        self._file.close()

    def take(self, fingerprints: Sequence[str]) -> frozenset[str]:
        """Claim the answers that nobody has and no other running process is fetching; returns those that are now ours."""
        ours = [key for key in fingerprints if self._lock(key)]
        answered = self._present(ours)  # not before: another process may have stored them and ended in between
        self.give_back(answered)
        return frozenset(ours) - answered

    def give_back(self, fingerprints: Iterable[str]) -> None:
        """Let others call what could not be answered."""
        for key in fingerprints:
            fcntl.lockf(self._file, fcntl.LOCK_UN, 1, int(key[:_DIGITS], 16))

    def _lock(self, fingerprint: str) -> bool:
        try:
            fcntl.lockf(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, int(fingerprint[:_DIGITS], 16))
        except (BlockingIOError, PermissionError):
            return False
        return True
