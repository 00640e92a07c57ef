"""The child process that runs a team's own checks: `python -I check_process.py FILE ...`.

For each line of its input, `[graph, brief]`, it prints a line for each check: its value and its
sentence, or what went wrong and in which line of its file. What runs longer
than its limit ends the process, which prints where that was. It imports nothing of ours.
"""

import faulthandler
import importlib.util
import json
import os
import signal
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any, TextIO

LIMIT_S = 1.0
"""What a check may take for a graph."""
IMPORT_LIMIT_S = 20.0
MAX_SENTENCE = 300

Check = Callable[[Any, Any], object]


def main() -> None:
    """Answer each line of the input, until there is no more."""
    os.setsid()  # Ctrl-C is for the parent
    replies = os.fdopen(os.dup(1), "w", encoding="utf-8")
    errors = os.fdopen(os.dup(2), "w")
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)
    checks: dict[str, Check] = {}
    for line in sys.stdin:
        for file in sys.argv[1:]:
            reply = reply_to(line, file, checks, errors)
            print(json.dumps(reply), file=replies, flush=True)
    os.killpg(0, signal.SIGKILL)  # also what a check started, threads and processes


def reply_to(line: str, file: str, checks: dict[str, Check], errors: TextIO) -> dict[str, Any]:
    """What a check, which is loaded where it is not yet, gives for a line; or what went wrong."""
    try:
        if file not in checks:
            faulthandler.dump_traceback_later(IMPORT_LIMIT_S, exit=True, file=errors)
            checks[file] = load(file)
        faulthandler.dump_traceback_later(LIMIT_S, exit=True, file=errors)
        value, sentence = ask(checks[file], *json.loads(line))
    except BaseException as error:  # noqa: BLE001 - also what would end the process
        frames = traceback.extract_tb(error.__traceback__)
        lines = [frame.lineno for frame in frames if frame.filename == file]
        if not lines and file in checks:
            lines = [checks[file].__code__.co_firstlineno]
        message = f"{type(error).__name__}: {error}"[:MAX_SENTENCE]
        return {"error": message, "place": f":{lines[-1] if lines else 1}"}
    finally:
        faulthandler.cancel_dump_traceback_later()
    return {"value": value, "sentence": sentence}


def load(file: str) -> Check:
    """The function `check` of a file."""
    spec = importlib.util.spec_from_file_location(Path(file).stem, file)
    if spec is None or spec.loader is None:
        raise ImportError(file)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    check: Check = module.check
    return check


def ask(check: Check, graph: object, brief: object) -> tuple[bool | float | None, str]:
    """What a check says about a graph, with its sentence; empty for none."""
    result: Any = check(graph, brief)
    value, sentence = result if isinstance(result, tuple) and len(result) == 2 else (result, "")
    is_answer = value is None or isinstance(value, bool)
    is_measure = isinstance(value, int | float) and 0 <= value <= 1
    if not (is_answer or is_measure) or not isinstance(sentence, str):
        allowed = "True, False, None, a number from 0 to 1, or one of them with a sentence"
        raise TypeError(f"check returned {result!r:.80} instead of {allowed}")
    return value if is_answer else float(value), sentence[:MAX_SENTENCE]


if __name__ == "__main__":
    main()
