"""The wheel alone: a project is made, run, extended and compared, far from this repository."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests import REPOSITORY
from tests.pipeline.project import Project

pytestmark = pytest.mark.pipeline

BRIEF = "Should our library open on Mondays? We want more visits with the same staff.\n"


@pytest.fixture
def installed(tmp_path):
    """A folder with the tool as its wheel has it."""
    source = tmp_path / "source"
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(REPOSITORY / "graph_evaluator", source / "graph_evaluator", ignore=ignored)
    for name in ("pyproject.toml", "README.md"):
        shutil.copy(REPOSITORY / name, source)
    pip = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check"]
    build = ["wheel", "--no-deps", "--no-build-isolation", "--wheel-dir", str(tmp_path)]
    subprocess.run([*pip, *build, str(source)], check=True)
    (wheel,) = tmp_path.glob("*.whl")
    shutil.unpack_archive(wheel, tmp_path / "site", "zip")
    return tmp_path / "site"


def test_a_project_of_the_wheel_runs_offline_gets_a_brief_and_a_model_and_compares_prompts(
    installed, tmp_path
):
    home = tmp_path / "home"
    (home / "dvc-global").mkdir(parents=True)
    commands = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    variables = {"PYTHONPATH": str(installed), "PATH": commands}
    outside = Project(tmp_path, home, **variables)
    shown = outside.run("bash -c 'python -c \"import graph_evaluator as g; print(g.__file__)\"'")
    assert shown.startswith(str(installed))
    outside.run("bash -c 'python -m graph_evaluator init \"a project\"'")
    project = Project(tmp_path / "a project", home, **variables)
    project.run("git add -A . && git commit -qm start")
    project.run("bash -c 'python -m dvc repro -q'")
    assert project.run("git status --porcelain --untracked-files=no") == ""
    assert (project / "results/site/index.html").is_file()
    project.run("git add -A . && git commit -qm results")

    (project / "briefs/library.md").write_text(BRIEF)
    config = json.loads((project / "models/sim-careful.json").read_bytes())
    config |= {"id": "other", "model": "sim-defaults"}
    (project / "models/other.json").write_text(json.dumps(config))
    (project / "prompts/ours.txt").write_text("Draft the graph as JSON.\n")
    run = "python -m graph_evaluator run prompt=prompts/ours.txt models=[other,sim-careful]"
    project.run(f"bash -c '{run}'")
    responses = (project / "results/responses").rglob("response.json")
    assert len(list(responses)) == 4
    _, compared = project.attempt("bash -c 'python -m graph_evaluator compare main workspace'")
    assert "workspace compared with main" in compared

    (project / "requirements.txt").write_text("graph-evaluator==0.0.9\n")
    code, printed = project.attempt("bash -c 'python -m graph_evaluator score'")
    assert (code, "pins graph-evaluator 0.0.9" in printed) == (2, True)
