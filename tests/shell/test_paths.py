"""Files are read strictly, written whole and removed; the repository, its ledger and its `.env` are found."""

import pytest

from graph_evaluator.records.errors import InputError
from graph_evaluator.shell import paths
from graph_evaluator.shell.paths import (
    environment_variables,
    read_input,
    remove_others,
    write_atomic,
)
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


def test_dvc_names_the_repository_even_from_a_temporary_copy(tmp_path, monkeypatch):
    monkeypatch.setenv("DVC_ROOT", str(tmp_path))
    assert paths.ledger_folder() == tmp_path / ".ledger"


def test_without_dvc_the_repository_is_the_nearest_folder_with_a_pipeline(tmp_path, monkeypatch):
    monkeypatch.delenv("DVC_ROOT", raising=False)
    (tmp_path / "dvc.yaml").touch()
    (tmp_path / "a" / "b").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "a" / "b")
    assert paths.repository() == tmp_path


def test_the_ledger_can_be_put_elsewhere(tmp_path, monkeypatch):
    monkeypatch.setenv("GRAPH_EVALUATOR_LEDGER", str(tmp_path / "else"))
    assert paths.ledger_folder() == tmp_path / "else"


def test_a_relative_address_of_the_ledger_is_the_same_in_a_temporary_copy(tmp_path, monkeypatch):
    monkeypatch.setenv("GRAPH_EVALUATOR_LEDGER", "mine")
    monkeypatch.setenv("DVC_ROOT", str(tmp_path))
    (tmp_path / "copy").mkdir()
    monkeypatch.chdir(tmp_path / "copy")
    assert paths.ledger_folder() == tmp_path / "mine"


def test_the_environment_comes_before_the_dotenv_file_and_empty_values_count_as_missing(
    tmp_path, monkeypatch
):
    monkeypatch.setenv("DVC_ROOT", str(tmp_path))
    monkeypatch.setenv("FROM_BOTH", "environment")
    monkeypatch.setenv("EMPTY", "")
    (tmp_path / ".env").write_text("FROM_BOTH=file\nFROM_FILE=file\nEMPTY_TOO=\n", encoding="utf-8")
    found = environment_variables()
    assert (found["FROM_BOTH"], found["FROM_FILE"]) == ("environment", "file")
    assert "EMPTY" not in found
    assert "EMPTY_TOO" not in found


def test_a_dotenv_file_that_cannot_be_used_is_one_message_without_its_content(
    tmp_path, monkeypatch
):
    monkeypatch.setenv("DVC_ROOT", str(tmp_path))
    (tmp_path / ".env").write_bytes(b"OPENAI_API_KEY=sk-canary\xff\n")
    with pytest.raises(InputError, match=r"\.env: is not UTF-8: save the file") as raised:
        environment_variables()
    assert "canary" not in str(raised.value)
