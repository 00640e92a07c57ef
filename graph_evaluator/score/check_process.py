"""The child process that runs a team's own checks: `python -I check_process.py FILE ...`.

For each line of its input, `[graph, brief]`, it prints a line: the value and the sentence of each
check by its name, or the file, the line and the message of what went wrong. What runs longer than
its limit ends the process, which prints where that was. It imports nothing of ours.
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
from typing import Any

LIMIT_S = 1.0
"""What a check may take for a graph."""
IMPORT_LIMIT_S = 20.0
MAX_SENTENCE = 300

Check = Callable[[Any, Any], object]


def main() -> None:
    """Answer each line of the input, until there is no more."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the parent
    replies = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # what a check prints is no reply
    checks: dict[str, Check] = {}
    for line in sys.stdin:
        print(json.dumps(reply_to(line, checks)), file=replies, flush=True)


def reply_to(line: str, checks: dict[str, Check]) -> dict[str, Any]:
    """The results of all checks, which are loaded where they are not yet; or what went wrong."""
    reply: dict[str, Any] = {}
    for file in sys.argv[1:]:
        try:
            if file not in checks:
                faulthandler.dump_traceback_later(IMPORT_LIMIT_S, exit=True)
                checks[file] = load(file)
            faulthandler.dump_traceback_later(LIMIT_S, exit=True)
            reply[Path(file).stem] = ask(checks[file], *json.loads(line))
        except BaseException as error:  # noqa: BLE001 - also what would end the process
            frames = traceback.extract_tb(error.__traceback__)
            lines = [frame.lineno for frame in frames if frame.filename == file]
            if not lines and file in checks:
                lines = [checks[file].__code__.co_firstlineno]
            message = f"{type(error).__name__}: {error}"[:MAX_SENTENCE]
            place = f"checks/{Path(file).name}:{lines[-1] if lines else 1}"
            return {"error": message, "place": place}
        finally:
            faulthandler.cancel_dump_traceback_later()
    return reply


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
