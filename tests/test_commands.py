"""Every command says what it does and how it is used, before it does anything."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from graph_evaluator.__main__ import COMMANDS, GROUPS, main, module_of
from graph_evaluator.records.errors import REMOVED_COMMANDS, REMOVED_OPTIONS
from tests import REPOSITORY


@pytest.fixture
def typed(capsys, monkeypatch, tmp_path):
    """Types `graph-evaluator` with arguments in an empty folder: exit code, output and errors."""
    monkeypatch.chdir(tmp_path)
    for name in COMMANDS:  # other tests may have imported it
        monkeypatch.delitem(sys.modules, module_of(name), raising=False)

    def type_arguments(*arguments):
        try:
            code = main(*arguments)
        except SystemExit as ended:
            code = int(ended.code or 0)
        assert list(tmp_path.iterdir()) == []
        return code, *capsys.readouterr()

    return type_arguments


def run_installed(*arguments, folder):
    command = [str(Path(sys.executable).parent / "graph-evaluator"), *arguments]
    return subprocess.run(command, capture_output=True, text=True, cwd=folder)


def test_the_list_has_every_command_with_a_sentence_by_what_people_do(typed):
    code, printed, _ = typed()
    assert code == 0
    assert max(map(len, printed.splitlines())) <= 80
    groups = [block.partition("\n") for block in printed.strip().split("\n\n")[1:]]
    listed = {
        group: tuple(re.findall(r"^  (\w+) +[A-Z]", lines, flags=re.MULTILINE))
        for group, _, lines in groups
    }
    assert listed == GROUPS
    folders = [file.parent.name for file in REPOSITORY.glob("graph_evaluator/*/__main__.py")]
    assert sorted(COMMANDS) == sorted([*folders, "init", "run"])


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_help_says_when_to_use_it_fits_80_columns_ends_with_an_example_and_runs_nothing(
    name, typed
):
    code, printed, _ = typed(name, "--help")
    assert code == 0
    assert printed.startswith("When to use it: ")
    lines = printed.replace("--as promptfoo-", "").splitlines()
    assert [line for line in lines if len(line) > 80 or line.endswith(("-", "\\"))] == []
    assert f"graph-evaluator {name}" in printed.partition("example")[2]


def test_the_script_of_a_stage_takes_the_options_of_its_command():
    script = [sys.executable, "stages/generate.py", "--help"]
    assert b"--dry-run" in subprocess.check_output(script, cwd=REPOSITORY)


def test_the_installed_command_runs_from_any_folder_of_the_project(tmp_path):
    """A file is named from the folder where the command was typed."""
    for name in ("params.yaml", "briefs"):
        (tmp_path / name).symlink_to(REPOSITORY / name)
    (tmp_path / "logs").mkdir()
    ended = run_installed("ingest", "mine.jsonl", "--as", "mine", folder=tmp_path / "logs")
    assert ended.returncode == 2
    assert str(tmp_path / "logs/mine.jsonl") in ended.stderr


def test_outside_a_project_the_installed_command_says_so(tmp_path):
    ended = run_installed("compare", "main", folder=tmp_path)
    assert (ended.returncode, ended.stdout) == (2, "")
    message = "no project here: no folder above has a params.yaml; `graph-evaluator init DIR`"
    assert " ".join(ended.stderr.split()) == f"error: {message}"


def test_python_without_the_libraries_says_how_to_get_them():
    command = [sys.executable, "-S", "-m", "graph_evaluator", "compare", "main"]
    ended = subprocess.run(command, capture_output=True, text=True, cwd=REPOSITORY)
    assert ended.returncode == 2
    assert "activate .venv" in ended.stderr
    assert len(ended.stderr.splitlines()) == 1


REPLACED = {"comparre": '(did you mean "compare"?)'} | REMOVED_COMMANDS | REMOVED_OPTIONS


@pytest.mark.parametrize("line", sorted(REPLACED))
def test_what_is_no_command_or_option_says_what_to_type(line, typed):
    code, _, errors = typed(*line.split())
    assert code == 2
    assert REPLACED[line] in errors.splitlines()[-1]
