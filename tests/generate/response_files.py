"""Folders of responses, for tests."""

from collections.abc import Iterable
from pathlib import Path

from filelock import FileLock

from stages.generate.responses.files import ResponseFolder
from stages.shared.records.response import Response


def write_responses(folder: Path, responses: Iterable[Response]) -> str:
    """Make these responses the content of a folder; its hash."""
    with ResponseFolder(folder, FileLock(folder.parent / "writing.lock")) as prepared:
        for response in responses:
            prepared.write(response)
        prepared.publish()
    return prepared.sha256
