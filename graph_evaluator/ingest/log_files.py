"""Adapter: the records of a log file, one at a time: JSON texts, a table, or an archive of Inspect,
compressed or not.
"""

import codecs
import csv
import gzip
import io
import sys
from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path
from typing import BinaryIO, TypeAlias
from zlib import error

from graph_evaluator.generate.replies import object_of, objects_of
from graph_evaluator.ingest.unwrapping import CONTAINERS, PATHS, follow
from graph_evaluator.records.errors import input_error
from graph_evaluator.records.json_text import JsonObject, JsonValue, parse

if sys.version_info >= (3, 14):
    from zipfile import BadZipFile, ZipFile
else:  # the same, with Zstandard
    from backports.zstd.zipfile import BadZipFile, ZipFile

_CONTINUES = (" ", "\t", '"', "}", "]")
"""How the second line of a JSON text that has several may begin."""
_UTF_16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


LogEntry: TypeAlias = tuple[str, JsonObject | str]
"""The place of a record in a log, and the record, or why there is none."""


def read_log(file: Path, records: str | None) -> Iterator[LogEntry]:
    """The records of a log in their order; `records` is the dotted path to those of a JSON text,
    None tries the known ones.

    Raises:
        InputError: the file cannot be read.
    """
    try:
        with file.open("rb") as stream:
            for place, record in _entries(stream, file, records):
                yield f"{file.name} {place}", record
    except (OSError, EOFError, RuntimeError, UnicodeError, csv.Error, BadZipFile, error) as fault:
        reason = getattr(fault, "strerror", None) or fault
        raise input_error(file, "", f"cannot be read: {reason}") from None


def _entries(stream: BinaryIO, file: Path, records: str | None) -> Iterator[LogEntry]:
    start = stream.read(4)
    stream.seek(0)
    if start.startswith(b"\x1f\x8b"):
        with gzip.open(stream) as inner:
            yield from _entries(io.BufferedReader(inner), file, records)
    elif start.startswith(b"PK"):
        with ZipFile(stream) as archive:
            for name in sorted(archive.namelist()):
                if name.startswith("samples/"):
                    yield from _entries_of_text(name, archive.read(name).decode(), records)
    else:
        encoding = "utf-16" if start.startswith(_UTF_16) else "utf-8-sig"
        is_table = ".csv" in file.suffixes or ".tsv" in file.suffixes
        errors = "strict" if is_table else "surrogateescape"  # refused by lines of JSON
        lines = io.TextIOWrapper(stream, encoding, errors, newline="")
        yield from _rows(lines) if is_table else _entries_of_lines(lines, records)


def _rows(lines: Iterator[str]) -> Iterator[LogEntry]:
    """The rows of a table as objects of texts."""
    csv.field_size_limit(sys.maxsize)
    header = next(lines, "")
    delimiter = max(",;\t", key=header.count)
    rows = csv.DictReader(chain([header], lines), delimiter=delimiter, strict=True)
    for row in rows:
        is_whole = None not in row and None not in row.values()
        yield (
            f"line {rows.line_num}",
            {**row} if is_whole else "has another number of cells than the header",
        )


def _entries_of_lines(lines: Iterable[str], records: str | None) -> Iterator[LogEntry]:
    """The records of each JSON text, which has one line or several."""
    begun: list[str] = []
    first = 1
    for number, line in enumerate(lines, 1):
        if not line.startswith(_CONTINUES):
            yield from _entries_of_text(f"line {first}", "".join(begun), records)
            begun, first = [], number
        begun.append(line)
    yield from _entries_of_text(f"line {first}", "".join(begun), records)


def _entries_of_text(place: str, text: str, path: str | None) -> Iterator[LogEntry]:
    """The records of a JSON text, which may be a line of a list."""
    text = text.strip(", \r\n")
    if text in ("", "[", "]"):
        return
    try:
        value = parse(text.encode())
    except ValueError as fault:
        yield place, f"is not JSON: {fault}".partition(": line ")[0]
        return
    found = _records_in(value) if path is None else follow(value, path)
    found = found if isinstance(found, list) else [found]
    for number, record in enumerate(found, 1):
        where = place if len(found) == 1 else f"{place} record {number}"
        yield where, record if isinstance(record, dict) else "is not a JSON object"


def _records_in(value: JsonValue) -> list[JsonValue]:
    """The records in a list, or in an object that is one record or holds a list."""
    if isinstance(value, list):
        return [record for entry in value for record in _records_in(entry)]
    for path in CONTAINERS:
        records = follow(value, path)
        if objects_of(records) and not any(follow(value, path) for path in PATHS["output"]):
            return _records_in(records)
    span = object_of(value)
    attributes = objects_of(span.get("attributes"))
    return [span | {"attributes": _plain_pairs(attributes)}] if attributes else [value]


def _plain_pairs(pairs: list[JsonObject]) -> JsonObject:
    """OTLP's pairs of keys and values as one object."""
    return {str(pair.get("key")): _plain(object_of(pair.get("value"))) for pair in pairs}


def _plain(value: JsonObject) -> JsonValue:
    """A value of OTLP, whose only key is its type, as JSON."""
    inner = next(iter(value.values()), None)
    values = objects_of(object_of(inner).get("values"))
    if "kvlistValue" in value:
        return _plain_pairs(values)
    return [_plain(entry) for entry in values] if "arrayValue" in value else inner
