"""A whole repository in a folder of its own, with git and DVC: what the benchmarks of the pipeline run on."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

from bench.workspace import REPOSITORY, environment, make_workspace

_TAKEN = (
    "stages",
    ".dvc/config",
    ".dvc/.gitignore",
    ".dvcignore",
    ".gitignore",
    "dvc.yaml",
    "prompts/draft_graph.schema.json",
    "prompts/repair.txt",
    "answers",
    "reviews",
    "policies/_template.json",
)


def make_repository(
    folder: Path, url: str, *, models: int, briefs: int, max_concurrency: int
) -> dict[str, str]:
    """Write a project of `models` x `briefs` cells and commit it; returns the variables to run commands with."""
    make_workspace(folder, url, models=models, briefs=briefs, max_concurrency=max_concurrency)
    for name in _TAKEN:
        source, target = REPOSITORY / name, folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        if source.is_dir():
            shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy2(source, target)
    env = dvc_environment(folder)
    commit(folder, env)
    return env


def make_empty_repository(folder: Path) -> dict[str, str]:
    """Write a project whose pipeline has no stages."""
    folder.mkdir()
    env = dvc_environment(folder)
    subprocess.run(["git", "init", "-q"], cwd=folder, env=env, check=True)
    subprocess.run([*dvc_command("init", "-q")], cwd=folder, env=env, check=True)
    (folder / "dvc.yaml").write_text("stages: {}\n")
    commit(folder, env)
    return env


def commit(folder: Path, env: dict[str, str]) -> None:
    """Commit everything in a folder."""
    for command in (
        ["init", "-q"],
        ["add", "-A"],
        ["commit", "-q", "--allow-empty", "-m", "state"],
    ):
        subprocess.run(["git", *command], cwd=folder, env=env, check=True)


def dvc_command(*arguments: str) -> list[str]:
    """A dvc command of the interpreter that runs the benchmark."""
    return [sys.executable, "-m", "dvc", *arguments]


def dvc_environment(folder: Path) -> dict[str, str]:
    """The variables with which DVC runs, with none of the settings and caches of who runs the benchmark."""
    kept = {
        name: value for name, value in environment(folder).items() if not name.startswith("GIT_")
    }
    kept.pop("PYTHONPATH")
    home = folder.parent / f"{folder.name}-home"
    home.mkdir(exist_ok=True)
    person = {
        f"GIT_{who}_{what}": value
        for who in ("AUTHOR", "COMMITTER")
        for what, value in _PERSON.items()
    }
    return kept | person | {
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "HOME": str(home),
        "DVC_NO_ANALYTICS": "1",
        "DVC_SITE_CACHE_DIR": str(home / "dvc-site"),
        "DVC_GLOBAL_CONFIG_DIR": str(home / "dvc-global"),
        "DVC_SYSTEM_CONFIG_DIR": str(home / "dvc-system"),
    }  # fmt: skip


_PERSON = {"NAME": "Benchmark", "EMAIL": "benchmark@example.org"}
