"""A copy of this repository in a folder of its own, with git and dvc, for driving the pipeline as a user does."""

import hashlib
import json
import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

from graph_evaluator.project.run import edit_settings
from tests import REPOSITORY
from tests.pipeline.forked import run_module

KEPT = (
    "answers",
    "briefs",
    "checks",
    "codebooks",
    "examples/harbour-ferry.json",
    "models",
    "prompts",
    "reviews",
    "graph_evaluator",
    "stages",
    ".dvc/config",
    ".dvc/.gitignore",
    ".dvcignore",
    ".env.example",
    ".github/scripts",
    ".gitignore",
    "Makefile",
    "README.md",
    "dvc.yaml",
    "params.yaml",
    "pyproject.toml",
    "requirements.lock",
)
BRIEFS = ["01-*", "06-*"]
V20, V21 = "prompts/draft_graph_v20.txt", "prompts/draft_graph_v21.txt"
ANSWERED = 2
"""Calls of the first run to the model that costs money: one for each brief."""
_OTHERS = ("DVC_", "MAKE", "MFLAGS", "GRAPH_EVALUATOR_", "OPENAI_", "COLUMNS")


class Project:
    """The copy: its folder, and the commands a user would give."""

    def __init__(self, folder, home, **variables):
        self.folder = folder
        inherited = {key: value for key, value in os.environ.items() if not key.startswith(_OTHERS)}
        self._environment = inherited | {
            "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
            "HOME": str(home),
            "DVC_NO_ANALYTICS": "1",
            "DVC_SITE_CACHE_DIR": str(home / "dvc-site"),
            "DVC_GLOBAL_CONFIG_DIR": str(home / "dvc-global"),
            "DVC_SYSTEM_CONFIG_DIR": str(home / "dvc-system"),
            "GIT_CONFIG_NOSYSTEM": "1",
            "PYTHONSAFEPATH": "1",  # the code of this repository, which is compiled already: a copy is equal to it
            "PYTHONPATH": str(REPOSITORY),
            **variables,
        }  # fmt: skip

    def __truediv__(self, name):
        return self.folder / name

    def run(self, line):
        """What a line prints; a line that fails is a failed test that shows it."""
        code, printed = self.attempt(line)
        assert code == 0, f"{line} ended with {code}:\n{printed}"
        return printed

    def refused(self, line, *sentences):
        """What a line prints that ends with the exit code 2 and says these sentences."""
        code, printed = self.attempt(line)
        assert (code, [sentence for sentence in sentences if sentence not in printed]) == (2, [])
        return printed

    def attempt(self, line):
        """The exit code of a line that a user types into a shell, and what it prints."""
        words = shlex.split(line)
        if "&&" not in words:
            if words[0] in ("dvc", "graph-evaluator"):
                words = ["python", "-m", words[0].replace("-", "_"), *words[1:]]
            if words[:2] == ["python", "-m"]:
                return run_module(words[2], words[3:], self.folder, self._environment)
        done = subprocess.run(
            ["bash", "-c", line],
            cwd=self.folder,
            env=self._environment,
            capture_output=True,
            text=True,
        )
        return done.returncode, done.stdout + done.stderr

    def commit(self):
        """Commit everything."""
        self.run("git add -A && git commit -qm state")

    def set(self, changes):
        """Change keys of `params.yaml`; a dot leads into a section."""
        file = self.folder / "params.yaml"
        changed = edit_settings(file.read_text(), changes)
        file.write_text(changed)

    def results(self) -> dict[str, str]:
        """The hash of every file below `results/`; of `run.json` without the revision that the run started from."""
        found: dict[str, str] = {}
        for file in sorted((self.folder / "results").rglob("*")):
            if not file.is_file() or file.name == ".gitignore":
                continue
            content = file.read_bytes()
            if file.name == "run.json":
                content = json.dumps({**json.loads(content), "git_sha": None}).encode()
            found[file.relative_to(self.folder).as_posix()] = hashlib.sha256(content).hexdigest()
        return found


def create(folder, home) -> Project:
    """A project with two briefs, committed, nothing run yet."""
    home.mkdir(parents=True)
    ignore = shutil.ignore_patterns("__pycache__", "*.pyc")
    for name in KEPT:
        source, target = REPOSITORY / name, folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        if source.is_dir():
            shutil.copytree(source, target, ignore=ignore)
        else:
            shutil.copy2(source, target)
    (home / "dvc-global").mkdir()
    (home / "dvc-global/config").write_text("[core]\n    check_update = false\n")
    project = Project(folder, home)
    project.set({"briefs": BRIEFS})
    project.run("git init -q -b main")
    project.commit()
    return project


def install(project):
    """Give the clone the environment that runs the tests, as `make setup` would."""
    environment = project / ".venv"
    environment.mkdir()
    for part in ("bin", "lib", "pyvenv.cfg"):
        (environment / part).symlink_to(Path(sys.prefix) / part)
    (environment / "run.stamp").touch()
