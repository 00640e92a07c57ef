"""Whether the ledger's file is just as it was when all of it was looked through: then that need not be done again.

Looking through a large ledger takes seconds. The seal notes the file's size, times and place once a run that found it whole
has left it; a file that anything has touched since is looked through anew. Without a seal nothing is lost but that time.
"""

import contextlib
import json
import os
import time
from pathlib import Path

FILE = "answers.seal"
_SETTLED_NS = 2_000_000_000
"""A file that was touched less than this ago is not sealed: its time stamp might not tell the next touch from this one."""


def sealed(file: Path) -> bool:
    """True when nothing has touched the closed file since it was sealed, and no journal is left beside it."""
    try:
        return _journal_bytes(file) == 0 and json.loads(_seal(file).read_bytes()) == _state(file)
    except (OSError, ValueError):
        return False


def seal(file: Path) -> None:
    """Seal a file that was found whole and is closed; one that is in use elsewhere, or was touched just now, stays unsealed."""
    with contextlib.suppress(OSError):
        if _journal_bytes(file) == 0 and time.time_ns() - max(_times(file)) > _SETTLED_NS and not sealed(file):
            _seal(file).write_text(json.dumps(_state(file)))


def _seal(file: Path) -> Path:
    return file.with_name(FILE)


def _state(file: Path) -> list[int]:
    found = file.stat()
    return [found.st_size, found.st_mtime_ns, found.st_ctime_ns, found.st_ino, found.st_dev]


def _times(file: Path) -> tuple[int, int]:
    found = file.stat()
    return found.st_mtime_ns, found.st_ctime_ns


def _journal_bytes(file: Path) -> int:
    try:
        return os.stat(f"{file}-wal").st_size
    except FileNotFoundError:
        return 0
