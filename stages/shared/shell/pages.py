"""The list of the pages that commands write beside the site: `results/pages.js`.

The menu of the site reads it in the browser, as a script, so that `report` depends on no page of
another command.
"""

import json
import os
from pathlib import Path

from stages.shared.records.json_text import NotJson, parse
from stages.shared.shell import paths
from stages.shared.shell.files import write_output
from stages.shared.shell.text import visible

PAGES_FILE = paths.RESULTS / "pages.js"
_START, _END = "graphEvaluatorPages = ", ";\n"


def write_page(file: Path, page: bytes, title: str) -> None:
    """Write a page, and add it to the list."""
    write_output(file, page)
    register_page(file, title)


def register_page(file: Path, title: str) -> None:
    """Add a page that was written to the list, or give it another title.

    Pages that are gone are dropped. One outside the project is not added: no link leads there once
    the project is copied.
    """
    titles = _read_titles()
    titles[Path(os.path.relpath(file, paths.RESULTS)).as_posix()] = visible(title)
    listed = {page: titles[page] for page in sorted(titles) if _is_there(page)}
    write_output(PAGES_FILE, f"{_START}{json.dumps(listed)}{_END}".encode())


def way_to_site(file: Path) -> str:
    """The relative path from a file to the site; empty where there is none."""
    if not (paths.SITE / "index.html").is_file():
        return ""
    return Path(os.path.relpath(paths.SITE, file.parent)).as_posix()


def create_page_list() -> None:
    """Make an empty list where there is none: a page that asks for a missing file shows an error in
    the browser's console.
    """
    try:
        with PAGES_FILE.open("x", encoding="utf-8") as file:
            file.write(f"{_START}{{}}{_END}")
    except FileExistsError:
        return


def _read_titles() -> dict[str, str]:
    """The title of each page by its path from `results/`; none where the list is missing or
    damaged.
    """
    try:
        text = PAGES_FILE.read_text(encoding="utf-8")
        titles = parse(text.removeprefix(_START).removesuffix(_END))
    except (OSError, UnicodeDecodeError, NotJson):
        return {}
    if not isinstance(titles, dict):
        return {}
    return {page: str(title) for page, title in titles.items()}


def _is_there(page: str) -> bool:
    return not page.startswith("../..") and (paths.RESULTS / page).is_file()
