"""Adapter: the files that `ingest` reads and writes. It reads the records of a log one at a time:
JSON texts, a table, or an archive of Inspect, compressed or not. It writes the files of a recorded
model: answers, config, prompt. One that exists stays.
"""

import codecs
import csv
import gzip
import io
import shutil
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from hashlib import sha256
from itertools import chain
from pathlib import Path
from tempfile import TemporaryFile
from typing import BinaryIO, TypeAlias
from zlib import error

from graph_evaluator.generate.replies import object_of, objects_of
from graph_evaluator.ingest.unwrapping import CONTAINERS, PATHS, follow
from graph_evaluator.records.errors import input_error
from graph_evaluator.records.json_text import (
    JsonObject,
    JsonValue,
    NotJson,
    canonical,
    line,
    parse,
    pretty,
)
from graph_evaluator.records.model_config import parse_config
from graph_evaluator.shell import paths
from graph_evaluator.shell.paths import read_input, whole_file, write_atomic

if sys.version_info >= (3, 14):
    from zipfile import BadZipFile, ZipFile
else:  # the same, with Zstandard
    from backports.zstd.zipfile import BadZipFile, ZipFile

MAX_MODEL_NAME = 200
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
    for number, text in enumerate(chain(lines, [""]), 1):
        if not text.startswith(_CONTINUES):
            yield from _entries_of_text(f"line {first}", "".join(begun), records)
            begun, first = [], number
        begun.append(text)


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


class RecordedAnswers:
    """The answers of a recorded model: those that its file has, and those that logs add. `models`,
    `systems` and `arounds` count the models, system prompts and texts around briefs of the logs.
    """

    def __init__(self, model_id: str, prompt_id: str) -> None:
        """Read what the file has; InputError if a line cannot be read, or the file is not here."""
        self._model_id = model_id
        self._prompt = paths.PROMPTS / f"{prompt_id}.txt"
        self._file = paths.ANSWERS / f"{model_id}.jsonl"
        self.models: Counter[str] = Counter()
        self.systems: Counter[str] = Counter()
        self.arounds: Counter[str] = Counter()
        self._lines = TemporaryFile()  # noqa: SIM115
        if self._file.with_name(f"{self._file.name}.dvc").exists() and not self._file.exists():
            raise input_error(self._file, "", "is not here: run `dvc pull`")
        self._present = Counter(_identities(self._file))

    def add(self, answer: JsonObject) -> bool:
        """Keep an answer of the logs, and say whether the file does not have it yet."""
        identity = identity_of(answer)
        is_new = not self._present[identity]
        if is_new:
            self._lines.write(line(answer))
        else:
            self._present[identity] -= 1
        return is_new

    def write(self) -> Iterator[Path]:
        """Write what is not there yet, and say which files were written."""
        if self._lines.tell():
            self._lines.seek(0)
            self._file.parent.mkdir(exist_ok=True)
            with whole_file(self._file) as target:
                if self._file.exists():
                    with self._file.open("rb") as present:
                        target.writelines(line.rstrip(b"\n") + b"\n" for line in present)
                shutil.copyfileobj(self._lines, target)
            yield self._file
        for file, content in self.missing_files().items():
            write_atomic(file, content)
            yield file

    def missing_files(self) -> dict[Path, bytes]:
        """The config of the model and its prompt, as far as they are not there: the prompt is the
        one in `prompts/` with the text of the log, or one of its own.

        Raises:
            InputError: those that are there disagree with the log.
        """
        config: JsonObject = {
            "$schema": "../schemas/model_config.schema.json",
            "id": self._model_id,
            "display_name": self._model_id,
            "provider": "recorded",
            "model": next(iter(self.models), self._model_id)[:MAX_MODEL_NAME],
            "answers": self._file.as_posix(),
            "target_mode": "normal",
        }
        missing: dict[Path, bytes] = {}
        text = "\n\n".join(filter(None, [*self.systems, *self.arounds]))
        if text:
            prompts = sorted(paths.PROMPTS.glob("*.txt"), key=lambda file: file != self._prompt)
            equal = [file for file in prompts if read_input(file).split() == text.split()]
            prompt = next(iter(equal), self._prompt)
            config["prompt"] = prompt.as_posix()
            if not equal:
                missing[prompt] = f"{text}\n".encode()
            if missing and prompt in prompts:
                message = "has another text than the log: rename it, or choose another --as"
                raise input_error(prompt, "", message)
        file = paths.MODELS / f"{self._model_id}.json"
        if not file.exists():
            return missing | {file: pretty(config)}
        present = parse_config(self._model_id, read_input(file), file.as_posix())
        if present.provider != "recorded":
            message = "belongs to a model that is not recorded: choose another --as"
            raise input_error(file, "", message)
        for key in ("answers", "prompt"):
            if key in config and getattr(present, key) != config[key]:
                message = f"is not {config[key]}, which this log needs: choose another --as"
                raise input_error(file, key, message)
        return missing


def identity_of(answer: JsonObject) -> bytes:
    """The identity of an answer: its brief and its text."""
    said = [answer.get(key) for key in ("brief", "text", "graph", "body")]
    return sha256(canonical(said).encode()).digest()


def _identities(file: Path) -> Iterator[bytes]:
    """Those of the answers in a file, which need not exist."""
    if not file.exists():
        return
    with file.open("rb") as lines:
        for number, raw in enumerate(lines, 1):
            try:
                if raw.strip():
                    yield identity_of(object_of(parse(raw)))
            except NotJson as fault:
                message = f"is not JSON: {fault}: fix the line, or choose another --as"
                raise input_error(file, f"line {number}", message) from None
