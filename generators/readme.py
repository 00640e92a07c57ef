"""The parts of the README that are made: `python -m generators.readme` writes them."""

import re
from pathlib import Path

from graph_evaluator.__main__ import GROUPS, description

ROOT = Path(__file__).parents[1]
README = ROOT / "README.md"
_COLUMNS = {
    "Model": ("Model",),
    "Form": ("Form", "Score"),
    "Content": ("Content",),
    "Usable": ("Usable",),
    "Cost per usable graph": ("Per usable graph",),
    "p50": ("p50",),
}
"""The columns of the README, each with its names in the leaderboard of `summary.md`."""


def leaderboard(summary: str) -> str:
    """The shipped run's leaderboard in six columns, as a Markdown table."""
    section = summary.split("## Leaderboard", 1)[1]
    table = re.search(r"^\|.*?\n\n", section, re.DOTALL | re.MULTILINE)
    assert table
    head, _, *rows = (
        [cell.strip() for cell in line.strip("|").split("|")]
        for line in table[0].strip().splitlines()
    )
    places = [
        next(head.index(name) for name in names if name in head) for names in _COLUMNS.values()
    ]
    shown = [[row[place] for place in places] for row in rows]
    return _table([list(_COLUMNS), [":---", *["---:"] * (len(_COLUMNS) - 1)], *shown])


def commands() -> str:
    """The commands with a line each, by what people do, as a Markdown table."""
    rows = [
        [group, f"`{name}`", description(name)] for group, names in GROUPS.items() for name in names
    ]
    return _table([["to", "command", "what it does"], [":---"] * 3, *rows])


def _table(rows: list[list[str]]) -> str:
    return "".join(f"| {' | '.join(row)} |\n" for row in rows)


def render(readme: str, summary: str) -> str:
    """The README with its made parts as they should be."""
    for name, content in (("leaderboard", leaderboard(summary)), ("commands", commands())):
        begin, end = f"<!-- {name}: ", f"<!-- /{name} -->"
        before, _, rest = readme.partition(begin)
        comment, _, rest = rest.partition("\n")
        readme = f"{before}{begin}{comment}\n{content}{end}{rest.partition(end)[2]}"
    return readme


def main() -> None:
    """Write the made parts."""
    summary = (ROOT / "results/summary.md").read_text(encoding="utf-8")
    README.write_text(render(README.read_text(encoding="utf-8"), summary), encoding="utf-8")


if __name__ == "__main__":
    main()
