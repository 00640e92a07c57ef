"""`python -m tests.browser.screenshots`: the picture in the README, taken from the site that the pipeline wrote."""

import base64
import sys
import tempfile
from pathlib import Path

from graph_evaluator.shell import paths
from tests.browser.chromium import chromium, missing

PAGE = paths.SITE / "cell/language-model/01-simple-binary-1.html"
PICTURE = Path("docs/images/cell.png")
WIDTH = 1280
HEIGHT = 1040


def main() -> int:
    """Take the picture, of a page from its top; returns the exit code."""
    absent = missing()
    if absent or not PAGE.is_file():
        print(absent or "there is no site: run dvc repro", file=sys.stderr)
        return 1
    clip = {"x": 0, "y": 0, "width": WIDTH, "height": HEIGHT, "scale": 1}
    with tempfile.TemporaryDirectory() as folder, chromium(Path(folder)) as browser:
        browser.size(WIDTH, HEIGHT)
        browser.open(PAGE.resolve())
        shot = browser.command("Page.captureScreenshot", format="png", clip=clip)
    PICTURE.write_bytes(base64.b64decode(shot["data"]))
    print(f"{PICTURE}: {PICTURE.stat().st_size / 1024:.0f} KiB")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
