"""`graph-evaluator`, or `python -m stages`: lists the commands of the project; with a name it runs
one.

The list is made from the first paragraph of each command's module, which nothing imports for it.
"""

import ast
import os
import runpy
import sys
import textwrap
from pathlib import Path
from typing import NoReturn

from stages.shared.shell.process import CALLED_FROM, end_output

GROUPS = {
    "run": ("generate", "score", "report"),
    "look": ("review",),
    "compare": ("compare", "settle"),
    "author": ("briefs", "improve"),
    "log": ("ingest",),
    "keep": ("merge",),
}
"""The commands, by what people do with them."""
COMMANDS = [name for names in GROUPS.values() for name in names]
_ACTIVATE = "run `make` once, then activate .venv (`. .venv/bin/activate`)"


def enter_project() -> NoReturn:
    """Run a command with the code of the project that the current folder is in, from its root."""
    here = Path.cwd()
    for folder in (here, *here.parents):
        if (folder / "stages" / "__main__.py").is_file() and (folder / "params.yaml").is_file():
            os.environ[CALLED_FROM] = str(here) if here != folder else ""
            os.chdir(folder)
            os.execv(sys.executable, [sys.executable, "-m", "stages", *sys.argv[1:]])  # noqa: S606
    print("error: no project here: graph-evaluator runs inside a clone of it", file=sys.stderr)
    raise SystemExit(2)


def main() -> int:
    """Run the command that the first argument names, or print the list."""
    try:
        code = _run_command(*(sys.argv[1:] or ["--help"]))
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
    from stages.shared.records.errors import REMOVED_COMMANDS, nearest  # it needs the libraries

    message = f"there is no command {name!r}{nearest(name, COMMANDS)}"
    if name in REMOVED_COMMANDS:
        message = f"{name} is no command any more: {REMOVED_COMMANDS[name]}"
    print(f"error: {message}; `graph-evaluator` lists the commands", file=sys.stderr)
    return 2


def module_of(name: str) -> str:
    """The module of a command: the stages of `dvc.yaml` lie beside the folder of the others."""
    return f"stages.{name}" if name in GROUPS["run"] else f"stages.commands.{name}"


def description(name: str) -> str:
    """What a command does: the first paragraph of its docstring, the usage left out."""
    file = Path(__file__).parents[1].joinpath(*module_of(name).split("."), "__main__.py")
    docstring = ast.get_docstring(ast.parse(file.read_text(encoding="utf-8"))) or ""
    _, _, sentence = " ".join(docstring.partition("\n\n")[0].split()).partition("`: ")
    return sentence[:1].upper() + sentence[1:]


def _print_commands() -> None:
    print("graph-evaluator COMMAND; graph-evaluator COMMAND --help shows its options")
    for group, names in GROUPS.items():
        print(f"\n{group}")
        for name in names:
            line = f"  {name:<9} {description(name)}"
            print(textwrap.fill(line, width=80, subsequent_indent=" " * 12))


if __name__ == "__main__":
    raise SystemExit(main())
