"""The recipes of CONTRIBUTING.md are done in a copy, and name the files that they need."""

import os
import re
import shutil
import subprocess
import sys

import pytest
import yaml

from tests import REPOSITORY

RECIPES = yaml.safe_load((REPOSITORY / "tests/recipes.yaml").read_text())
CONTRIBUTING = (REPOSITORY / "CONTRIBUTING.md").read_text()
MOST_FILES = 4
IGNORED = shutil.ignore_patterns("__pycache__")
AT_HAND = """\
import json
from pathlib import Path
from graph_evaluator.score import Scorer
from graph_evaluator.records.brief import Brief, Expectations
from graph_evaluator.records.params import ScoringRules

def scored(old="", new=""):
    prompt = Path("prompts/draft_graph_v20.txt").read_text()
    graph = prompt.split("example_graph>")[1][:-2].replace(old, new)
    brief = Brief("b", Expectations(), body="Repair bikes.", sha256="")
    return Scorer(ScoringRules(), [brief]).score_graph(json.loads(graph), "b")

"""
"""The scorecard of the example in a prompt, in which one text replaces another."""


def edit(copy, file, add, after="", before=""):
    place = copy / file
    if not (after or before):
        place.write_text(add)
        return
    text = place.read_text()
    assert after + before in text, (
        f"{file} has no {after + before!r}: tests/recipes.yaml names another line"
    )
    place.write_text(text.replace(after + before, after + add + before))


def run_python(copy, *arguments):
    done = subprocess.run(
        [sys.executable, *arguments],
        cwd=copy,
        env=os.environ | {"PYTHONPATH": f"{copy}{os.pathsep}{REPOSITORY}"},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr + done.stdout


@pytest.mark.parametrize("title", RECIPES)
def test_a_recipe_does_what_it_says_with_the_files_that_it_names(title, tmp_path):
    recipe = RECIPES[title]
    for name in ("graph_evaluator", "prompts"):
        shutil.copytree(REPOSITORY / name, tmp_path / name, ignore=IGNORED)
    shutil.copy(REPOSITORY / "params.yaml", tmp_path)
    for change in recipe["edits"]:
        edit(tmp_path, **change)
    run_python(tmp_path, "-c", AT_HAND + recipe["shows"])
    if guards := recipe.get("guarded_by"):
        shutil.copytree(REPOSITORY / "tests", tmp_path / "tests", ignore=IGNORED)
        run_python(tmp_path, "-m", "pytest", "-p", "no:cacheprovider", *guards)

    (row,) = re.findall(rf"^\| {title}\b[^|]*\|(.*)$", CONTRIBUTING, re.MULTILINE)
    named = set(re.findall(r"`([^`]+\.\w+)`", row))
    edited = {change["file"].removeprefix("graph_evaluator/") for change in recipe["edits"]}
    assert named == edited
    assert len(edited) <= MOST_FILES


def test_the_path_of_a_cell_names_files_that_are_there():
    table = CONTRIBUTING.partition("## One cell")[2].partition("## Recipes")[0]
    files = re.findall(r"`(\w[\w/]+\.py)`", table)
    assert files
    assert [name for name in files if not (REPOSITORY / "graph_evaluator" / name).is_file()] == []
