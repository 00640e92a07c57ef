"""Which processes started this one, known from the first moment on: one that is gone later has left an orphan."""

import os


def ancestors() -> tuple[int, ...]:
    """The parent and, where the system reports it, its parent."""
    parent = os.getppid()
    try:
        with open(f"/proc/{parent}/stat", encoding="utf-8", errors="replace") as file:
            return parent, int(file.read().rpartition(")")[2].split()[1])
    except (OSError, ValueError, IndexError):
        return (parent,)


AT_START = ancestors()
"""Those of the moment at which the first of our modules was loaded."""
