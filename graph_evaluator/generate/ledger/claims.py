"""Which answers a process fetches, so that two runs over the same cells pay once: locks on bytes of
a file, which the system releases when the process ends, however it ends.
"""

import fcntl
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

_CLAIM_DIGITS = 15
"""Hex digits of a fingerprint that name the byte of its claim: the longest offset that a file may
have takes sixteen.
"""


class Claims:
    """The claims of a run, on a file that a process has open once at a time; `present` says which
    answers are stored.
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
