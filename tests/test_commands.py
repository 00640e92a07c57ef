"""Every command says what it does and how it is used, before it does anything."""

import importlib
import re
import subprocess
import sys
from pathlib import Path

import pytest

from stages.__main__ import FOLDER, GROUPS, command_modules, description, main
from stages.shared.records.removed import REMOVED_COMMANDS, REMOVED_OPTIONS

ROOT = Path(__file__).parents[1]


def test_the_list_has_every_command_with_a_sentence_by_what_people_do(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "argv", ["stages"])
    assert main() == 0
    printed = capsys.readouterr().out
    assert max(map(len, printed.splitlines())) <= 80
    groups = [block.partition("\n") for block in printed.strip().split("\n\n")[1:]]
    listed = {
        group: tuple(re.findall(r"^  (\w+) +[A-Z]", lines, flags=re.MULTILINE))
        for group, _, lines in groups
    }
    assert listed == GROUPS
    assert sorted(sum(GROUPS.values(), ())) == sorted(command_modules(FOLDER))


def test_a_description_is_the_first_paragraph_without_the_usage() -> None:
    assert description("stages.report").startswith("Turns scorecards")


@pytest.mark.parametrize("name", sorted(command_modules(FOLDER)))
def test_help_says_when_to_use_it_fits_80_columns_ends_with_an_example_and_runs_nothing(
    name: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", [name, "--help"])
    with pytest.raises(SystemExit) as ended:
        importlib.import_module(f"{command_modules(FOLDER)[name]}.__main__").main()
    assert ended.value.code == 0
    printed = capsys.readouterr().out
    assert printed.startswith("When to use it: ")
    assert max(map(len, printed.splitlines())) <= 80
    assert f"graph-evaluator {name}" in printed.partition("example")[2]
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("folder", ["", "docs", "tests/fixtures"])
def test_the_installed_command_runs_from_any_folder_of_the_project(folder: str) -> None:
    ended = run_installed("briefs", "--help", folder=ROOT / folder)
    assert (ended.returncode, ended.stderr) == (0, "")


def test_outside_a_project_the_installed_command_says_so(tmp_path: Path) -> None:
    ended = run_installed("compare", "main", folder=tmp_path)
    assert (ended.returncode, ended.stdout) == (2, "")
    assert ended.stderr == "error: no project here: graph-evaluator runs inside a clone of it\n"


def test_a_file_is_named_from_the_folder_where_the_command_was_typed(tmp_path: Path) -> None:
    copy = tmp_path / "project"
    copy.mkdir()
    for name in ("stages", "params.yaml", "briefs"):
        (copy / name).symlink_to(ROOT / name)
    (copy / "logs").mkdir()
    ended = run_installed("ingest", "mine.jsonl", "--as", "mine", folder=copy / "logs")
    assert str(copy / "logs/mine.jsonl") in ended.stderr


def test_python_without_the_libraries_says_how_to_get_them() -> None:
    command = [sys.executable, "-S", "-m", "stages", "compare", "main"]
    ended = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)
    assert ended.returncode == 2
    assert "activate .venv" in ended.stderr
    assert len(ended.stderr.splitlines()) == 1


def run_installed(*arguments: str, folder: Path) -> subprocess.CompletedProcess[str]:
    command = [str(Path(sys.executable).parent / "graph-evaluator"), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False, cwd=folder)


def run_command(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "stages", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)


def test_a_command_runs_by_its_name() -> None:
    ended = run_command("briefs", "--help")
    assert (ended.returncode, ended.stderr) == (0, "")
    assert "graph-evaluator briefs" in ended.stdout


def test_an_unknown_command_suggests_the_nearest() -> None:
    ended = run_command("comparre")
    assert ended.returncode == 2
    assert "there is no command 'comparre' (did you mean \"compare\"?)" in ended.stderr


@pytest.mark.parametrize("name", sorted(REMOVED_COMMANDS))
def test_a_removed_command_says_what_replaces_it(name: str) -> None:
    ended = run_command(name)
    assert ended.returncode == 2
    assert REMOVED_COMMANDS[name] in ended.stderr
    assert len(ended.stderr.splitlines()) == 1


@pytest.mark.parametrize("command_and_option", sorted(REMOVED_OPTIONS))
def test_a_removed_option_says_what_replaces_it(command_and_option: str) -> None:
    ended = run_command(*command_and_option.split())
    assert ended.returncode == 2
    assert REMOVED_OPTIONS[command_and_option] in ended.stderr.splitlines()[-1]
