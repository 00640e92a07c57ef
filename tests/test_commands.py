"""Every command says what it does and how it is used, before it does anything."""

import importlib
import subprocess
import sys
from pathlib import Path

import pytest

from stages.__main__ import FOLDER, described_commands, main
from stages.contracts.removed import REMOVED_COMMANDS, REMOVED_OPTIONS

ROOT = Path(__file__).parents[1]

DESCRIBED = (
    "briefs",
    "compare",
    "improve",
    "ingest",
    "merge",
    "review",
    "score",
    "settle",
)


def test_the_list_has_every_command_with_a_sentence(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "argv", ["stages"])
    assert main() == 0
    listed = {
        name: sentence
        for name, _, sentence in (
            line.strip().partition("  ") for line in capsys.readouterr().out.splitlines()[2:]
        )
    }
    assert set(listed) == {file.parent.name for file in FOLDER.glob("*/__main__.py")}
    assert all(
        sentence.strip()[0].isupper() and sentence.endswith(".") for sentence in listed.values()
    )


def test_a_description_is_the_first_paragraph_without_the_usage(tmp_path: Path) -> None:
    (tmp_path / "weigh").mkdir()
    text = '"""`python -m stages.weigh`: weighs\nthe harvest.\n\nMore of it.\n"""\nimport nothing_there\n'
    (tmp_path / "weigh/__main__.py").write_text(text)
    assert described_commands(tmp_path) == {"weigh": "Weighs the harvest."}


@pytest.mark.parametrize("name", DESCRIBED)
def test_help_ends_with_an_example_and_runs_nothing(
    name: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", [name, "--help"])
    with pytest.raises(SystemExit) as ended:
        importlib.import_module(f"stages.{name}.__main__").main()
    assert ended.value.code == 0
    assert f"python -m stages.{name}" in capsys.readouterr().out.partition("example")[2]
    assert list(tmp_path.iterdir()) == []


def run_command(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "stages", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)


def test_a_command_runs_by_its_name() -> None:
    ended = run_command("briefs", "--help")
    assert (ended.returncode, ended.stderr) == (0, "")
    assert "python -m stages.briefs" in ended.stdout


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
