"""Response files for tests."""

from collections.abc import Iterable
from pathlib import Path

from stages.contracts.response import Response
from stages.generate.answers.files import ResponseFiles
from stages.generate.answers.recall import Ingredients


def write_responses(folder: Path, responses: Iterable[Response]) -> None:
    """Write one file for each response and remove every other file below the folder."""
    with ResponseFiles(folder, Ingredients(b""), {}) as files:
        for response in responses:
            files.write(response)
