"""The house holds: imports, paths and parameters agree with what `dvc.yaml` declares, and only named adapters touch the outside."""

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
    "records": set(),
    "shell": {"records"},
    "analysis": {"records"},
    "present": {"records", "shell"},
    "simulate": {"records", "shell", "language"},
    "language": set(),
    "graph": {"records", "shell"},
    "generate": {
        "records",
        "shell",
        "language",
        "present",
        "simulate",
    },
    "score": {"records", "shell", "language", "graph"},
    "briefs": {"records", "shell", "language", "graph", "present", "generate", "score", "simulate"},
    "project": {"records", "shell", "generate", "score"},
    "report": {"records", "shell", "analysis", "present"},
    "compare": {
        "records",
        "shell",
        "analysis",
        "present",
        "score",
        "report",
    },
    "review": {
        "records",
        "shell",
        "analysis",
        "present",
        "score",
        "report",
        "compare",
    },
    "ingest": {"records", "shell", "simulate", "generate"},
    "merge": {"records", "shell", "simulate", "generate"},
    "settle": {
        "records",
        "shell",
        "analysis",
        "present",
        "generate",
        "score",
        "compare",
        "briefs",
    },
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
    "batch",
    "forecast",
    "responses",
    "adoption",
)
"""The layers of `graph_evaluator/generate`: each imports only from itself and from those before it; other modules may import all."""

LOADERS = {"load_inputs": ("PROMPTS", "BRIEFS", "MODELS"), "load_prompt": ("PROMPTS",), "load_briefs": ("BRIEFS",),
           "load_codebooks": ("CODEBOOKS",),
           "load_models": ("MODELS",)}  # fmt: skip
UNTRACKED = {"LEDGER", "PARAMS", "RESULTS"}
"""Paths that no stage declares: the ledger lives outside every out, parameters are tracked by key."""


def folders():
    root = REPOSITORY / "graph_evaluator"
    return sorted(file.parent.name for file in root.glob("*/__init__.py"))


def trees(folder):
    for file in sorted((REPOSITORY / "graph_evaluator" / folder).rglob("*.py")):
        yield file, ast.parse(file.read_text())


def modules(tree, package):
    """The names below a package that a module imports from it, anywhere in it; "" for the package itself."""
    names = set()
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.ImportFrom)
            and node.module
            and f"{node.module}.".startswith(f"{package}.")
        ):
            below = node.module.removeprefix(package).removeprefix(".")
            names |= {below} if below else {alias.name for alias in node.names}
        elif isinstance(node, ast.Import):
            names |= {
                alias.name.removeprefix(f"{package}.")
                for alias in node.names
                if alias.name.startswith(package)
            }
    return names


def imported(tree, package="graph_evaluator"):
    """The folders or modules directly below a package that a module imports, anywhere in it."""
    return {name.partition(".")[0] for name in modules(tree, package)}


def declared(stage):
    """What a stage's `deps`, `outs`, `metrics` and `plots` name."""
    entries = [
        entry
        for key in ("deps", "outs", "metrics", "plots")
        for entry in PIPELINE[stage].get(key, [])
        if key in PIPELINE[stage]
    ]
    return {entry if isinstance(entry, str) else next(iter(entry)) for entry in entries}


def attributes(tree, of):
    """The attributes that a module reads of a name: `of.ATTRIBUTE`."""
    return {
        node.attr
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Name)
        and node.value.id == of
    }


def test_every_folder_is_in_the_documented_layout():
    assert folders() == sorted(MAY_IMPORT)


@pytest.mark.parametrize("folder", sorted(MAY_IMPORT))
def test_a_folder_imports_only_what_it_may(folder):
    allowed = MAY_IMPORT[folder] | {folder}
    stray = {
        file.relative_to(REPOSITORY).as_posix(): extra
        for file, tree in trees(folder)
        if (extra := imported(tree) - allowed)
    }
    assert stray == {}


@pytest.mark.parametrize("layer", LAYERS)
def test_a_layer_of_generate_imports_only_from_the_layers_before_it(layer):
    root = REPOSITORY / "graph_evaluator" / "generate"
    files = {
        file: tree
        for file, tree in trees("generate")
        if file.relative_to(root).parts[0].removesuffix(".py") == layer
    }
    allowed = set(LAYERS[: LAYERS.index(layer) + 1])
    stray = {
        file.relative_to(root).as_posix(): extra
        for file, tree in files.items()
        if (extra := imported(tree, "graph_evaluator.generate") - allowed)
    }
    assert files
    assert stray == {}


@pytest.mark.parametrize("stage", sorted(PIPELINE))
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


@pytest.mark.parametrize("stage", sorted(PIPELINE))
def test_a_stage_names_only_files_that_it_declares(stage):
    own = declared(stage) | {"prompts" if name == "${prompt}" else name for name in declared(stage)}
    stray = {}
    for file, tree in trees(stage):
        names = attributes(tree, "paths")
        called = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
        names |= {name for loader, loaded in LOADERS.items() if loader in called for name in loaded}
        constants = {
            name: getattr(paths, name) for name in names if name.isupper() and name not in UNTRACKED
        }
        missing = sorted(name for name, path in constants.items() if path.as_posix() not in own)
        if missing:
            stray[file.name] = missing
    assert stray == {}


def test_every_out_of_the_pipeline_has_its_name_in_one_place():
    outs = {name for stage in PIPELINE for name in declared(stage) if name.startswith("results/")}
    named = {
        value.as_posix()
        for name, value in vars(paths).items()
        if isinstance(value, Path) and value.is_relative_to(paths.RESULTS)
    }
    assert named - {"results"} == outs


@pytest.mark.parametrize("stage", sorted(PIPELINE))
def test_a_stage_tracks_the_sections_it_reads(stage):
    sections = set(Params.model_fields)
    read = set().union(*(attributes(tree, "params") & sections for _, tree in trees(stage)))
    tracked = {key.split(".")[0] for key in PIPELINE[stage].get("params", [])}
    assert read - {"runtime", "prompt", "models", "briefs"} <= tracked
    assert "runtime" not in tracked


def test_no_rule_of_score_calls_a_model_again():
    tracked = PIPELINE["generate"]["params"]
    assert [key for key in tracked if key.startswith("score")] == []


def adapters():
    """The files that may touch the outside, by the pattern that lists them in `pyproject.toml`."""
    settings = tomllib.loads((REPOSITORY / "pyproject.toml").read_text())
    ignores = settings["tool"]["ruff"]["lint"]["per-file-ignores"]
    listed = [
        pattern
        for pattern, rules in ignores.items()
        if "TID251" in rules and pattern.startswith("graph_evaluator/")
    ]
    return {
        pattern: {file.relative_to(REPOSITORY).as_posix() for file in REPOSITORY.glob(pattern)}
        for pattern in listed
    }


def touching():
    """The files below `graph_evaluator/` that use what the core must not."""
    command = [sys.executable, "-m", "ruff", "check", "--select", "TID251", "--config", "lint.per-file-ignores={}",
               "--output-format", "json", "--exit-zero", "--no-cache", "graph_evaluator"]  # fmt: skip
    found = subprocess.run(
        command, cwd=REPOSITORY, capture_output=True, check=True, text=True
    ).stdout
    return {
        Path(entry["filename"]).resolve().relative_to(REPOSITORY.resolve()).as_posix()
        for entry in json.loads(found)
    }


def test_only_the_shell_and_named_adapters_touch_the_outside():
    assert touching() - set().union(*adapters().values()) == set()


def test_every_named_adapter_is_needed():
    used = touching()
    assert [pattern for pattern, files in adapters().items() if not files & used] == []


def test_no_file_escapes_the_rule_by_a_comment():
    escaped = [
        file.relative_to(REPOSITORY).as_posix()
        for file in sorted((REPOSITORY / "graph_evaluator").rglob("*.py"))
        if "noqa: TID251" in file.read_text()
    ]
    assert escaped == []
