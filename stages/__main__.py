"""`python -m stages`: lists the commands of the project, each with what it does.

The list is made from the first paragraph of each command's module, which nothing imports for it.
"""

import argparse
import ast
from pathlib import Path

from stages.shell.command import run

FOLDER = Path(__file__).parent


def main(arguments: list[str] | None = None) -> None:
    """Print the list."""
    parser = argparse.ArgumentParser(
        prog="python -m stages",
        description="List the commands of the project.",
        epilog="example: python -m stages",
    )
    parser.parse_args(arguments)
    commands = described_commands(FOLDER)
    width = max(map(len, commands))
    print("python -m stages.COMMAND; python -m stages.COMMAND --help shows its options\n")
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
