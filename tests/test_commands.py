"""Every command says what it does and how it is used, before it does anything."""

import importlib
import sys
from pathlib import Path

import pytest

from stages.__main__ import FOLDER, described_commands, main

DESCRIBED = (
    "briefs",
    "compare",
    "improve",
    "ingest",
    "merge",
    "review",
    "score",
    "settle",
    "simulate",
)


def test_the_list_has_every_command_with_a_sentence(capsys: pytest.CaptureFixture[str]) -> None:
    main([])
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
