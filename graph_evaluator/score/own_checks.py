"""Adapter: a team's own checks, the files `checks/NAME.py`. They are code, so that they run only in
`score`, in a child process whose environment has no keys.
"""

import ast
import hashlib
import os
import re
import subprocess
import sys
import tempfile
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from graph_evaluator.records.brief import Brief
from graph_evaluator.records.errors import (
    GraphEvaluatorError,
    InputError,
    Problem,
    collecting,
    input_error,
    nearest,
)
from graph_evaluator.records.json_text import JsonValue, line, parse
from graph_evaluator.records.params import OwnCheckRule
from graph_evaluator.records.response import Cell
from graph_evaluator.records.scorecard import CheckOutcome, CheckResult
from graph_evaluator.shell import paths
from graph_evaluator.shell.files import read_input

_CHILD = Path(__file__).with_name("check_process.py")
_KEPT_VARIABLES = ("PATH", "LANG", "TMPDIR", "SYSTEMROOT")
_FRAME = re.compile(r'File "[^"]*[/\\]checks[/\\](\w+\.py)", line (\d+)')
_KILLED_AFTER_S = 30.0
"""The process ends itself earlier, unless a check keeps it from that."""


class CheckFailed(GraphEvaluatorError):
    """A check raised, returned something else or took too long: the message has the file, the line
    and the cell.
    """


@dataclass(frozen=True, slots=True)
class OwnCheck:
    """A check: what it asks, what to do where it fails, whether that makes a graph unusable, and
    the hash of its file.
    """

    name: str
    question: str
    fix: str
    fails: bool
    sha256: str

    @property
    def advice(self) -> str:
        """What it asks, and what to do where it fails."""
        return f"{self.question} {self.fix}".strip()


def load_own_checks(rules: Mapping[str, OwnCheckRule]) -> tuple[OwnCheck, ...]:
    """The checks of these names. Nothing is run.

    Raises:
        InputError: names every file that is missing or has no function `check`.
    """
    problems: list[Problem] = []
    checks: list[OwnCheck] = []
    for name, rule in rules.items():
        with collecting(problems):
            checks.append(_read_check(name, fails=rule.fails))
    if problems:
        raise InputError(problems)
    return tuple(checks)


def _read_check(name: str, *, fails: bool) -> OwnCheck:
    file = paths.CHECKS / f"{name}.py"
    if not file.is_file():
        hint = nearest(name, [other.stem for other in paths.CHECKS.glob("*.py")])
        message = f"there is no {file.as_posix()}{hint}"
        raise input_error(paths.PARAMS.as_posix(), f"score.checks.{name}", message)
    text = read_input(file)
    try:
        module = ast.parse(text)
    except (SyntaxError, ValueError) as error:
        place = f"line {getattr(error, 'lineno', 1)}"
        raise input_error(file.as_posix(), place, f"is not Python: {error}") from None
    functions = [node for node in module.body if isinstance(node, ast.FunctionDef)]
    check = next((function for function in functions if function.name == "check"), None)
    if check is None:
        raise input_error(file.as_posix(), "", "has no function check(graph, brief)")
    docstring = ast.get_docstring(module) or ast.get_docstring(check) or name
    fix = ""
    for node in module.body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "FIX":
            fix = str(ast.literal_eval(node.value))
    sha256 = hashlib.sha256(text.encode()).hexdigest()
    return OwnCheck(name, docstring.splitlines()[0], fix, fails, sha256)


@dataclass(frozen=True, slots=True)
class OwnChecks:
    """Asks checks about graphs. It can be sent to other processes, which have children of their
    own.
    """

    checks: tuple[OwnCheck, ...]

    @property
    def failing(self) -> dict[str, str]:
        """The hashes of the checks that can make a graph unusable, by name."""
        return {check.name: check.sha256 for check in self.checks if check.fails}

    def results(self, cell: Cell, graph: JsonValue, brief: Brief) -> tuple[CheckResult, ...]:
        """What each check says about a valid graph.

        Raises:
            CheckFailed: one of them did not answer as it must.
        """
        if not self.checks:
            return ()
        about = {"id": brief.id, "body": brief.body}
        about |= brief.expectations.model_dump(mode="json")
        reply = _child(os.getpid(), paths.CHECKS.absolute(), self.checks).ask(line([graph, about]))
        on_cell = f"on {cell}"
        if "error" in reply:
            raise CheckFailed(f"{reply['place']}: {reply['error']} ({on_cell})")
        results: list[CheckResult] = []
        for check in self.checks:
            value, sentence = reply[check.name]
            if check.fails and isinstance(value, float):
                fault = f"returned {value:g} {on_cell}; with `fails: true` it must be True or False"
                raise CheckFailed(f"checks/{check.name}.py: {fault}")
            results.append(_result(check, value, sentence))
        return tuple(results)


def _result(check: OwnCheck, value: bool | float | None, sentence: str) -> CheckResult:
    outcome: CheckOutcome = "not_applicable" if value is None else "pass"
    message = sentence or check.question
    if value is False:
        outcome = "fail" if check.fails else "warn"
        message = f"{message} {check.fix}".strip()
    share = value if isinstance(value, float) else None
    return CheckResult(name=check.name, outcome=outcome, message=message, share=share)


@lru_cache(maxsize=1)
def _child(_: int, folder: Path, checks: tuple[OwnCheck, ...]) -> "_Child":
    """The child of a process, for these checks of a folder."""
    return _Child([str(folder / f"{check.name}.py") for check in checks])


class _Child:
    """The child process of some checks, which ends with this one."""

    def __init__(self, files: Sequence[str]) -> None:
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 - as long as the process
        kept = {name: os.environ[name] for name in _KEPT_VARIABLES if name in os.environ}
        self._process = subprocess.Popen(
            [sys.executable, "-IB", str(_CHILD), *files],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            env=kept,
        )

    def ask(self, request: bytes) -> dict[str, Any]:
        """The reply to a request."""
        process = self._process
        timer = threading.Timer(_KILLED_AFTER_S, process.kill)
        timer.start()
        reply = b""
        try:
            if process.stdin and process.stdout:
                process.stdin.write(request)
                process.stdin.flush()
                reply = process.stdout.readline()
        except OSError:  # it has ended
            pass
        timer.cancel()
        if not reply:
            return self._how_it_ended()
        answered: Any = parse(reply)
        return dict(answered)

    def _how_it_ended(self) -> dict[str, Any]:
        """What was wrong, by what the process printed last."""
        code = self._process.wait()
        self._errors.seek(0)
        printed = self._errors.read().decode(errors="replace")
        _, timeout, trace = printed.rpartition("Timeout (")
        place = _FRAME.search(trace)
        return {
            "error": "took too long" if timeout else f"ended its process with exit code {code}",
            "place": f"checks/{place[1]}:{place[2]}" if place else "checks/",
        }
