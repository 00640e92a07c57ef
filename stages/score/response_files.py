"""The response files below a folder, in the order of their cells as far as names tell it. An adapter."""

import os
from collections.abc import Iterator
from pathlib import Path

from stages.score.stored_response import sample_named


def response_files(folder: Path) -> Iterator[Path]:
    """Every `response*.json` below a folder: by folder name, then by sample; none where there is no such folder.

    Folders are read as they are come to.
    """
    if not folder.is_dir():
        return
    with os.scandir(folder) as scan:
        entries = sorted(scan, key=lambda entry: (sample_named(entry.name), entry.name))
    for entry in entries:
        named = entry.name.startswith("response") and entry.name.endswith(".json")
        if named and not entry.is_dir(follow_symlinks=False):
            yield folder / entry.name
    for entry in entries:
        if entry.is_dir(follow_symlinks=False):
            yield from response_files(folder / entry.name)
