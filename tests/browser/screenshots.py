"""`python -m tests.browser.screenshots`: the pictures in the README, taken from the site that the pipeline wrote.

`python -m tests.browser.screenshots first-day`, in a clone in which docs/first-day.md was followed up to its
comparison: the pictures of that page.
"""

import base64
import sys
import tempfile
from pathlib import Path

from stages.shared.present.page import OVERVIEW, cell_page
from stages.shared.records.json_text import parse
from stages.shared.records.scorecard import Scorecard
from stages.shared.shell import paths
from tests.browser.chromium import Browser, chromium, missing

IMAGES = Path("docs/images")
SCORES = "#scores-title, #interventions-title"
WIDTH = 1280
TALLEST = 1700


def main() -> int:
    """Write the pictures; returns the exit code."""
    absent = missing()
    if absent or not (paths.SITE / OVERVIEW).is_file():
        print(absent or "there is no site: run dvc repro", file=sys.stderr)
        return 1
    IMAGES.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, chromium(Path(folder)) as browser:
        if sys.argv[1:] == ["first-day"]:
            graph = paths.SITE / "cell/sim-careful/harbour-ferry-1.html"
            _take(browser, graph, SCORES, IMAGES / "first-day-graph.png")
            comparison = paths.RESULTS / "compare.html"
            _take(browser, comparison, "#notes-title", IMAGES / "first-day-comparison.png")
            return 0
        _take(browser, paths.SITE / OVERVIEW, "#charts-title", IMAGES / "overview.png")
        _take(browser, paths.SITE / example_cell(), SCORES, IMAGES / "cell.png")
    return 0


def example_cell() -> str:
    """The page of an invalid graph with the most edges among those of 14 nodes at most: it shows most of what a drawing can show."""
    lines = paths.SCORECARDS.read_bytes().splitlines()
    cards = [Scorecard.read(parse(line)) for line in lines]
    drawn = [card for card in cards if card.status == "success"]
    best = max(
        drawn,
        key=lambda card: (
            bool(card.violations),
            (card.node_count or 0) <= 14,
            card.edge_count or 0,
            card.cell,
        ),
    )
    return cell_page(best.cell)


def _take(browser: Browser, page: Path, until: str, picture: Path) -> None:
    """The page from its top down to an element, at most so tall."""
    browser.size(WIDTH, 900)
    browser.open(page.resolve())
    height = browser.run(
        "return document.querySelector(arguments[0])?.getBoundingClientRect().top ?? 9999", until
    )
    clip = {"x": 0, "y": 0, "width": WIDTH, "height": min(round(height) - 20, TALLEST), "scale": 1}
    shot = browser.command(
        "Page.captureScreenshot", format="png", clip=clip, captureBeyondViewport=True
    )
    picture.write_bytes(base64.b64decode(shot["data"]))
    print(f"{picture}: {picture.stat().st_size / 1024:.0f} KiB")


if __name__ == "__main__":
    raise SystemExit(main())
