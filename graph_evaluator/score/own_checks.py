"""Adapter: a team's own checks, the files `checks/NAME.py`. They are code, so that they run only in
`score`, in a child process whose environment has no keys.
"""

import ast
import os
import re
import signal
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from graph_evaluator.records.brief import Brief
from graph_evaluator.records.errors import GraphEvaluatorError, input_error, nearest, read_all
from graph_evaluator.records.json_text import JsonValue, line, parse, text_sha256
from graph_evaluator.records.params import OwnCheckRule
from graph_evaluator.records.response import Cell
from graph_evaluator.records.scorecard import CheckOutcome, CheckResult
from graph_evaluator.shell import paths
from graph_evaluator.shell.paths import read_input

_CHILD = Path(__file__).with_name("check_process.py")
_KEPT_VARIABLES = ("PATH", "LANG", "TMPDIR", "SYSTEMROOT")
_FRAME = re.compile(r'File "[^"]*[/\\]checks[/\\]\w+\.py", line (\d+)')


class CheckFailed(GraphEvaluatorError):
    """A check raised, returned something else or took too long: the message has the file, the line
    and the cell.
    """


class OwnCheck(NamedTuple):
    """A check: what it asks, what to do where it fails, whether that makes a graph unusable, and
    the hash of its file.
    """

    name: str
    question: str
    fix: str
    fails: bool
    sha256: str


def load_own_checks(rules: Mapping[str, OwnCheckRule]) -> "OwnChecks":
    """The checks of these names. Nothing is run.

    Raises:
        InputError: names every file that is missing or has no function `check`.
    """
    return OwnChecks(tuple(read_all(_read_check, rules.items())))


def _read_check(named_rule: tuple[str, OwnCheckRule]) -> OwnCheck:
    name, rule = named_rule
    file = paths.CHECKS / f"{name}.py"
    if not file.is_file():
        hint = nearest(name, [other.stem for other in paths.CHECKS.glob("*.py")])
        message = f"there is no {file.as_posix()}{hint}"
        raise input_error(paths.PARAMS, f"score.checks.{name}", message)
    text = read_input(file)
    try:
        module = ast.parse(text)
    except (SyntaxError, ValueError) as error:
        place = f"line {getattr(error, 'lineno', 1)}"
        raise input_error(file, place, f"is not Python: {error}") from None
    functions = {node.name: node for node in module.body if isinstance(node, ast.FunctionDef)}
    if "check" not in functions:
        raise input_error(file, "", "has no function check(graph, brief)")
    docstring = ast.get_docstring(module) or ast.get_docstring(functions["check"]) or name
    fix = ""
    for node in module.body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "FIX":
            if not isinstance(node.value, ast.Constant):
                message = "FIX must be one text in quotation marks"
                raise input_error(file, f"line {node.lineno}", message)
            fix = str(node.value.value)
    sha256 = text_sha256(text)
    return OwnCheck(name, docstring.splitlines()[0], fix, rule.fails, sha256)


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
        child = _child(os.getpid(), paths.CHECKS.absolute(), self.checks)
        child.ask(line([graph, about]))
        replies = [child.reply() for _ in self.checks]
        pairs = zip(self.checks, replies, strict=True)
        return tuple(_result(check, cell, reply) for check, reply in pairs)


def _result(check: OwnCheck, cell: Cell, reply: Mapping[str, Any]) -> CheckResult:
    if "error" in reply:
        place = f"checks/{check.name}.py{reply['place']}"
        raise CheckFailed(f"{place}: {reply['error']} (on {cell})")
    value: bool | float | None = reply["value"]
    if check.fails and isinstance(value, float):
        fault = f"returned {value:g} on {cell}; with `fails: true` it must be True or False"
        raise CheckFailed(f"checks/{check.name}.py: {fault}")
    outcome: CheckOutcome = "not_applicable" if value is None else "pass"
    message = reply["sentence"] or check.question
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

    def ask(self, request: bytes) -> None:
        """Ask all checks about a graph and a brief."""
        if self._process.stdin:
            with suppress(OSError):  # it has ended
                self._process.stdin.write(request)
                self._process.stdin.flush()

    def reply(self) -> dict[str, Any]:
        """The reply of the next check."""
        printed = self._process.stdout.readline() if self._process.stdout else b""
        if not printed:
            return self._how_it_ended()
        reply: Any = parse(printed)
        return dict(reply)

    def _how_it_ended(self) -> dict[str, str]:
        """What went wrong and in which line, by the trace of the process."""
        with suppress(OSError):  # what the check started ends too
            os.killpg(self._process.pid, signal.SIGKILL)
        code = self._process.wait()
        self._errors.seek(0)
        trace = self._errors.read().decode(errors="replace")
        place = _FRAME.search(trace)
        error = "took too long" if "Timeout (" in trace else f"ended with exit code {code}"
        return {"error": error, "place": f":{place[1]}" if place else ""}
