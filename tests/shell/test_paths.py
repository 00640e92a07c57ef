import pytest

from graph_evaluator.records.errors import InputError
from graph_evaluator.shell import paths
from graph_evaluator.shell.paths import environment_variables


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
