"""What every command shares: how it describes itself, its exit codes and its signal handling.

Our own errors are one message and an exit code, without a traceback.
"""

import argparse
import os
import signal
import sys
import threading
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NoReturn

from stages.shared.records.errors import GraphEvaluatorError, InputError, Interrupted
from stages.shared.records.removed import REMOVED_OPTIONS
from stages.shared.shell.numbers import counted
from stages.shared.shell.process import CALLED_FROM, end_command
from stages.shared.shell.text import visible_lines

MAX_PATH_SHOWN = 200
"""Characters of a path in a message."""


class CommandParser(argparse.ArgumentParser):
    """A parser that says what replaces an option which earlier versions had."""

    def parse_known_args(  # type: ignore[override]  # overloads that differ in the namespace
        self,
        args: Sequence[str] | None = None,
        namespace: Any = None,  # noqa: ANN401
    ) -> tuple[Any, list[str]]:
        """Parse as argparse does, which calls this for each of its own ways to parse."""
        command = self.prog.removeprefix("graph-evaluator ")
        arguments = sys.argv[1:] if args is None else args
        for argument in arguments:
            option = argument.partition("=")[0]
            replacement = REMOVED_OPTIONS.get(f"{command} {option}")
            if replacement:
                self.error(f"{option} is no option any more: {replacement}")
        return super().parse_known_args(arguments, namespace)

    def error(self, message: str) -> NoReturn:
        """End with a message, in which control characters are shown by their code."""
        super().error(visible_lines(message))


def command_parser(
    name: str, description: str, *examples: str, notes: str = ""
) -> argparse.ArgumentParser:
    r"""The parser of `graph-evaluator NAME`, whose help ends with examples of use, and with
    notes.

    >>> command_parser("report", "Compare.", "", "--quick").epilog
    'examples:\n  graph-evaluator report\n  graph-evaluator report --quick'
    """
    command = f"graph-evaluator {name}"
    lines = [f"  {command} {options}".rstrip() for options in examples]
    return CommandParser(
        prog=command,
        description=description,
        epilog="\n".join(["examples:", *lines, *notes.splitlines()]),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )


def typed_path(text: str) -> Path:
    """The file that an argument names, from the folder where the command was typed."""
    return Path(os.environ.get(CALLED_FROM, ""), text)


def run(main: Callable[[], int | None]) -> None:
    """Run a command's main function and end the process with its exit code.

    Our own errors are printed to standard error and end with their exit code; Ctrl-C ends with 130;
    a closed pipe with 141. A file that cannot be read or written is one sentence as well.
    """
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        code = main() or 0
        sys.stdout.flush()
    except InputError as error:
        problems = counted(len(error.problems), "problem")
        print(f"error: {problems} found; nothing was changed:", file=sys.stderr)
        for problem in error.problems:
            named = replace(problem, file=problem.file.replace("\n", "⟨U+000A⟩"))
            print(f"  {visible_lines(str(named))}", file=sys.stderr)
        code = error.exit_code
    except GraphEvaluatorError as error:
        print(f"error: {visible_lines(str(error))}", file=sys.stderr)
        if isinstance(error, Interrupted):
            end_command()
        code = error.exit_code
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = 141
    except OSError as error:
        path = error.filename2 or error.filename
        name = repr(str(path))[:MAX_PATH_SHOWN] if path else "a file"
        print(f"error: {name} cannot be used: {error.strerror or error}", file=sys.stderr)
        code = GraphEvaluatorError.exit_code
    except KeyboardInterrupt:
        print("stopped", file=sys.stderr)
        end_command()
        code = 130
    raise SystemExit(code)
