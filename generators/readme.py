"""The leaderboard of the README: `python -m generators.readme` writes it."""

import json
import re
from pathlib import Path

ROOT = Path(__file__).parents[1]
README = ROOT / "README.md"
_COLUMNS = {
    "Model": "Model",
    "Form": "Form",
    "Content": "Content",
    "Same choice": "Same choice",
    "Usable": "Usable",
    "Cost per usable graph": "Per usable graph",
    "p50": "p50",
}
"""The columns of the README, each with its name in the leaderboard of `summary.md`."""


def leaderboard(summary: str) -> str:
    """The shipped run's leaderboard as a Markdown table, with simulated models below a line."""
    section = summary.split("## Leaderboard", 1)[1]
    table = re.search(r"^\|.*?\n\n", section, re.DOTALL | re.MULTILINE)
    assert table
    head, _, *rows = (
        [cell.strip() for cell in line.strip("|").split("|")]
        for line in table[0].strip().splitlines()
    )
    shown = [[row[head.index(name)] for name in _COLUMNS.values()] for row in rows]
    simulated = _simulated_names()
    real = [row for row in shown if row[0] not in simulated]
    others = [row for row in shown if row[0] in simulated]
    line = ["*Simulated models:*", *[""] * (len(_COLUMNS) - 1)]
    alignment = [":---", *["---:"] * (len(_COLUMNS) - 1)]
    return _table([list(_COLUMNS), alignment, *real, line, *others])


def _simulated_names() -> set[str]:
    configs = [json.loads(file.read_bytes()) for file in (ROOT / "models").glob("*.json")]
    return {config["display_name"] for config in configs if config["provider"] == "simulated"}


def _table(rows: list[list[str]]) -> str:
    return "".join(f"| {' | '.join(row)} |\n" for row in rows)


def render(readme: str, summary: str) -> str:
    """The README with its leaderboard as it should be."""
    begin, end = "<!-- leaderboard: ", "<!-- /leaderboard -->"
    before, _, rest = readme.partition(begin)
    comment, _, rest = rest.partition("\n")
    return f"{before}{begin}{comment}\n{leaderboard(summary)}{end}{rest.partition(end)[2]}"


def main() -> None:
    """Write the leaderboard."""
    summary = (ROOT / "results/summary.md").read_text(encoding="utf-8")
    README.write_text(render(README.read_text(encoding="utf-8"), summary), encoding="utf-8")


if __name__ == "__main__":
    main()
