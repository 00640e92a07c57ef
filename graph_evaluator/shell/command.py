"""What every command shares: how it describes itself, its exit codes and its signal handling, in an
event loop too.

Our own errors are one message and an exit code, without a traceback.
"""

import argparse
import asyncio
import datetime
import os
import shutil
import signal
import sys
import threading
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, NoReturn, TextIO, TypeVar

from filelock import FileLock, Timeout

from graph_evaluator.records.errors import (
    REMOVED_OPTIONS,
    GraphEvaluatorError,
    InputError,
    Interrupted,
)
from graph_evaluator.shell.numbers import counted
from graph_evaluator.shell.process import CALLED_FROM, end_command, end_output
from graph_evaluator.shell.text import visible_lines, wrapped

HELP_WIDTH = 80
"""Columns of the help of every command."""
RUN_LOCK = Path(".dvc", "tmp", "graph-evaluator-run.lock")
LOCK_WAIT_S = 0.2
"""Others hold the lock for a moment, to see whether it is free."""
RUNNING = "GRAPH_EVALUATOR_RUNNING"
"""The variable that `run` sets for the stages that it starts."""


class _HelpFormatter(argparse.RawDescriptionHelpFormatter):
    """Breaks no word at a hyphen."""

    def _split_lines(self, text: str, width: int) -> list[str]:
        return wrapped(text, width).split("\n")


class CommandParser(argparse.ArgumentParser):
    """A parser whose help begins with what the command is for, and that says what replaces an
    option which earlier versions had.
    """

    introduction = ""

    def format_help(self) -> str:
        """The help: the introduction, then what argparse writes."""
        return self.introduction + super().format_help()

    def error(self, message: str) -> NoReturn:
        """End with a message, in which control characters are shown by their code."""
        command = self.prog.removeprefix("graph-evaluator ")
        for argument in sys.argv[1:]:
            option = argument.partition("=")[0]
            replacement = REMOVED_OPTIONS.get(f"{command} {option}")
            if replacement:
                message = f"{option} is no longer an option: {replacement}"
        self.print_usage(sys.stderr)
        say(f"{self.prog}: error: {message}")
        self.exit(2)


def command_parser(
    name: str, introduction: str, *examples: str, notes: str = ""
) -> argparse.ArgumentParser:
    r"""The parser of `graph-evaluator NAME`.

    Its help begins with an introduction, which says when to use the command and what it does, and
    ends with examples and with notes. Each line of a text is a paragraph.

    >>> command_parser("report", "When to use it: last.", "", "--quick").epilog
    'examples:\n  graph-evaluator report\n  graph-evaluator report --quick\n'
    """
    command = f"graph-evaluator {name}"
    lines = [f"  {command} {options}".rstrip() for options in examples]
    parser = CommandParser(
        prog=command,
        epilog="\n".join(["examples:", *lines, _paragraphs(notes)]),
        formatter_class=partial(_HelpFormatter, width=HELP_WIDTH),
    )
    parser.introduction = f"{_paragraphs(introduction)}\n\n"
    return parser


def _paragraphs(text: str) -> str:
    return "\n".join(wrapped(line, HELP_WIDTH) for line in text.splitlines())


def say(text: str) -> None:
    """Print a sentence or several to standard error, broken between words on a terminal and where
    `COLUMNS` is set.
    """
    _print_lines(text, sys.stderr)


def show(text: str) -> None:
    """Print sentences to standard output, as `say` does."""
    _print_lines(text, sys.stdout)


def _print_lines(text: str, stream: TextIO) -> None:
    for line in visible_lines(text).split("\n"):
        if "COLUMNS" in os.environ or stream.isatty():
            line = wrapped(line, columns(80))
        print(line, file=stream, flush=True)


@contextmanager
def run_lock() -> Iterator[None]:
    """Hold the lock of `graph-evaluator run`; GraphEvaluatorError while another process has it."""
    try:
        with FileLock(RUN_LOCK, timeout=LOCK_WAIT_S):
            yield
    except Timeout:
        message = "another `graph-evaluator run` is running in this project: wait until it ends"
        raise GraphEvaluatorError(message) from None


def refuse_next_to_run() -> None:
    """Raise GraphEvaluatorError while a `run` that did not start this process is running."""
    if RUNNING not in os.environ and RUN_LOCK.exists():
        with run_lock():
            return


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
        say(f"error: {problems} found; nothing was changed:")
        for problem in error.problems:
            say(f"  {problem}")
        code = error.exit_code
    except GraphEvaluatorError as error:
        say(f"error: {error}")
        if isinstance(error, Interrupted):
            end_command()
        code = error.exit_code
    except BrokenPipeError:
        code = end_output()
    except OSError as error:
        name = error.filename2 or error.filename or "a file"
        say(f"error: {name} cannot be used: {error.strerror or error}")
        code = GraphEvaluatorError.exit_code
    except KeyboardInterrupt:
        print("stopped", file=sys.stderr)
        end_command()
        code = 130
    raise SystemExit(code)


def columns(without_terminal: int) -> int:
    """How wide output may be: as `COLUMNS` says, else the terminal."""
    return shutil.get_terminal_size((without_terminal, 0)).columns


def today() -> datetime.date:
    """The day, UTC."""
    return datetime.datetime.now(datetime.UTC).date()


Computed = TypeVar("Computed")
LONG_TEXT = 32_000
"""Characters of a text that is read in a thread, so that the event loop goes on meanwhile."""
CLOSING_S = 1.0
"""What storing and closing take after Ctrl-C, seconds, before a message or an end."""
STORING = (
    "stopping; answers that have arrived are still being stored: Ctrl-C again ends at once and "
    "loses them"
)


async def off_loop(length: int, function: Callable[[], Computed]) -> Computed:
    """What a function makes of a text of this length: of a long one in a thread, and to its end
    even when the task is cancelled meanwhile, which it then is.
    """
    if length <= LONG_TEXT:
        return function()
    work = asyncio.ensure_future(asyncio.to_thread(function))
    was_cancelled = False
    while not work.done():
        try:
            await asyncio.wait([work])
        except asyncio.CancelledError:
            was_cancelled = True
    task = asyncio.current_task()
    if was_cancelled and task is not None:
        task.cancel()
    return work.result()


async def stoppable(
    work: Coroutine[Any, Any, None],
    store: Callable[[], Coroutine[Any, Any, str]],
    lost: Callable[[], str],
) -> None:
    """Do the work. When SIGINT or SIGTERM cancelled it, it is waited for, and what `store` stores,
    however long that takes; a second signal ends the process at once.

    `store` returns the outcome in a sentence, `lost` that of a second signal.

    Raises:
        Interrupted: it was stopped.
    """
    loop = asyncio.get_running_loop()
    task = asyncio.ensure_future(work)
    signals: list[signal.Signals] = []

    def stop(which: signal.Signals) -> None:
        if signals:
            _end(lost())
        signals.append(which)
        task.cancel()

    for which in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(which, stop, which)
    try:
        await task
    except asyncio.CancelledError:
        if not signals:
            raise
        storing = asyncio.ensure_future(store())
        await asyncio.wait([storing], timeout=CLOSING_S)
        if not storing.done():
            os.write(2, f"{STORING}\n".encode())
        outcome = await storing
        # A thread may wait for ever, for instance for a DNS server.
        timer = threading.Timer(CLOSING_S, _end, [outcome])
        timer.daemon = True
        timer.start()
        raise Interrupted(outcome) from None


def _end(outcome: str) -> None:
    """End the process at once."""
    os.write(2, f"error: {outcome}\n".encode())
    os._exit(Interrupted.exit_code)
