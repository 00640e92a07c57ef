"""The response files of a run: read for adoption, written, and removed when their cell is no longer selected."""

from collections.abc import Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import accumulate
from pathlib import Path

import msgspec

from stages.contracts.json_text import JsonValue, NotJson, canonical, parse, pretty
from stages.contracts.response import Cell, Response
from stages.shell.files import files_below, write_atomic
from stages.shell.paths import response_file

_DEEPEST_PRETTY = 200
_WRITERS = 4
_STEP = {ord("["): 1, ord("{"): 1, ord("]"): -1, ord("}"): -1}
_ALL_BUT_BRACKETS = bytes(byte for byte in range(256) if byte not in _STEP)


def content_of(response: Response) -> bytes:
    """The bytes of a response file: equal responses, equal bytes.

    An answer that nests deeper than anyone can read is written on one line, as its indentation could fill the disk.
    """
    record = msgspec.to_builtins(response)
    line = canonical(record)
    steps = (_STEP[byte] for byte in line.translate(None, _ALL_BUT_BRACKETS))
    return pretty(record) if max(accumulate(steps)) <= _DEEPEST_PRETTY else line + b"\n"


def write_responses(folder: Path, responses: Iterable[Response]) -> None:
    """Write one file for each response and remove every other file below the folder."""
    kept: set[Path] = set()
    written: list[Future[None]] = []

    def write(response: Response) -> None:
        write_atomic(_path(folder, response.cell), content_of(response))

    with ThreadPoolExecutor(_WRITERS) as pool:
        for response in responses:
            kept.add(_path(folder, response.cell))
            written.append(pool.submit(write, response))
    for done in written:
        done.result()
    _remove_others(folder, kept)


def read_response(folder: Path, cell: Cell) -> Response | None:
    """The response of a cell that is in the folder; None when there is none that can be read."""
    try:
        found: JsonValue = parse(_path(folder, cell).read_bytes())
        return msgspec.convert(found, Response)
    except (OSError, NotJson, msgspec.ValidationError):
        return None


def _path(folder: Path, cell: Cell) -> Path:
    return folder / response_file(cell.model_id, cell.brief_id, cell.sample)


def _remove_others(folder: Path, kept: set[Path]) -> None:
    for path in list(files_below(folder, "*")):
        if path not in kept:
            path.unlink(missing_ok=True)
    for parent in sorted((path for path in folder.glob("**/") if path != folder), reverse=True):
        if not any(parent.iterdir()):
            parent.rmdir()
