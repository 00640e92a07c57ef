import os
from collections.abc import Callable
from pathlib import Path

import pytest

from stages.shared.records.errors import InputError
from stages.shared.shell.files import LONGEST_INPUT, read_input, remove_others, write_atomic
from tests.builders.cases import cases


@cases(
    "raw, said",
    {
        "a carriage return": (b"a\nb\rc\n", "line 2: holds a carriage return"),
        "not UTF-8": (b"a\n\xff\n", "line 2: is not UTF-8"),
        "NUL": (b"a\nb\0", "line 2: holds a NUL"),
        "UTF-16": ("a".encode("utf-16-le") + b"\xd8\x00", "not UTF-8"),
    },
)
def test_what_would_differ_between_machines_is_refused_with_its_line(
    tmp_path: Path, raw: bytes, said: str
) -> None:
    file = tmp_path / "x.md"
    file.write_bytes(raw)
    with pytest.raises(InputError, match=said):
        read_input(file)


@cases(
    "raw",
    {"byte order mark": b"\xef\xbb\xbfa\nb\n", "CRLF": b"a\r\nb\r\n", "neither": b"a\nb\n"},
)
def test_what_an_editor_adds_is_no_part_of_the_text(tmp_path: Path, raw: bytes) -> None:
    (tmp_path / "x.md").write_bytes(raw)
    assert read_input(tmp_path / "x.md") == "a\nb\n"


def make_fifo(path: Path) -> None:
    os.mkfifo(path)


def make_long(path: Path) -> None:
    with path.open("wb") as file:
        file.truncate(LONGEST_INPUT + 1)


@cases(
    "make, said",
    {
        "a folder": (Path.mkdir, "is not a regular file"),
        "a FIFO": (make_fifo, "is not a regular file"),
        "a device": (lambda path: path.symlink_to(os.devnull), "is not a regular file"),
        "a long file": (make_long, "is larger than 10 MB"),
    },
)
def test_what_is_no_file_that_a_person_wrote_is_one_message(
    tmp_path: Path, make: Callable[[Path], None], said: str
) -> None:
    make(tmp_path / "x.md")
    with pytest.raises(InputError, match=said):
        read_input(tmp_path / "x.md")


def test_an_unchanged_file_keeps_its_time_stamp(tmp_path: Path) -> None:
    file = tmp_path / "a" / "b"
    write_atomic(file, b"one")
    before = file.stat().st_ino
    write_atomic(file, b"one")
    assert file.stat().st_ino == before
    write_atomic(file, b"two")
    assert file.read_bytes() == b"two"


def test_a_write_that_fails_leaves_the_old_file_and_no_litter(tmp_path: Path) -> None:
    (tmp_path / "folder" / "inside").mkdir(parents=True)
    with pytest.raises(OSError, match="folder"):
        write_atomic(tmp_path / "folder", b"x")
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["folder", "inside"]


def test_what_nothing_keeps_goes_with_its_empty_folders_and_links_are_not_followed(
    tmp_path: Path,
) -> None:
    for name in ("below/a/kept", "below/a/old", "below/b/c/old", "outside/file"):
        write_atomic(tmp_path / name, b"{}")
    (tmp_path / "below" / "link").symlink_to(tmp_path / "outside")
    remove_others(tmp_path / "below", {str(tmp_path / "below" / "a" / "kept")})
    left = sorted(path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*"))
    assert left == ["below", "below/a", "below/a/kept", "outside", "outside/file"]
