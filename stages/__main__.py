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

FOLDER = Path(__file__).parent
GROUPS = {
    "run": ("generate", "score", "report"),
    "look": ("review",),
    "compare": ("compare", "settle"),
    "author": ("briefs", "improve"),
    "log": ("ingest",),
    "keep": ("merge",),
}
"""The commands, by what people do with them."""
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
    modules = command_modules(FOLDER)
    if name in modules:
        sys.argv = [name, *arguments]
        runpy.run_module(modules[name], run_name="__main__", alter_sys=True)
    if name in ("--help", "-h"):
        _print_commands()
        return 0
    from stages.shared.records.errors import REMOVED_COMMANDS, nearest  # it needs the libraries

    replacement = REMOVED_COMMANDS.get(name)
    message = f"there is no command {name!r}{nearest(name, modules)}"
    if replacement:
        message = f"{name} is no command any more: {replacement}"
    print(f"error: {message}; `graph-evaluator` lists the commands", file=sys.stderr)
    return 2


def command_modules(folder: Path) -> dict[str, str]:
    """The module of each command below the folder of `stages`, by the command's name."""
    files = sorted([*folder.glob("*/__main__.py"), *folder.glob("commands/*/__main__.py")])
    packages = {file.parent.name: file.parent.relative_to(folder.parent) for file in files}
    return {name: ".".join(package.parts) for name, package in packages.items()}


def description(module: str) -> str:
    """What a command does: the first paragraph of its docstring, the usage left out."""
    file = FOLDER.parent.joinpath(*module.split("."), "__main__.py")
    docstring = ast.get_docstring(ast.parse(file.read_text(encoding="utf-8"))) or ""
    _, _, sentence = " ".join(docstring.partition("\n\n")[0].split()).partition("`: ")
    return sentence[:1].upper() + sentence[1:]


def _print_commands() -> None:
    modules = command_modules(FOLDER)
    print("graph-evaluator COMMAND; graph-evaluator COMMAND --help shows its options")
    for group, names in GROUPS.items():
        print(f"\n{group}")
        for name in names:
            line = f"  {name:<9} {description(modules[name])}"
            print(textwrap.fill(line, width=80, subsequent_indent=" " * 12))


if __name__ == "__main__":
    raise SystemExit(main())
