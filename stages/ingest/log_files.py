"""Adapter: the entries of a log file, one at a time: JSON Lines, CSV, or one JSON text."""

import csv
import hashlib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

from stages.contracts.errors import InputError, input_error
from stages.contracts.json_text import JsonObject, JsonValue, NotJson, canonical, parse
from stages.shell.text import visible

MAX_LINE_CHARACTERS = 10_000_000
MAX_WHOLE_FILE_BYTES = 50_000_000
"""A file that is one JSON text is read as a whole."""
_ENCODING = "utf-8-sig"
_NO_UTF8 = re.compile(r"[\udc80-\udcff]")
"""What the bytes of another encoding are read as."""


@dataclass(frozen=True, slots=True)
class Columns:
    """The columns of a table, or the keys of an object, that hold input and output."""

    input: str = "input"
    output: str = "output"


@dataclass(frozen=True, slots=True)
class LogEntry:
    """An entry of a log, and its line, or its position in one JSON text, from 1; equal entries have
    equal digests, and `fault` says why there is no record.
    """

    number: int
    record: JsonObject | None = None
    digest: bytes = b""
    fault: str = ""


def read_entries(file: Path, columns: Columns) -> Iterator[LogEntry]:
    """The entries of a log; `.csv` and `.tsv` are tables, `.json` may be one JSON text, and all
    else is JSON Lines.

    Raises:
        InputError: the file cannot be read, is too large for one JSON text, or is a table without
            these columns.
    """
    try:
        if file.suffix.lower() == ".json":
            records = _records_of_text(file)
            if records:
                yield from (
                    _entry_of(number, value, canonical(value))
                    for number, value in enumerate(records, 1)
                )
                return
        is_table = file.suffix.lower() in (".csv", ".tsv")
        newline = "" if is_table else None
        with file.open(encoding=_ENCODING, errors="surrogateescape", newline=newline) as stream:
            if is_table:
                yield from _table_entries(file, stream, columns)
            else:
                yield from _line_entries(stream)
    except OSError as error:
        raise _problem(file, f"cannot be read: {error.strerror}") from None


def _problem(file: Path, message: str) -> InputError:
    return input_error(file.as_posix(), "", message)


def _records_of_text(file: Path) -> list[JsonValue]:
    """The records in one JSON text: a list, or promptfoo's results; none in JSON Lines."""
    if file.stat().st_size > MAX_WHOLE_FILE_BYTES:
        limit = MAX_WHOLE_FILE_BYTES // 1_000_000
        advice = "write JSON Lines in its place, as promptfoo does with `--output results.jsonl`"
        raise _problem(file, f"is larger than {limit} MB: {advice}")
    try:
        value = parse(file.read_text(encoding=_ENCODING))
    except (NotJson, UnicodeError):
        return []
    while isinstance(value, dict):
        value = value.get("results")
    return value if isinstance(value, list) else []


def _line_entries(stream: TextIO) -> Iterator[LogEntry]:
    number = 0
    while text := stream.readline(MAX_LINE_CHARACTERS):
        number += 1
        if len(text) == MAX_LINE_CHARACTERS and not text.endswith("\n"):
            while text and not text.endswith("\n"):
                text = stream.readline(MAX_LINE_CHARACTERS)
            yield LogEntry(number, fault=f"is longer than {MAX_LINE_CHARACTERS:,} characters")
            continue
        text = text.strip().removeprefix("\ufeff")
        if not text.isascii() and _NO_UTF8.search(text):
            yield LogEntry(number, fault="is not UTF-8")
        elif text:
            yield _line_entry(number, text)


def _line_entry(number: int, text: str) -> LogEntry:
    try:
        return _entry_of(number, parse(text), text.encode())
    except NotJson as error:
        reason = str(error).partition(": line ")[0]
        return LogEntry(number, fault=f"is not JSON: {reason}")


def _entry_of(number: int, value: JsonValue, content: bytes) -> LogEntry:
    if isinstance(value, dict):
        return LogEntry(number, value, hashlib.sha256(content).digest())
    return LogEntry(number, fault="is no JSON object")


def _table_entries(file: Path, stream: TextIO, columns: Columns) -> Iterator[LogEntry]:
    """The rows as objects of texts; a cell that is empty is left out."""
    csv.field_size_limit(MAX_LINE_CHARACTERS)
    first_line = stream.readline(MAX_LINE_CHARACTERS)
    delimiter = max(",;\t", key=first_line.count)
    header = next(csv.reader([first_line], delimiter=delimiter), [])
    needed = {columns.output} if "brief" in header else {columns.input, columns.output}
    if missing := sorted(needed.difference(header)):
        present = visible(", ".join(header)) or "none"
        advice = "--input-column and --output-column name others"
        raise _problem(file, f"has no column {' and '.join(missing)}, of {present}: {advice}")
    rows = csv.reader(stream, delimiter=delimiter, strict=True)
    while True:
        number = rows.line_num + 2
        try:
            row = next(rows)
        except StopIteration:
            return
        except csv.Error as error:
            yield LogEntry(number, fault=f"is no row of a table: {error}")
            continue
        if any(map(_NO_UTF8.search, row)):
            yield LogEntry(number, fault="is not UTF-8")
        elif row and len(row) != len(header):
            yield LogEntry(number, fault=f"has {len(row)} cells, and the header {len(header)}")
        elif row:
            cells: JsonObject = {name: cell for name, cell in zip(header, row, strict=True) if cell}
            yield _entry_of(number, cells, canonical(cells))
