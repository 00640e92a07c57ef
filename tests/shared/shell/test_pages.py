"""The list of pages that the site's menu reads."""

import json
from pathlib import Path

import pytest

from stages.shared.shell.pages import PAGES_FILE, create_page_list, register_page


@pytest.fixture(autouse=True)
def results(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder for results, in the working directory."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "results").mkdir()
    return tmp_path / "results"


def write_page(name: str) -> Path:
    file = Path(name)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("<html>")
    return file


def listed() -> dict[str, str]:
    script = PAGES_FILE.read_text(encoding="utf-8")
    titles: dict[str, str] = json.loads(script.removeprefix("graphEvaluatorPages = ")[:-2])
    return titles


def test_pages_are_listed_by_their_path_from_the_results() -> None:
    for page in ("results/history.html", ".evaluation/comparison.html"):
        register_page(write_page(page), f"Page {page}")
    assert listed() == {
        "../.evaluation/comparison.html": "Page .evaluation/comparison.html",
        "history.html": "Page results/history.html",
    }


def test_a_page_that_is_gone_is_dropped_and_a_title_is_replaced() -> None:
    gone = write_page("results/gone.html")
    register_page(gone, "Gone")
    gone.unlink()
    for title in ("First\x1b", "Second\u202e"):
        register_page(write_page("results/compare.html"), title)
    assert listed() == {"compare.html": "Second"}


@pytest.mark.parametrize("damage", ["", "graphEvaluatorPages = [1];\n", "\x00"], ids=repr)
def test_a_damaged_list_begins_anew(damage: str) -> None:
    PAGES_FILE.write_text(damage)
    register_page(write_page("results/compare.html"), "Comparison")
    assert listed() == {"compare.html": "Comparison"}


def test_a_report_makes_an_empty_list_and_leaves_one_that_is_there() -> None:
    create_page_list()
    assert listed() == {}
    register_page(write_page("results/compare.html"), "Comparison")
    create_page_list()
    assert listed() == {"compare.html": "Comparison"}


def test_a_page_outside_the_project_is_not_listed(tmp_path_factory: pytest.TempPathFactory) -> None:
    elsewhere = write_page(str(tmp_path_factory.mktemp("elsewhere") / "compare.html"))
    register_page(elsewhere, "Elsewhere")
    assert listed() == {}
