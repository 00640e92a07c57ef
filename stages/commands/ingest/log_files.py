"""Adapter: the records of a log file, one at a time: JSON Lines, JSON over many lines, a table, or
an archive of Inspect, compressed or not.
"""

import codecs
import csv
import gzip
import io
import re
import zipfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, TextIO

from stages.commands.ingest.unwrapping import KEYS, follow
from stages.generate.apis.kind import object_of, objects_of
from stages.shared.records.errors import InputError, input_error
from stages.shared.records.json_text import JsonObject, JsonValue, NotJson, parse
from stages.shared.shell.text import visible

MAX_LINE_CHARACTERS = 10_000_000
MAX_TEXT_CHARACTERS = 100_000_000
"""One JSON text, on one line or on many, is read as a whole."""
_TOO_LARGE = (
    f"is one JSON text of more than {MAX_TEXT_CHARACTERS // 1_000_000} million characters: write "
    "its records as JSON Lines, such as with `jq -c '.results.results[]'`"
)
_NO_UTF8 = re.compile(r"[\udc80-\udcff]")
"""What the bytes of another encoding are read as."""
_MAGIC = {
    b"\x1f\x8b": "a gzip file",
    b"PK": "a zip file",
    codecs.BOM_UTF16_LE: "UTF-16",
    codecs.BOM_UTF16_BE: "UTF-16",
}


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
            InputError: the file cannot be read, or is too large for one JSON text.
        """
        try:
            with self._file.open("rb") as stream:
                yield from self._entries_of_bytes(stream, self._file.suffixes)
        except (OSError, EOFError, zipfile.BadZipFile, NotImplementedError) as error:
            reason = getattr(error, "strerror", None) or error
            raise self._problem(f"cannot be read: {reason}") from None

    def _problem(self, message: str) -> InputError:
        return input_error(self._file.as_posix(), "", message)

    def _entries_of_bytes(self, stream: BinaryIO, suffixes: list[str]) -> Iterator[LogEntry]:
        start = stream.read(4)
        stream.seek(0)
        found = next((form for magic, form in _MAGIC.items() if start.startswith(magic)), "")
        if found == "a gzip file":
            with gzip.open(stream) as inner:
                yield from self._entries_of_bytes(io.BufferedReader(inner), suffixes)
            self.form = f"a gzip file of {self.form}"
            return
        if found == "a zip file":
            yield from self._entries_of_zip(stream)
            return
        is_wide = found == "UTF-16" or (start[:1] > b"\0" and start[1:2] == b"\0")
        encoding = "utf-16" if found else ("utf-16-le" if is_wide else "utf-8-sig")
        is_table = any(suffix.lower() in (".csv", ".tsv") for suffix in suffixes)
        errors = "replace" if is_wide else "surrogateescape"
        newline = "" if is_table else None
        text = io.TextIOWrapper(stream, encoding, errors, newline)
        yield from self._entries_of_table(text) if is_table else self._entries_of_json(text)
        if is_wide:
            self.form = f"UTF-16, {self.form}"

    def _entries_of_zip(self, stream: BinaryIO) -> Iterator[LogEntry]:
        """The samples of an evaluation log of Inspect."""
        self.form = "a zip file"
        with zipfile.ZipFile(stream) as archive:
            for name in sorted(archive.namelist()):
                if name.startswith("samples/") and name.endswith(".json"):
                    place = f"{self._name} {visible(name)}"
                    yield from self._entries_of_text(place, archive.read(name).decode("utf-8"))

    def _entries_of_text(self, place: str, text: str) -> Iterator[LogEntry]:
        try:
            value = parse(text)
        except NotJson as error:
            yield LogEntry(place, fault=f"is not JSON: {str(error).partition(': line ')[0]}")
            return
        records = _records_in(value, self._records)
        for number, record in enumerate(records, 1):
            where = place if len(records) == 1 else f"{place} record {number}"
            if isinstance(record, dict):
                yield LogEntry(where, record)
            else:
                yield LogEntry(where, fault="is no JSON object")

    def _entries_of_json(self, stream: TextIO) -> Iterator[LogEntry]:
        """Those of the whole file where it is one JSON text over many lines, else of its lines."""
        first_line = stream.readline(MAX_TEXT_CHARACTERS)
        start = first_line.strip().removeprefix("\ufeff")
        if start[:1] in ("{", "[") and not _is_json(start):
            text = first_line + stream.read(MAX_TEXT_CHARACTERS)
            if len(text) >= MAX_TEXT_CHARACTERS:
                raise self._problem(_TOO_LARGE)
            if _is_json(text.strip().removeprefix("\ufeff")):
                self.form = "JSON over many lines"
                yield from self._entries_of_text(self._name, text.strip().removeprefix("\ufeff"))
                return
            first_line, stream = "", io.StringIO(text)
        yield from self._entries_of_lines(first_line, stream)

    def _entries_of_lines(self, first_line: str, stream: TextIO) -> Iterator[LogEntry]:
        """Each line is a JSON text, or begins one with a bracket of its own, which ends with the
        next line that begins with a closing bracket.
        """
        self.form = "JSON Lines"
        number = 0
        while line := first_line or stream.readline(MAX_LINE_CHARACTERS):
            number += 1
            place = f"{self._name} line {number}"
            text = line.strip().removeprefix("\ufeff")
            if not first_line and len(line) == MAX_LINE_CHARACTERS and not line.endswith("\n"):
                _skip_line(stream)
                fault = f"is longer than {MAX_LINE_CHARACTERS:,} characters"
                yield LogEntry(place, fault=fault)
            elif text in ("{", "["):
                lines = [text, *_rest_of_text(stream)]
                number += len(lines) - 1
                yield from self._entries_of_text(place, "".join(lines).strip())
            elif not text.isascii() and _NO_UTF8.search(text):
                yield LogEntry(place, fault="is not UTF-8")
            elif text:
                yield from self._entries_of_text(place, text)
            first_line = ""

    def _entries_of_table(self, stream: TextIO) -> Iterator[LogEntry]:
        """The rows as objects of texts; a cell that is empty is left out."""
        csv.field_size_limit(MAX_LINE_CHARACTERS)
        self.form = "a table"
        first_line = stream.readline(MAX_LINE_CHARACTERS)
        delimiter = max(",;\t", key=first_line.count)
        header = next(csv.reader([first_line], delimiter=delimiter), [])
        rows = csv.reader(stream, delimiter=delimiter, strict=True)
        while True:
            place = f"{self._name} line {rows.line_num + 2}"
            try:
                row = next(rows)
            except StopIteration:
                return
            except csv.Error as error:
                yield LogEntry(place, fault=f"is no row of a table: {error}")
                continue
            if any(map(_NO_UTF8.search, row)):
                yield LogEntry(place, fault="is not UTF-8")
            elif row and len(row) != len(header):
                fault = f"has {len(row)} cells, and the header {len(header)}"
                yield LogEntry(place, fault=fault)
            elif row:
                cells = zip(header, row, strict=True)
                yield LogEntry(place, {key: cell for key, cell in cells if cell})


def _is_json(text: str) -> bool:
    try:
        parse(text)
    except NotJson:
        return False
    return True


def _rest_of_text(stream: TextIO) -> Iterator[str]:
    """The lines up to the end of a JSON text whose first line has been read."""
    length = 0
    while length < MAX_LINE_CHARACTERS and (line := stream.readline(MAX_LINE_CHARACTERS)):
        length += len(line)
        yield line
        if line[:1] in ("}", "]"):
            return


def _skip_line(stream: TextIO) -> None:
    """Go to the next line without keeping this one."""
    while (rest := stream.readline(MAX_LINE_CHARACTERS)) and not rest.endswith("\n"):
        pass


def _records_in(value: JsonValue, path: str | None) -> list[JsonValue]:
    """The records in a JSON text: a list, or an object that is one record or holds a list."""
    if path is not None:
        value = follow(value, path)
        return value if isinstance(value, list) else [value]
    if isinstance(value, list):
        return [record for entry in value for record in _records_in(entry, None)]
    spans = list(_spans(object_of(value)))
    if spans:
        return [*spans]
    is_record = isinstance(value, dict) and bool({"custom_id", "key"} & value.keys())
    for known in KEYS["records"] if isinstance(value, dict) and not is_record else ():
        records = follow(value, known)
        if objects_of(records) and not _is_exchange(object_of(value)):
            return _records_in(records, None)
    return [value]


def _is_exchange(value: JsonObject) -> bool:
    """Whether an object has an input and an answer itself, so that lists in it are none of
    records.
    """
    given = [value.get(key) for key in ("input", "inputs", "messages", "prompt", "brief")]
    answers = [value.get(key) for key in ("output", "outputs", "response", "text", "graph", "body")]
    return any(given) and any(answers)


def _spans(value: JsonObject) -> Iterator[JsonObject]:
    """The spans of a trace as OTLP writes them, with their attributes as one object."""
    for resource in objects_of(value.get("resourceSpans")):
        for scope in objects_of(resource.get("scopeSpans")):
            for span in objects_of(scope.get("spans")):
                attributes = [*_attributes(span)]
                for event in objects_of(span.get("events")):
                    attributes += _attributes(event)
                yield span | {"attributes": _nested(attributes)}


def _attributes(owner: JsonObject) -> Iterator[tuple[str, JsonValue]]:
    for attribute in objects_of(owner.get("attributes")):
        yield str(attribute.get("key")), _plain(object_of(attribute.get("value")))


def _plain(value: JsonObject) -> JsonValue:
    """A value of OTLP, whose only key is its type, as JSON."""
    if "arrayValue" in value:
        entries = object_of(value["arrayValue"]).get("values")
        return [_plain(entry) for entry in objects_of(entries)]
    if "kvlistValue" in value:
        pairs = objects_of(object_of(value["kvlistValue"]).get("values"))
        return {str(pair.get("key")): _plain(object_of(pair.get("value"))) for pair in pairs}
    return next(iter(value.values()), None)


def _nested(attributes: Iterable[tuple[str, JsonValue]]) -> JsonObject:
    """Attributes by the parts of their names, numbers among them as places in lists."""
    root: JsonObject = {}
    for name, value in attributes:
        *parents, last = name.split(".")
        place = root
        for parent in parents:
            inner = place.setdefault(parent, {})
            if not isinstance(inner, dict):
                break
            place = inner
        else:
            place.setdefault(last, value)
    return {key: _with_lists(value) for key, value in root.items()}


def _with_lists(value: JsonValue) -> JsonValue:
    if not isinstance(value, dict):
        return value
    inner = {key: _with_lists(entry) for key, entry in value.items()}
    if inner and all(key.isdecimal() for key in inner):
        return [inner[key] for key in sorted(inner, key=int)]
    return inner
