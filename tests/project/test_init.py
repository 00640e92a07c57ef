"""`graph-evaluator init` writes a project, adds what is missing, and touches nothing of others."""

import sys
from pathlib import Path

import pytest
import yaml

from graph_evaluator.project.init import check_folder, main, project_files
from graph_evaluator.records.errors import InputError
from graph_evaluator.shell.repository import git_output
from tests import REPOSITORY
from tests.builders.cases import cases


def init(folder, *arguments, monkeypatch):
    monkeypatch.setattr(sys, "argv", ["init", str(folder), *arguments])
    main()


def test_an_existing_repository_gets_what_is_missing_in_a_subfolder_of_its_own(
    tmp_path, monkeypatch, capsys
):
    git_output("init", "--quiet", folder=tmp_path)
    folder = tmp_path / "with a space"
    (folder / "briefs").mkdir(parents=True)
    (folder / "briefs/example.md").write_text("Ours.")
    (folder / ".gitignore").write_text("*.log\n/.env")
    init(folder, monkeypatch=monkeypatch)
    assert "git add -A ." in capsys.readouterr().out
    assert (folder / "briefs/example.md").read_text() == "Ours."
    ignored = (folder / ".gitignore").read_text().splitlines()
    assert ignored[:2] == ["*.log", "/.env"]
    assert {"/.ledger/", "/.venv/"} <= set(ignored)
    assert len(ignored) == len(set(ignored))
    assert (folder / ".dvc/config").is_file()
    assert not (tmp_path / ".dvc").exists()
    before = {file: file.read_bytes() for file in folder.rglob("*") if file.is_file()}
    init(folder, monkeypatch=monkeypatch)
    assert "nothing was missing" in capsys.readouterr().out
    assert {file: file.read_bytes() for file in folder.rglob("*") if file.is_file()} == before


@cases(
    "name",
    {"a pipeline": "dvc.yaml", "settings": "params.yaml"},
)
def test_a_folder_of_another_project_is_refused(name, tmp_path):
    (tmp_path / name).write_text("stages: {}\n")
    with pytest.raises(InputError, match=f"{name}: belongs to another project"):
        check_folder(tmp_path)


def test_a_file_is_no_folder_for_a_project():
    with pytest.raises(InputError, match="is a file"):
        check_folder(Path(__file__))


def test_the_example_brief_is_of_the_language_that_is_asked_for():
    assert "café" in project_files("en")["briefs/example.md"]
    assert "Fernwärme" in project_files("de")["briefs/example.md"]


def test_every_folder_that_a_stage_depends_on_has_a_file_that_stays():
    files = project_files("en")
    stages = yaml.safe_load(files["dvc.yaml"])["stages"].values()
    deps = {
        dep for stage in stages for dep in stage["deps"] if not dep.startswith(("results", "$"))
    }
    folders = {dep for dep in deps if "." not in dep}
    assert {f"{folder}/README.md" for folder in folders} <= set(files)
    assert deps - folders <= set(files)


def test_the_pipeline_of_a_project_is_that_of_this_repository_with_the_tool_as_one_dependency():
    ours = yaml.safe_load((REPOSITORY / "dvc.yaml").read_text())
    for name, stage in ours["stages"].items():
        stage["cmd"] = f"graph-evaluator {name}"
        own = [dep for dep in stage["deps"] if not dep.startswith(("graph_evaluator/", "stages/"))]
        stage["deps"] = ["requirements.txt", *own]
    for plot in ours["plots"]:
        for settings in plot.values():
            settings["template"] = Path(settings["template"]).stem
    assert yaml.safe_load(project_files("en")["dvc.yaml"]) == ours
