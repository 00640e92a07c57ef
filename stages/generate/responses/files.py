"""The response files of a run and its manifest: read for adoption, written when their content differs, removed with their cell."""

from collections.abc import Iterable
from pathlib import Path

from pydantic import ValidationError

from stages.contracts.cell import Cell
from stages.contracts.errors import InputError, Problem
from stages.contracts.json_text import NotJson, parse, pretty
from stages.contracts.response import Response
from stages.contracts.run import Run
from stages.shell.files import remove_others, write_atomic
from stages.shell.paths import response_file


def write_responses(folder: Path, responses: Iterable[Response]) -> bool:
    """Write one file for each response whose content differs, then remove every other file below the folder.

    Returns:
        Whether any file was written or removed.

    Raises:
        InputError: the disk is full, or the folder cannot be written as it is.
    """
    changed = False
    kept: set[str] = set()
    try:
        for response in responses:
            file = folder / response_file(response.model_id, response.brief_id, response.sample)
            changed |= write_atomic(file, pretty(response.to_json()))
            kept.add(str(file))
        changed |= remove_others(folder, kept) > 0
    except OSError as error:
        raise _unwritable(folder, error) from None
    return changed


def write_run(file: Path, run: Run) -> None:
    """Write the manifest."""
    try:
        write_atomic(file, pretty(run.to_json()))
    except OSError as error:
        raise _unwritable(file, error) from None


def read_response(folder: Path, cell: Cell) -> Response | None:
    """The response of a cell that is in the folder; None when there is none that can be read."""
    try:
        content = (folder / response_file(cell.model_id, cell.brief_id, cell.sample)).read_bytes()
        return Response.read(parse(content))
    except (OSError, NotJson, ValidationError):
        return None


def read_run(file: Path) -> Run | None:
    """The manifest of the run before; None when there is none that can be read."""
    try:
        return Run.read(parse(file.read_bytes()))
    except (OSError, NotJson, ValidationError):
        return None


def _unwritable(place: Path, error: OSError) -> InputError:
    """One sentence for a full disk, missing permissions, a file in place of a folder or a folder in place of a file."""
    file = Path(error.filename).as_posix() if isinstance(error.filename, str) else place.as_posix()
    advice = "every answer is kept in the ledger; fix this and run again"
    return InputError([Problem(file, "", f"cannot be written ({error.strerror}): {advice}")])
