"""The response files of a run and its manifest: read for adoption, written when their content differs, removed with their cell."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from pydantic import ValidationError

from stages.contracts.cell import Cell
from stages.contracts.errors import GraphEvaluatorError
from stages.contracts.json_text import JsonValue, NotJson, parse, pretty
from stages.contracts.response import Response
from stages.contracts.run import Run
from stages.shell.files import remove_others, write_atomic
from stages.shell.paths import response_file


def write_responses(folder: Path, responses: Iterable[Response]) -> bool:
    """Write one file for each response whose content differs, then remove every other file below the folder.

    Returns:
        Whether any file was written or removed.

    Raises:
        GraphEvaluatorError: a file cannot be written or removed.
    """
    changed = False
    kept: set[str] = set()
    for response in responses:
        file = folder / response_file(response.model_id, response.brief_id, response.sample)
        if read_response(folder, response.cell) != response:
            with _one_sentence(file):
                changed |= write_atomic(file, pretty(response.to_json()))
        kept.add(str(file))
    with _one_sentence(folder):
        return remove_others(folder, kept) > 0 or changed


def write_run(file: Path, run: Run) -> None:
    """Write the manifest.

    Raises:
        GraphEvaluatorError: it cannot be written.
    """
    with _one_sentence(file):
        write_atomic(file, pretty(run.to_json()))


def read_response(folder: Path, cell: Cell) -> Response | None:
    """The response of a cell that is in the folder; None when there is none that can be read."""
    try:
        return Response.read(_read(folder / response_file(cell.model_id, cell.brief_id, cell.sample)))
    except ValidationError:
        return None


def read_run(file: Path) -> Run | None:
    """The manifest of the run before; None when there is none that can be read."""
    try:
        return Run.read(_read(file))
    except ValidationError:
        return None


def _read(file: Path) -> JsonValue:
    """The JSON value in a file; None when there is none that can be read."""
    try:
        return parse(file.read_bytes())
    except (OSError, NotJson):
        return None


@contextmanager
def _one_sentence(file: Path) -> Iterator[None]:
    """A block that writes, in which a full disk or a folder in place of a file is an error with a message."""
    try:
        yield
    except OSError as error:
        raise GraphEvaluatorError(
            f"{file.as_posix()} cannot be written ({error.strerror}); every answer is kept in the ledger: fix this and run again"
        ) from None
