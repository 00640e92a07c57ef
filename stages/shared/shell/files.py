"""Files: read strictly, written atomically, removed when nothing keeps them."""

import codecs
import hashlib
import os
import shutil
import stat
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager, suppress
from io import StringIO
from pathlib import Path, PurePath
from typing import BinaryIO, TypeVar

from stages.shared.records.errors import InputError, Problem, input_error
from stages.shared.records.json_text import pretty
from stages.shared.records.record import Record, parse_record
from stages.shared.shell import paths

Kept = TypeVar("Kept", bound=Record)
LONGEST_INPUT = 10_000_000
"""Bytes of a file that a person wrote at most."""
_UNWANTED = {
    "\0": "holds a NUL character: remove it",
    "\r": "holds a carriage return within a line: remove it",
}


def read_input(path: Path) -> str:
    """The text of a file that a person wrote: it is hashed and sent, so it must not depend on an
    editor.

    Raises:
        InputError: missing, not a regular file, too large, unreadable, not UTF-8, or with a NUL or
            a carriage return within a line.
    """
    name = path.as_posix()
    try:
        status = path.stat()
        if not stat.S_ISREG(status.st_mode):
            raise input_error(name, "", "is not a regular file")
        if status.st_size > LONGEST_INPUT:
            raise input_error(name, "", f"is larger than {LONGEST_INPUT // 1_000_000} MB")
        raw = path.read_bytes()
    except FileNotFoundError:
        raise input_error(name, "", "there is no such file") from None
    except OSError as error:
        raise input_error(name, "", f"cannot be read: {error.strerror}") from None
    text = decode(raw, name)
    for character, fault in _UNWANTED.items():
        if character in text:
            line = text.count("\n", 0, text.index(character)) + 1
            raise input_error(name, f"line {line}", fault)
    return text


def decode(raw: bytes, name: str) -> str:
    """The text in the bytes of a file, without byte order mark and with LF line ends; InputError
    if it is not UTF-8.
    """
    try:
        return raw.removeprefix(codecs.BOM_UTF8).decode("utf-8").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        message = "is not UTF-8: save the file as UTF-8"
        raise input_error(name, f"line {line}", message) from None


def write_atomic(path: Path, content: bytes) -> None:
    """Write a whole file or nothing: beside it under another name, then renamed over it. Its folder
    is made where needed.

    Leaves the file alone, its time stamp too, when it already holds the content.
    """
    with suppress(FileNotFoundError):
        if path.stat().st_size == len(content) and path.read_bytes() == content:
            return
    path.parent.mkdir(parents=True, exist_ok=True)
    with whole_file(path) as file:
        file.write(content)


def write_output(path: Path, content: bytes) -> None:
    """Write a file that the user asked for, as `write_atomic` does; InputError if it cannot be
    written.
    """
    try:
        write_atomic(path, content)
    except OSError as error:
        raise input_error(path.as_posix(), "", f"cannot be written: {error.strerror}") from None


def write_record(path: Path, record: Record) -> None:
    """Write a record as JSON, as `write_output` does."""
    write_output(path, pretty(record.to_json()))


def read_record(path: Path, record: type[Kept], fix: str) -> Kept | None:
    """The record that a file holds; None where there is no file. InputError says the fix."""
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        return None
    return parse_record(content, record, path.as_posix(), fix=fix)


def free_path(path: Path, text: str) -> Path:
    """A file of a numbered name, NAME-1 and so on: the first that does not exist or has the
    text.
    """
    number = 1
    while True:
        file = path.with_stem(f"{path.stem}-{number}")
        if not file.exists() or file.read_bytes() == text.encode():
            return file
        number += 1


@contextmanager
def whole_file(path: Path) -> Iterator[BinaryIO]:
    """A file to write to, which gets its name when all went well; nothing is left of it otherwise.
    Its folder exists.
    """
    unique = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        with unique.open("wb") as file:
            yield file
        unique.replace(path)
    except BaseException:
        with suppress(OSError):
            unique.unlink()
        raise


def link_or_copy(file: Path, link: Path) -> None:
    """The same file in two places, so that its inode and time stamp, which DVC reads, stay."""
    try:
        os.link(file, link)
    except OSError:  # a file system without hard links
        shutil.copy2(file, link)


def folder_sha256(folder: Path) -> str:
    """The hash of all files below a folder; of an absent folder as of an empty one."""
    files = [path for path in folder.rglob("*") if path.is_file()]
    return files_sha256(
        {path.relative_to(folder): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}
    )


def files_sha256(hashes: Mapping[PurePath, str]) -> str:
    """The hash of files by relative path and the SHA-256 of their content."""
    digest = hashlib.sha256()
    for file in sorted(hashes):
        digest.update(f"{file.as_posix()}\0{hashes[file]}\n".encode())
    return digest.hexdigest()


def remove_others(folder: Path, keep: Collection[str]) -> None:
    """Remove every file below a folder but those to keep by their path, and the folders that are
    left empty; links are not followed.
    """
    for name, folders, files in os.walk(folder, topdown=False):
        for entry in (*files, *folders):
            path = os.path.join(name, entry)
            is_folder = entry in folders and not os.path.islink(path)
            if path not in keep and not is_folder:
                os.unlink(path)
        if name != os.fspath(folder) and not os.listdir(name):
            os.rmdir(name)


def environment_variables() -> Mapping[str, str]:
    """The environment's variables above those of the repository's `.env`, without empty ones;
    InputError if `.env` is damaged.
    """
    file = paths.repository() / ".env"
    merged = {
        key: value for key, value in (_written(file) if file.exists() else {}).items() if value
    } | dict(os.environ)
    return {key: value for key, value in merged.items() if value}


def _written(file: Path) -> Mapping[str, str | None]:
    """The variables of an `.env` file; no message repeats its content, which holds keys."""
    from dotenv import dotenv_values
    from dotenv.parser import parse_stream

    if not file.is_file():
        raise input_error(".env", "", "is not a regular file")
    try:
        text = file.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise input_error(".env", "", "is not UTF-8: save the file as UTF-8") from None
    except OSError as error:
        raise input_error(".env", "", f"cannot be read: {error.strerror}") from None
    wrong = [binding.original.line for binding in parse_stream(StringIO(text)) if binding.error]
    if wrong:
        raise InputError(
            Problem(".env", f"line {line}", "must be NAME=value or a comment") for line in wrong
        )
    return dotenv_values(stream=StringIO(text))
