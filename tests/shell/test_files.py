import pytest

from graph_evaluator.records.errors import InputError
from graph_evaluator.shell.paths import read_input, remove_others, write_atomic
from tests.builders.cases import cases


def test_what_is_not_utf_8_is_refused(tmp_path):
    (tmp_path / "x.md").write_bytes(b"a\n\xff\n")
    with pytest.raises(InputError, match="is not UTF-8: save the file as UTF-8"):
        read_input(tmp_path / "x.md")


@cases(
    "raw",
    {"byte order mark": b"\xef\xbb\xbfa\nb\n", "CRLF": b"a\r\nb\r\n", "neither": b"a\nb\n"},
)
def test_what_an_editor_adds_is_no_part_of_the_text(tmp_path, raw):
    (tmp_path / "x.md").write_bytes(raw)
    assert read_input(tmp_path / "x.md") == "a\nb\n"


def test_what_is_no_file_is_refused(tmp_path):
    with pytest.raises(InputError, match="there is no such file"):
        read_input(tmp_path)


def test_an_unchanged_file_keeps_its_time_stamp(tmp_path):
    file = tmp_path / "a" / "b"
    write_atomic(file, b"one")
    before = file.stat().st_ino
    write_atomic(file, b"one")
    assert file.stat().st_ino == before
    write_atomic(file, b"two")
    assert file.read_bytes() == b"two"


def test_a_write_that_fails_leaves_the_old_file_and_no_litter(tmp_path):
    (tmp_path / "folder" / "inside").mkdir(parents=True)
    with pytest.raises(OSError, match="folder"):
        write_atomic(tmp_path / "folder", b"x")
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["folder", "inside"]


def test_what_nothing_keeps_goes_with_its_empty_folders_and_links_are_not_followed(tmp_path):
    for name in ("below/a/kept", "below/a/old", "below/b/c/old", "outside/file"):
        write_atomic(tmp_path / name, b"{}")
    (tmp_path / "below" / "link").symlink_to(tmp_path / "outside")
    remove_others(tmp_path / "below", {tmp_path / "below" / "a" / "kept"})
    left = sorted(path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*"))
    assert left == ["below", "below/a", "below/a/kept", "outside", "outside/file"]
