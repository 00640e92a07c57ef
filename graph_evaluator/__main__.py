"""`graph-evaluator`, or `python -m graph_evaluator`: lists the commands, or runs one by its name.

The list is made from the first paragraph of each command's module, which nothing imports for it.
"""

import ast
import os
import re
import runpy
import sys
import textwrap
from pathlib import Path
from typing import NoReturn

from graph_evaluator.shell.process import CALLED_FROM, begin_command, end_output, installed_version

GROUPS = {
    "start": ("init",),
    "run": ("run", "generate", "score", "report"),
    "look": ("review",),
    "compare": ("compare", "settle"),
    "author": ("briefs",),
    "log": ("ingest",),
    "keep": ("merge",),
}
"""The commands, by what people do with them."""
COMMANDS = [name for names in GROUPS.values() for name in names]
_PINS = Path("requirements.txt")
_ACTIVATE = "activate .venv (`. .venv/bin/activate`) or the environment that has graph-evaluator"


def start(*arguments: str) -> NoReturn:
    """Run the arguments and those of this process's command line as a process of our own: from the
    root of the project that the current folder is in.
    """
    begin_command()
    typed = (*arguments, *sys.argv[1:])
    message = _refusal(*typed)
    raise SystemExit(_refuse(message) if message else main(*typed))


def _refusal(name: str = "", *arguments: str) -> str:
    """Enter the project of the current folder where the command needs one; why that fails, or "".

    The pipeline runs only with the version that the project pins.
    """
    if name not in COMMANDS or name == "init" or {"--help", "-h"} & set(arguments):
        return ""
    if not _enter_project():
        return "no project here: no folder above has a params.yaml; `graph-evaluator init DIR`"
    pins = _PINS.read_text(encoding="utf-8", errors="replace") if _PINS.is_file() else ""
    pinned = re.search(r"^graph-evaluator==(\S+)", pins, re.MULTILINE)
    if name in GROUPS["run"] and pinned and pinned[1] != installed_version():
        return (
            f"{_PINS} pins graph-evaluator {pinned[1]}, and {installed_version()} is installed: "
            f"pip install -r {_PINS}"
        )
    return ""


def _enter_project() -> bool:
    """Change to the root of the project that the current folder is in; False outside of any."""
    here = Path.cwd()
    for folder in (here, *here.parents):
        if any((folder / name).is_file() for name in ("params.yaml", "dvc.yaml")):
            os.environ[CALLED_FROM] = str(here) if here != folder else ""
            os.chdir(folder)
            return True
    return False


def main(*arguments: str) -> int:
    """Run the command that the first argument names, or print the list."""
    try:
        code = _run_command(*(arguments or ["--help"]))
        sys.stdout.flush()
        return code
    except ModuleNotFoundError as error:
        print(f"error: {error.name} is not installed here: {_ACTIVATE}", file=sys.stderr)
        return 2
    except BrokenPipeError:
        return end_output()


def _run_command(name: str, *arguments: str) -> int:
    if name in COMMANDS:
        sys.argv = [name, *arguments]
        runpy.run_module(module_of(name), run_name="__main__", alter_sys=True)
    if name in ("--help", "-h"):
        _print_commands()
        return 0
    if name == "--version":
        print(installed_version())
        return 0
    from graph_evaluator.records.errors import REMOVED_COMMANDS, nearest

    message = f"there is no command {name!r}{nearest(name, COMMANDS)}"
    if name in REMOVED_COMMANDS:
        message = f"{name} is no longer a command: {REMOVED_COMMANDS[name]}"
    return _refuse(f"{message}; `graph-evaluator` lists the commands")


def _refuse(message: str) -> int:
    """Print why a command is not run; the exit code."""
    from graph_evaluator.shell.command import say  # it needs the libraries

    say(f"error: {message}")
    return 2


def module_of(name: str) -> str:
    """The module of a command."""
    if name in ("init", "run"):
        return f"graph_evaluator.project.{name}"
    return f"graph_evaluator.{name}.__main__"


def description(name: str) -> str:
    """What a command does: the first paragraph of its docstring, the usage left out."""
    file = Path(__file__).parents[1].joinpath(*module_of(name).split(".")).with_suffix(".py")
    docstring = ast.get_docstring(ast.parse(file.read_text(encoding="utf-8"))) or ""
    _, _, sentence = " ".join(docstring.partition("\n\n")[0].split()).partition("`: ")
    return sentence[:1].upper() + sentence[1:]


def _print_commands() -> None:
    print("graph-evaluator COMMAND; graph-evaluator COMMAND --help shows its options")
    for group, names in GROUPS.items():
        print(f"\n{group}")
        for name in names:
            line = f"  {name:<9} {description(name)}"
            print(textwrap.fill(line, 80, subsequent_indent=" " * 12, break_on_hyphens=False))


if __name__ == "__main__":
    start()
