"""A small repository of inputs in a folder of its own."""

import contextlib
import io
import json
import os
import subprocess
import sys
from typing import Any, NamedTuple
from unittest import mock

import yaml

from graph_evaluator.generate import __main__ as stage
from graph_evaluator.shell import command
from tests import REPOSITORY


class Printed(io.StringIO):
    """A stream that takes every character, as standard output can be told to."""

    def reconfigure(self, **_):
        """Nothing is to be changed."""


class Done(NamedTuple):
    """How a command ended and what it printed."""

    returncode: int
    stdout: str
    stderr: str

    @property
    def problem(self) -> str:
        """The message of a command that ended for wrong input."""
        assert self.returncode == 2, self.stderr
        return self.stderr


def model(name="m", *, url=None, **changed) -> dict[str, Any]:
    """A model config as its file holds it."""
    config: dict[str, Any] = {
        "id": name,
        "display_name": name,
        "provider": "openai",
        "model": name,
        "target_mode": "fast",
        "pricing": {"input_per_1m": 2.0, "output_per_1m": 8.0, "source": "a test"},
    }
    return config | ({"base_url": url} if url else {}) | changed


class Workspace:
    """A folder with everything that `generate` reads, and ways to change and run it."""

    def __init__(self, folder, *models, briefs=3, **params):
        self.folder = folder
        for name in ("prompts", "briefs", "models"):
            (folder / name).mkdir(parents=True)
        self.write("prompts/draft.txt", "Draft a decision graph.\n")
        for number in range(1, briefs + 1):
            self.write(f"briefs/b{number}.md", f"---\ncomplexity: simple\n---\n\nbrief {number}\n")
        for config in models:
            self.write(f"models/{config['id']}.json", json.dumps(config))
        self.params: dict[str, Any] = {
            "prompt": "prompts/draft.txt",
            "models": ["*"],
            "briefs": ["*"],
        }
        self.set(**params)

    def write(self, path, text):
        """Write a file."""
        (self.folder / path).write_text(text, encoding="utf-8")

    def set(self, **params):
        """Change `params.yaml`."""
        self.params |= params
        self.write("params.yaml", yaml.safe_dump(self.params))

    def environment(self, **variables) -> dict[str, str]:
        """The environment for a command: nothing of the caller's that could change what it does."""
        inherited = {
            key: value
            for key, value in os.environ.items()
            if not key.startswith(("DVC_", "OPENAI_", "GRAPH_", "COLUMNS"))
        }
        return {**inherited, "PYTHONPATH": str(REPOSITORY), **variables}

    def run(self, *arguments, main=stage.main, **variables) -> Done:
        """Run a command, the stage if not named, in this process: the same code from the arguments to the exit code."""
        out, err = Printed(), Printed()
        with (
            contextlib.chdir(self.folder),
            mock.patch.dict(os.environ, self.environment(**variables), clear=True),
            mock.patch.object(sys, "argv", ["generate", *arguments]),
            contextlib.redirect_stdout(out),
            contextlib.redirect_stderr(err),
        ):
            try:
                command.run(main)
            except SystemExit as end:
                return Done(int(end.code or 0), out.getvalue(), err.getvalue())
        raise AssertionError("a command always ends with its exit code")

    def spawn(self, *arguments, command_name="generate", **variables) -> "subprocess.Popen[str]":
        """Start a command, the stage if not named, as a process of its own."""
        return subprocess.Popen(
            [sys.executable, "-m", "graph_evaluator", command_name, *arguments],
            cwd=self.folder,
            env=self.environment(**variables),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def response(self, cell) -> dict[str, Any]:
        """The response of a cell such as `m/b1`."""
        loaded: dict[str, Any] = json.loads(
            (self.folder / "results/responses" / cell / "response.json").read_bytes()
        )
        return loaded

    def outputs(self) -> dict[str, bytes]:
        """Every file of the results."""
        root = self.folder / "results"
        return {
            path.relative_to(root).as_posix(): path.read_bytes()
            for path in sorted(root.rglob("*"))
            if path.is_file()
        }
