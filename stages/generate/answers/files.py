"""The response files of a run: read for adoption, written, and removed when their cell is no longer selected."""

import os
from collections.abc import Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

import msgspec
import orjson

from stages.contracts.json_text import JsonValue, NotJson, parse, pretty
from stages.contracts.response import Cell, Response
from stages.shell.files import remove_others, write_atomic
from stages.shell.paths import response_file

_WRITERS = 4
_PRETTY = orjson.OPT_INDENT_2 | orjson.OPT_SORT_KEYS | orjson.OPT_APPEND_NEWLINE
_NUMBERS = bytes(0x30 if 0x30 <= byte <= 0x39 else 0x65 if byte == 0x45 else byte for byte in range(256))
_ALL_BUT_NUMBERS = bytes(byte for byte in range(256) if byte not in b'0123456789eE+ ,:"\n')
_HUGE = (b"e000", b"e+000", b"0" * 300)


def content_of(response: Response) -> bytes:
    """The bytes of a response file: equal responses, equal bytes."""
    record = msgspec.to_builtins(msgspec.structs.replace(response, parsed_graph=None))
    record["parsed_graph"] = response.parsed_graph  # which may nest deeper than msgspec can follow
    if not _maybe_infinite(response.raw_text or ""):
        try:
            return orjson.dumps(record, option=_PRETTY)
        except orjson.JSONEncodeError:  # lone surrogates, deep nesting
            pass
    return pretty(record)


def _maybe_infinite(text: str) -> bool:
    """Whether a text may hold a number beyond a double: it must be written as one, and only our own writer does that."""
    numbers = text.encode("utf-8", "replace").translate(_NUMBERS, _ALL_BUT_NUMBERS)
    return any(huge in numbers for huge in _HUGE)


def write_responses(folder: Path, responses: Iterable[Response]) -> None:
    """Write one file for each response and remove every other file below the folder."""
    kept: set[str] = set()
    written: list[Future[None]] = []

    def write(response: Response) -> None:
        write_atomic(_path(folder, response.cell), content_of(response))

    with ThreadPoolExecutor(_WRITERS) as pool:
        for response in responses:
            kept.add(os.fspath(_path(folder, response.cell)))
            written.append(pool.submit(write, response))
    for done in written:
        done.result()
    remove_others(folder, kept)


def read_response(folder: Path, cell: Cell) -> Response | None:
    """The response of a cell that is in the folder; None when there is none that can be read."""
    try:
        found: JsonValue = parse(_path(folder, cell).read_bytes())
        return msgspec.convert(found, Response)
    except (OSError, NotJson, msgspec.ValidationError):
        return None


def _path(folder: Path, cell: Cell) -> Path:
    return folder / response_file(cell.model_id, cell.brief_id, cell.sample)
