"""The parts of the README that are made from the shipped results: `python -m tests.readme` writes them."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[1]
README = ROOT / "README.md"
_BLOCK = re.compile(r"(<!-- leaderboard:[^\n]*-->\n).*?(<!-- /leaderboard -->)", re.DOTALL)
_COLUMNS = ("#", "Model", "Mode", "Usable", "Expected score", "Interval", "Per usable graph", "p50")


def leaderboard(summary: str) -> str:
    """The shipped run's leaderboard, its most telling columns, as a Markdown table."""
    section = summary.split("## Leaderboard", 1)[1]
    lines = [line for line in section.split("\n\n## ")[0].splitlines() if line.startswith("|")]
    rows: list[list[str]] = []
    for line in lines:
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if rows and len(cells) != len(rows[0]):
            break
        rows.append(cells)
    keep = [rows[0].index(name) for name in _COLUMNS]
    return "\n".join("| " + " | ".join(row[place] for place in keep) + " |" for row in rows) + "\n"


def render(readme: str, summary: str) -> str:
    """The README with its made parts as they should be."""
    return _BLOCK.sub(lambda found: found[1] + leaderboard(summary) + found[2], readme)


def main() -> None:
    """Write the made parts."""
    summary = (ROOT / "results/summary.md").read_text(encoding="utf-8")
    README.write_text(render(README.read_text(encoding="utf-8"), summary), encoding="utf-8")


if __name__ == "__main__":
    main()
