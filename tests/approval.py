"""Views as approved texts, in tests/approved: a change of one is read as a difference of its file."""

import os
from pathlib import Path

FOLDER = Path(__file__).parent / "approved"


def check_approved(name, text):
    """Compare a view with its approved text; with APPROVE=1 in the environment it becomes that."""
    file = FOLDER / name
    if os.environ.get("APPROVE"):
        file.write_text(text)
    approved = file.read_text() if file.exists() else ""
    assert text == approved, f"read the difference, then: APPROVE=1 pytest, for {name}"
