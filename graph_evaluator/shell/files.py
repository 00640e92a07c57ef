"""Files: read strictly, written atomically, removed when nothing keeps them."""

import codecs
import hashlib
import os
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager, suppress
from io import StringIO
from pathlib import Path, PurePath
from typing import BinaryIO, TypeVar

from graph_evaluator.records.errors import input_error
from graph_evaluator.records.json_text import pretty
from graph_evaluator.records.record import Record, parse_record
from graph_evaluator.shell import paths

Kept = TypeVar("Kept", bound=Record)


def read_input(path: Path) -> str:
    """The text of a file that a person wrote: it is hashed and sent, so it must not depend on an
    editor. InputError if there is no such file, or it is not UTF-8.
    """
    if not path.is_file():
        raise input_error(path, "", "there is no such file")
    return decode(path.read_bytes(), path.as_posix())


def decode(raw: bytes, name: str) -> str:
    """The text in the bytes of a file, without byte order mark and with LF line ends; InputError
    if it is not UTF-8.
    """
    try:
        return raw.removeprefix(codecs.BOM_UTF8).decode("utf-8").replace("\r\n", "\n")
    except UnicodeDecodeError:
        raise input_error(name, "", "is not UTF-8: save the file as UTF-8") from None


def write_atomic(path: Path, content: bytes) -> None:
    """Write a whole file or nothing, by renaming a temporary file next to it. A missing folder is
    made.

    Leaves the file alone, its time stamp too, when it already has the content.
    """
    with suppress(FileNotFoundError):
        if path.stat().st_size == len(content) and path.read_bytes() == content:
            return
    path.parent.mkdir(parents=True, exist_ok=True)
    with whole_file(path) as file:
        file.write(content)


def write_record(path: Path, record: Record) -> None:
    """Write a record as JSON, as `write_atomic` does."""
    write_atomic(path, pretty(record.to_json()))


def read_record(path: Path, record: type[Kept], fix: str) -> Kept | None:
    """The record that a file contains; None where there is no file. InputError says the fix."""
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        return None
    return parse_record(content, record, path.as_posix(), fix=fix)


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


def remove_others(folder: Path, keep: Collection[Path]) -> None:
    """Remove every file below a folder but those to keep, and the folders that are left empty;
    links are not followed.
    """
    for root, folders, files in os.walk(folder, topdown=False):
        links = [name for name in folders if Path(root, name).is_symlink()]
        for path in (Path(root, name) for name in (*files, *links)):
            if path not in keep:
                path.unlink()
        if Path(root) != folder and not os.listdir(root):
            os.rmdir(root)


def environment_variables() -> dict[str, str]:
    """The environment's variables above those of the repository's `.env`, without empty ones."""
    from dotenv import dotenv_values

    file = paths.repository() / ".env"
    written = dotenv_values(stream=StringIO(read_input(file) if file.exists() else ""))
    return {key: value for key, value in (written | dict(os.environ)).items() if value}
