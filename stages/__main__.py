"""`python -m stages`: lists the commands of the project; `python -m stages NAME ...` runs one.

The list is made from the first paragraph of each command's module, which nothing imports for it.
"""

import ast
import runpy
import sys
from pathlib import Path

from stages.contracts.errors import nearest
from stages.contracts.removed import REMOVED_COMMANDS
from stages.shell.command import run

FOLDER = Path(__file__).parent


def main() -> int:
    """Run the command that the first argument names, or print the list."""
    commands = described_commands(FOLDER)
    name, arguments = (sys.argv[1:2] or ["--help"])[0], sys.argv[2:]
    if name in commands:
        module = f"stages.{name}"
        sys.argv = [module, *arguments]
        runpy.run_module(module, run_name="__main__", alter_sys=True)
    if name in ("--help", "-h"):
        _print_commands(commands)
        return 0
    replacement = REMOVED_COMMANDS.get(name)
    message = f"there is no command {name!r}{nearest(name, commands)}"
    if replacement:
        message = f"{name} is no command any more: {replacement}"
    print(f"error: {message}; `python -m stages` lists the commands", file=sys.stderr)
    return 2


def _print_commands(commands: dict[str, str]) -> None:
    width = max(map(len, commands))
    print("python -m stages COMMAND; python -m stages COMMAND --help shows its options\n")
    for name, description in commands.items():
        print(f"  {name:<{width}}  {description}")


def described_commands(folder: Path) -> dict[str, str]:
    """What each command below a folder does, by the name of its folder: its docstring, the usage
    left out.
    """
    commands: dict[str, str] = {}
    for file in sorted(folder.glob("*/__main__.py")):
        module = ast.parse(file.read_text(encoding="utf-8"))
        paragraph = (ast.get_docstring(module) or "").partition("\n\n")[0]
        _, _, description = " ".join(paragraph.split()).partition("`: ")
        commands[file.parent.name] = description[:1].upper() + description[1:]
    return commands


if __name__ == "__main__":
    run(main)
