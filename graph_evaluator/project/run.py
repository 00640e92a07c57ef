"""`graph-evaluator run [KEY=VALUE ...]`: checks settings, writes them into params.yaml and runs the
pipeline as a DVC experiment.

DVC itself would first write the settings and then find out that a prompt or a key does not exist.
"""

import os
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from io import StringIO
from itertools import chain
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.comments import CommentedMap, CommentedSeq

from graph_evaluator.generate.fetching import open_fetcher
from graph_evaluator.generate.plan.loading import load_plan, named_by_origin
from graph_evaluator.generate.recorded import load_recorded
from graph_evaluator.records.brief import Prompt
from graph_evaluator.records.errors import (
    GraphEvaluatorError,
    InputError,
    Problem,
    collecting,
    input_error,
    refuse,
)
from graph_evaluator.records.json_text import NotJson, parse
from graph_evaluator.records.params import Params
from graph_evaluator.records.record import Record, parse_yaml, parse_yaml_record
from graph_evaluator.records.run_results import Run
from graph_evaluator.score.own_checks import load_own_checks
from graph_evaluator.shell import paths
from graph_evaluator.shell.command import RUNNING, command_parser, run, run_lock, say
from graph_evaluator.shell.inputs import load_codebooks
from graph_evaluator.shell.paths import (
    environment_variables,
    read_input,
    read_record,
    write_atomic,
    write_record,
)
from graph_evaluator.shell.repository import head_commit

_INTRODUCTION = """\
When to use it: you want results of other settings, such as another prompt or other models. It \
checks them before anything changes, writes them into params.yaml and runs `dvc exp run`. If the \
run fails, params.yaml is as before."""
_EXAMPLES = (
    "",
    "prompt=prompts/ours_v1.txt",
    "'models=[gpt-6-luna, sim-*]' generate.samples=2",
)
_NOTES = """\

exit codes: 0 the results are written; 1 the run failed; 2 wrong settings, nothing was changed; \
130 stopped."""
ONLY_RECORDED = (
    "only recorded models take part: their answers stay the same and say nothing about the new "
    "prompt"
)
_PIPELINE = Path("dvc.yaml")
_FOLDER = Path(".dvc", "tmp")
_CHANGE = _FOLDER / "graph-evaluator-run.json"
_READS_AND_WRITES = _FOLDER / "rwlock"
_INTERRUPTED_DVC = 252


class SettingsChange(Record):
    """The text of params.yaml before a run and as the run wrote it."""

    before: str
    after: str


def main() -> int:
    """Run the pipeline with the settings of the command line; the exit code."""
    changes = parse_changes(sys.argv[1:])
    if not _FOLDER.parent.is_dir():
        raise GraphEvaluatorError("DVC is not set up here: `graph-evaluator init .` does it")
    _FOLDER.mkdir(exist_ok=True)
    with run_lock():
        return run_pipeline(changes)


def parse_changes(arguments: Sequence[str]) -> Mapping[str, object]:
    """The settings of the command line by their key, such as `generate.samples`.

    Raises:
        InputError: arguments without a key or whose value is not YAML.
    """
    parser = command_parser("run", _INTRODUCTION, *_EXAMPLES, notes=_NOTES)
    help_text = "settings of params.yaml, such as generate.samples=2; a value is YAML"
    parser.add_argument("settings", metavar="KEY=VALUE", nargs="*", help=help_text)
    options = parser.parse_args(arguments)
    changes: dict[str, object] = {}
    problems: list[Problem] = []
    for argument in options.settings:
        key, sign, text = argument.partition("=")
        with collecting(problems):
            if not key or not sign:
                raise input_error("command line", argument, "must be KEY=VALUE")
            changes[key] = parse_yaml(text, f"command line: {key}")
    refuse(problems)
    return changes


def run_pipeline(changes: Mapping[str, object]) -> int:
    """Check the settings, write them, and run `dvc exp run`; the exit code."""
    _restore_settings()
    _check_that_dvc_is_free()
    before = read_input(paths.PARAMS)
    after = edit_settings(before, changes)
    check_settings(after, changes)
    if head_commit() is None:
        message = "this project has no commit yet, which an experiment needs: git add and commit it"
        raise GraphEvaluatorError(message)
    if after != before:
        write_record(_CHANGE, SettingsChange(before=before, after=after))
        write_atomic(paths.PARAMS, after.encode())
    code = _run_dvc()
    if code:
        _restore_settings()
    _CHANGE.unlink(missing_ok=True)
    return code


def edit_settings(text: str, changes: Mapping[str, object]) -> str:
    """The text of params.yaml with other values of these keys; all else stays as it is. InputError
    if it is not YAML.
    """
    if not changes:
        return text
    value = parse_yaml(text, paths.PARAMS.as_posix())
    if not isinstance(value, dict | None):
        raise input_error(paths.PARAMS, "", "must be an object of keys and values")
    yaml = YAML()
    yaml.preserve_quotes = True
    yaml.width = 4096
    settings: Any = yaml.load(text) or CommentedMap()
    for path, value in changes.items():
        *sections, key = path.split(".")
        place = settings
        for section in sections:
            if not isinstance(place.get(section), dict):
                place[section] = CommentedMap()
            place = place[section]
        place[key] = _flow_list(value) if isinstance(value, list) else value
    written = StringIO()
    yaml.dump(settings, written)
    return written.getvalue()


def _flow_list(values: Sequence[object]) -> CommentedSeq:
    listed = CommentedSeq(values)
    listed.fa.set_flow_style()
    return listed


def check_settings(text: str, changes: Mapping[str, object]) -> None:
    """Raise InputError with every problem of these settings and of the files that they name, and
    what would stop the run before its first call, such as a missing key.
    """
    variables = environment_variables()
    problems = _missing_files()
    try:
        params = parse_yaml_record(Params, text, paths.PARAMS.as_posix())
        with collecting(problems):
            load_own_checks(params.score.checks)
        with collecting(problems):
            plan = load_plan(params, variables)
            load_recorded(plan)
            load_codebooks(plan.briefs)
        refuse(problems)
        with open_fetcher(plan, variables, read_only=True) as fetcher:
            fetcher.check()
    except InputError as error:
        raise InputError(named_by_origin(error.problems, changes)) from None
    if not plan.models and _is_new_prompt(plan.prompt):
        say(f"note: {ONLY_RECORDED}")


def _is_new_prompt(prompt: Prompt) -> bool:
    """Whether the last run, if it can be read, had another prompt."""
    with suppress(InputError):
        last = read_record(paths.RUN, Run, fix="delete it")
        return last is not None and last.prompt.sha256 != prompt.sha256
    return False


def _missing_files() -> list[Problem]:
    """The files and folders that a stage depends on and that are not there."""
    pipeline: Any = parse_yaml(read_input(_PIPELINE), _PIPELINE.as_posix())
    named = {dep for stage in pipeline["stages"].values() for dep in stage.get("deps", ())}
    written = f"{paths.RESULTS}/"
    missing = [dep for dep in named if not (dep.startswith(("$", written)) or Path(dep).exists())]
    fix = f"is missing, and {_PIPELINE} names it: `graph-evaluator init .` writes what is missing"
    return [Problem(name, "", fix) for name in sorted(missing)]


def _restore_settings() -> None:
    """Undo what a run that failed or was killed wrote into params.yaml, unless it was edited."""
    change = read_record(_CHANGE, SettingsChange, fix="delete it")
    if change is None:
        return
    if read_input(paths.PARAMS) == change.after:
        write_atomic(paths.PARAMS, change.before.encode())
        say("params.yaml was restored to its state before the unfinished run")
    _CHANGE.unlink()


def _check_that_dvc_is_free() -> None:
    """Raise GraphEvaluatorError if DVC runs a stage of this project now."""
    try:
        locks: Any = parse(_READS_AND_WRITES.read_bytes())
    except (OSError, NotJson):
        return
    holders = [[lock.get("write"), *lock.get("read", ())] for lock in locks.values()]
    named = [holder["pid"] for holder in chain.from_iterable(holders) if holder]
    running = list(filter(_is_alive, named))
    if running:
        message = f"DVC is running in this project (PID {running[0]}): wait until it ends"
        raise GraphEvaluatorError(message)


def _is_alive(process_id: int) -> bool:
    try:
        os.kill(process_id, 0)
    except OSError as error:
        return isinstance(error, PermissionError)
    return True


def _run_dvc() -> int:
    """Run the pipeline as an experiment; Ctrl-C reaches DVC too, which ends its stage."""
    commands = Path(sys.executable).parent
    path = f"{commands}{os.pathsep}{os.environ.get('PATH', '')}"
    environment = os.environ | {"PATH": path, RUNNING: "1"}
    process = subprocess.Popen([sys.executable, "-m", "dvc", "exp", "run"], env=environment)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, lambda *_: process.terminate())
    code = process.wait()
    if code in (_INTERRUPTED_DVC, -signal.SIGINT, -signal.SIGTERM):
        return 130
    return min(abs(code), 1)


if __name__ == "__main__":
    run(main)
