"""Adapter: the records of a log file, one at a time: JSON texts, a table, or an archive of Inspect,
compressed or not.
"""

import codecs
import csv
import gzip
import io
import re
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import chain
from pathlib import Path
from typing import BinaryIO

from stages.commands.ingest.unwrapping import KEYS, PRESETS, follow
from stages.generate.apis.kind import object_of, objects_of
from stages.shared.records.errors import InputError, input_error
from stages.shared.records.json_text import JsonObject, JsonValue, NotJson, parse
from stages.shared.shell.text import visible

MAX_BYTES = 100_000_000
"""Of one JSON text, which is read as a whole, and of a row of a table."""
_TOO_LARGE = (
    f"is one text of more than {MAX_BYTES // 1_000_000} MB: write its records as JSON Lines, such "
    "as with `jq -c '.results.results[]'`"
)
_CONTINUES = (b" ", b"\t", b'"', b"}", b"]")
"""How the second line of a JSON text that has several may begin."""
_NO_UTF_8 = re.compile(r"[\udc80-\udcff]")
"""What the bytes of another encoding are read as."""
_UTF_16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


@dataclass(frozen=True, slots=True)
class LogEntry:
    """A record of a log and its place; `fault` says why there is none."""

    place: str
    record: JsonObject | None = None
    fault: str = ""


class LogFile:
    """A log, which can be read more than once.

    `form` says what was found in it. `records` is the dotted path to the records of a JSON text;
    None tries the known ones.
    """

    def __init__(self, file: Path, records: str | None = None) -> None:
        self.form = "an empty file"
        self._file = file
        self._name = visible(file.name)
        self._records = records

    def entries(self) -> Iterator[LogEntry]:
        """The records of the log in their order.

        Raises:
            InputError: the file cannot be read, or has a text that is too large.
        """
        try:
            with self._file.open("rb") as stream:
                yield from self._entries_of_bytes(stream)
        except (OSError, EOFError, RuntimeError, zipfile.BadZipFile, zlib.error) as error:
            reason = getattr(error, "strerror", None) or error
            raise self._problem(f"cannot be read: {reason}") from None

    def _problem(self, message: str) -> InputError:
        return input_error(self._file.as_posix(), "", message)

    def _entries_of_bytes(self, stream: BinaryIO) -> Iterator[LogEntry]:
        start = stream.read(4)
        stream.seek(0)
        if start.startswith(b"\x1f\x8b"):
            with gzip.open(stream) as inner:
                yield from self._entries_of_bytes(io.BufferedReader(inner))
            self.form = f"a gzip file of {self.form}"
            return
        if start.startswith(b"PK"):
            self.form = "a zip file"
            yield from self._entries_of_zip(stream)
            return
        lines: Iterator[bytes] = iter(partial(stream.readline, MAX_BYTES), b"")
        is_utf_16 = start.startswith(_UTF_16)
        if is_utf_16:
            text = io.TextIOWrapper(stream, "utf-16", "replace", newline="")
            lines = (line.encode() for line in text)
        is_table = any(suffix.lower() in (".csv", ".tsv") for suffix in self._file.suffixes)
        yield from self._entries_of_table(lines) if is_table else self._entries_of_json(lines)
        if is_utf_16:
            self.form = f"UTF-16, {self.form}"

    def _entries_of_zip(self, stream: BinaryIO) -> Iterator[LogEntry]:
        """The samples of an evaluation log of Inspect."""
        with zipfile.ZipFile(stream) as archive:
            for name in sorted(archive.namelist()):
                if name.startswith("samples/") and name.endswith(".json"):
                    yield from self._entries_of_text(visible(name), archive.read(name))

    def _entries_of_json(self, lines: Iterable[bytes]) -> Iterator[LogEntry]:
        """The records of each line that is JSON, and of each JSON text of several lines."""
        self.form = "JSON Lines"
        begun = bytearray()
        first = 1
        for number, line in enumerate(chain(lines, [b""]), 1):
            if len(begun) + len(line) >= MAX_BYTES:
                raise self._problem(_TOO_LARGE)
            if begun and line.startswith(_CONTINUES):
                begun += line
                self.form = "JSON over many lines"
                continue
            if begun:
                yield from self._entries_of_text(f"line {first}", bytes(begun))
                begun.clear()
            value, fault = _read(line)
            if fault:
                begun += line
                first = number
            else:
                yield from self._entries_of_value(f"line {number}", value)

    def _entries_of_text(self, place: str, raw: bytes) -> Iterator[LogEntry]:
        """The records of a JSON text, which may be a line of a list with its bracket or comma."""
        value, fault = _read(raw)
        if fault:
            value, other_fault = _read(raw.strip(b"[], \r\n"))
            if other_fault:
                yield LogEntry(f"{self._name} {place}", fault=fault)
                return
        yield from self._entries_of_value(place, value)

    def _entries_of_value(self, place: str, value: JsonValue) -> Iterator[LogEntry]:
        records = _records_in(value, self._records)
        for number, record in enumerate(records, 1):
            where = place if len(records) == 1 else f"{place} record {number}"
            found = record if isinstance(record, dict) else None
            yield LogEntry(f"{self._name} {where}", found, "is no JSON object")

    def _entries_of_table(self, lines: Iterable[bytes]) -> Iterator[LogEntry]:
        """The rows as objects of texts; a cell that is empty is left out."""
        csv.field_size_limit(MAX_BYTES)
        self.form = "a table"
        texts = (line.decode("utf-8-sig", "surrogateescape") for line in lines)
        header = next(texts, "")
        delimiter = max(",;\t", key=header.count)
        rows = csv.DictReader(chain([header], texts), delimiter=delimiter, strict=True)
        while True:
            fault = ""
            try:
                row = next(rows, None)
            except csv.Error as error:
                row, fault = {}, f"is no row of a table: {error}"
            if row is None:
                return
            if None in row or None in row.values():
                fault = "has not as many cells as the header"
            elif _NO_UTF_8.search("".join(row.values())):
                fault = "is not UTF-8"
            cells: JsonObject = {key: cell for key, cell in row.items() if cell}
            place = f"{self._name} line {rows.reader.line_num}"
            yield LogEntry(place, None if fault else cells, fault)


def _read(raw: bytes) -> tuple[JsonValue, str]:
    """The value that a JSON text holds, an empty list for a blank one; and why it holds none."""
    try:
        text = raw.decode("utf-8-sig").strip()
        return (parse(text) if text else []), ""
    except UnicodeDecodeError:
        return None, "is not UTF-8"
    except NotJson as error:
        return None, f"is not JSON: {str(error).partition(': line ')[0]}"


def _records_in(value: JsonValue, path: str | None) -> list[JsonValue]:
    """The records in a JSON text: a list, or an object that is one record or holds a list."""
    if path is not None:
        value = follow(value, path)
        return value if isinstance(value, list) else [value]
    if isinstance(value, list):
        return [record for entry in value for record in _records_in(entry, None)]
    if not isinstance(value, dict):
        return [value]
    if "resourceSpans" in value:
        resources = objects_of(value["resourceSpans"])
        scopes = [scope for owner in resources for scope in objects_of(owner.get("scopeSpans"))]
        spans = [span for owner in scopes for span in objects_of(owner.get("spans"))]
        return [_with_plain_attributes(span) for span in spans]
    for known in KEYS["records"]:
        records = follow(value, known)
        if objects_of(records) and not any(follow(value, path) for path in PRESETS["output"]):
            return _records_in(records, None)
    return [value]


def _with_plain_attributes(span: JsonObject) -> JsonObject:
    """A span as OTLP writes it, with the attributes of its events among its own, as one object by
    the parts of their names, numbers among them as places in lists.
    """
    owners = [*objects_of(span.get("events")), span]
    attributes = [pair for owner in owners for pair in objects_of(owner.get("attributes"))]
    return span | {"attributes": _nested(_plain_pairs(attributes))}


def _plain_pairs(pairs: list[JsonObject]) -> JsonObject:
    return {str(pair.get("key")): _plain(object_of(pair.get("value"))) for pair in pairs}


def _plain(value: JsonObject) -> JsonValue:
    """A value of OTLP, whose only key is its type, as JSON."""
    inner = next(iter(value.values()), None)
    values = objects_of(object_of(inner).get("values"))
    if "kvlistValue" in value:
        return _plain_pairs(values)
    return [_plain(entry) for entry in values] if "arrayValue" in value else inner


def _nested(named: JsonObject) -> JsonValue:
    nested: JsonObject = {}
    groups: dict[str, JsonObject] = {}
    for name, value in named.items():
        first, _, rest = name.partition(".")
        if rest:
            groups.setdefault(first, {})[rest] = value
        else:
            nested[first] = value
    nested |= {first: _nested(group) for first, group in groups.items()}
    if nested and all(map(str.isdecimal, nested)):
        return [nested[place] for place in sorted(nested, key=int)]
    return nested
