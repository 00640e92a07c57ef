"""Disk space kept in hand, so that a disk that fills up during a run still takes the answers that are on their way."""

import os
from pathlib import Path

from stages.contracts.errors import LedgerError

RESERVE_BYTES = 8 * 1024 * 1024
"""About a hundred long answers and the journal that carries them."""


class DiskReserve:
    """A file of zeros that is given up when the disk is full."""

    def __init__(self, folder: Path) -> None:
        self._file = folder / "reserve"

    def take(self) -> None:
        """Set the space aside, before the first call.

        Raises:
            LedgerError: there is not that much.
        """
        if self._file.exists() and self._file.stat().st_size == RESERVE_BYTES:
            return
        try:
            with self._file.open("wb") as handle:
                handle.write(bytes(RESERVE_BYTES))
                handle.flush()
                os.fsync(handle.fileno())
        except OSError as error:
            self._file.unlink(missing_ok=True)
            raise LedgerError(
                f"the disk has no room for answers ({self._file.parent}: {error.strerror}): "
                "nothing was called; free some space and run again"
            ) from None

    def release(self) -> bool:
        """Give the space back; False when there was none."""
        try:
            self._file.unlink()
        except FileNotFoundError:
            return False
        return True
