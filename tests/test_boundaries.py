"""The layout: imports, paths and parameters agree with what `dvc.yaml` declares, and only named adapters touch the outside."""

import ast
import json
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import yaml

from graph_evaluator.records.params import Params
from graph_evaluator.shell import paths
from tests import REPOSITORY

PIPELINE = yaml.safe_load((REPOSITORY / "dvc.yaml").read_text())["stages"]
MAY_IMPORT = {
    "records": "",
    "shell": "records",
    "analysis": "records",
    "present": "records shell",
    "simulate": "records shell language",
    "language": "",
    "graph": "records shell",
    "generate": "records shell language present simulate",
    "score": "records shell language graph",
    "briefs": "records shell language graph present generate score simulate",
    "project": "records shell generate score",
    "report": "records shell analysis present",
    "compare": "records shell analysis present score report",
    "review": "records shell analysis present score report compare",
    "ingest": "records shell simulate generate",
    "merge": "records shell simulate generate",
    "settle": "records shell analysis present generate score compare briefs",
}
"""Which other folders of `graph_evaluator/` the code of a folder may import."""

LAYERS = (
    "replies",
    "apis",
    "prices",
    "plan",
    "answers",
    "recorded",
    "ledger",
    "calls",
    "cap_options",
    "batch",
    "forecast",
    "responses",
    "adoption",
    "fetching",
)
"""The layers of `graph_evaluator/generate`: each imports only from itself and from those before it."""

LOADERS = {"load_inputs": ("PROMPTS", "BRIEFS", "MODELS"), "load_prompt": ("PROMPTS",), "load_briefs": ("BRIEFS",),
           "load_codebooks": ("CODEBOOKS",),
           "load_models": ("MODELS",)}  # fmt: skip
UNTRACKED = {"LEDGER", "PARAMS", "RESULTS"}
"""Paths that no stage declares: the ledger lives outside every out, parameters are tracked by key."""


OF_EACH_STAGE = pytest.mark.parametrize("stage", sorted(PIPELINE))


def trees(folder):
    for file in sorted((REPOSITORY / "graph_evaluator" / folder).rglob("*.py")):
        yield file, ast.parse(file.read_text())


def imported(tree, package="graph_evaluator"):
    """The folders or modules directly below a package that a module imports, anywhere in it."""
    names = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            names |= {f"{node.module}.{alias.name}" for alias in node.names}
        elif isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
    below = [name.removeprefix(f"{package}.") for name in names if name.startswith(f"{package}.")]
    return {name.partition(".")[0] for name in below}


def declared(stage):
    """What a stage's `deps`, `outs`, `metrics` and `plots` name."""
    keys = ("deps", "outs", "metrics", "plots")
    entries = [entry for key in keys for entry in PIPELINE[stage].get(key, [])]
    return {entry if isinstance(entry, str) else next(iter(entry)) for entry in entries}


def attributes(tree, of):
    """The attributes that a module reads of a name: `of.ATTRIBUTE`."""
    nodes = [node for node in ast.walk(tree) if isinstance(node, ast.Attribute)]
    return {node.attr for node in nodes if ast.unparse(node.value) == of}


def test_every_folder_is_in_the_documented_layout():
    files = (REPOSITORY / "graph_evaluator").glob("*/__init__.py")
    assert {file.parent.name for file in files} == set(MAY_IMPORT)


@pytest.mark.parametrize("folder", sorted(MAY_IMPORT))
def test_a_folder_imports_only_what_it_may(folder):
    allowed = {folder, *MAY_IMPORT[folder].split()}
    stray = {file.name: imported(tree) - allowed for file, tree in trees(folder)}
    assert [name for name in stray if stray[name]] == []


@pytest.mark.parametrize("layer", LAYERS)
def test_a_layer_of_generate_imports_only_from_the_layers_before_it(layer):
    root = REPOSITORY / "graph_evaluator/generate"
    allowed = set(LAYERS[: LAYERS.index(layer) + 1])
    stray = {
        file.name: imported(tree, "graph_evaluator.generate") - allowed
        for file, tree in trees("generate")
        if file.relative_to(root).parts[0].removesuffix(".py") == layer
    }
    assert stray
    assert [name for name in stray if stray[name]] == []


@OF_EACH_STAGE
def test_what_a_stage_imports_is_what_it_depends_on(stage):
    needed, open_ = {stage}, [stage]
    while open_:
        reached = set().union(*(imported(tree) for _, tree in trees(open_.pop()))) - needed
        needed |= reached
        open_ += sorted(reached)
    assert {
        name.removeprefix("graph_evaluator/")
        for name in declared(stage)
        if name.startswith("graph_evaluator/")
    } == needed


@OF_EACH_STAGE
def test_a_stage_names_only_files_that_it_declares(stage):
    own = declared(stage) | {"prompts" if name == "${prompt}" else name for name in declared(stage)}
    for file, tree in trees(stage):
        called = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
        names = attributes(tree, "paths")
        names |= {name for loader in LOADERS.keys() & called for name in LOADERS[loader]}
        constants = {name for name in names - UNTRACKED if name.isupper()}
        assert {getattr(paths, name).as_posix() for name in constants} <= own, file


def test_every_out_of_the_pipeline_has_its_name_in_one_place():
    outs = {name for stage in PIPELINE for name in declared(stage) if name.startswith("results/")}
    named = {
        value.as_posix()
        for name, value in vars(paths).items()
        if isinstance(value, Path) and value.is_relative_to(paths.RESULTS)
    }
    assert named - {"results"} == outs


@OF_EACH_STAGE
def test_a_stage_tracks_the_sections_it_reads(stage):
    sections = set(Params.model_fields)
    read = set().union(*(attributes(tree, "params") & sections for _, tree in trees(stage)))
    tracked = {key.split(".")[0] for key in PIPELINE[stage].get("params", [])}
    assert read - {"runtime", "prompt", "models", "briefs"} <= tracked
    assert "runtime" not in tracked


def adapters():
    """The files that may touch the outside, by the pattern that lists them in `pyproject.toml`."""
    settings = tomllib.loads((REPOSITORY / "pyproject.toml").read_text())
    ignores = settings["tool"]["ruff"]["lint"]["per-file-ignores"]
    return {
        pattern: {file.relative_to(REPOSITORY).as_posix() for file in REPOSITORY.glob(pattern)}
        for pattern, rules in ignores.items()
        if "TID251" in rules and pattern.startswith("graph_evaluator/")
    }


def touching():
    """The files below `graph_evaluator/` that use what the core must not, whatever a comment says."""
    command = [sys.executable, "-m", "ruff", "check", "--select", "TID251", "--config", "lint.per-file-ignores={}",
               "--ignore-noqa", "--output-format", "json", "--exit-zero", "--no-cache", "graph_evaluator"]  # fmt: skip
    found = subprocess.run(command, cwd=REPOSITORY, capture_output=True, check=True).stdout
    return {
        Path(entry["filename"]).relative_to(REPOSITORY).as_posix() for entry in json.loads(found)
    }


def test_only_the_shell_and_named_adapters_touch_the_outside_and_each_is_needed():
    used, named = touching(), adapters()
    assert used - set().union(*named.values()) == set()
    assert [pattern for pattern, files in named.items() if not files & used] == []
