"""The comment on a pull request, drawn as the forge draws Markdown, fits 760 pixels."""

from pathlib import Path

import pytest
from markdown_it import MarkdownIt

from stages.commands.compare.views import markdown
from stages.commands.compare.wording import describe
from stages.shared.records.scorecard import Scorecard
from tests.browser.chromium import Browser
from tests.commands.compare.cards import BASE, BETTER, cards, compared

pytestmark = pytest.mark.browser

STYLE = """
* { box-sizing: border-box }
body { margin: 0; font: 14px/1.5 "Segoe UI", "Noto Sans", Helvetica, Arial, sans-serif }
main { width: 760px; padding: 16px; border: 1px solid; overflow-wrap: break-word }
table { display: block; width: max-content; max-width: 100%; overflow: auto; border-collapse: collapse }
th, td { padding: 6px 13px; border: 1px solid }
code { padding: 0.2em 0.4em; font-size: 85%; white-space: break-spaces; font-family: monospace }
"""
MODELS = ("claude-opus-4-1-20250805", "gemini-3.1-flash-lite-preview", "meta_llama_4_instruct")
CODE = "CONTROLLABLE_NO_OPTION_EDGE"


def scorecards(scores: list[float], failures: int) -> list[Scorecard]:
    """Of every model, with a failure in the first briefs."""
    measured = {"est_cost_usd": 0.0123, "latency_ms": 4_321}
    failed = [
        card
        for model in MODELS
        for card in cards(scores[:failures], model=model, codes=(CODE,), **measured)
    ]
    usable = [card for model in MODELS for card in cards(scores, model=model, **measured)]
    return failed + [card for card in usable if card.brief_id > f"b{failures:02}"]


def test_no_table_of_the_comment_scrolls_sideways(browser: Browser, folder: Path) -> None:
    result = compared(scorecards(BASE, 2), scorecards(BETTER, 1))
    reader = MarkdownIt("gfm-like", {"linkify": False, "html": True})
    content = reader.render(markdown(describe(result))).replace("<details>", "<details open>")
    file = folder / "comment.html"
    file.write_text(
        f"<!doctype html><meta charset=utf-8><style>{STYLE}</style><main>{content}</main>",
        encoding="utf-8",
    )
    browser.size(760, 1600)
    browser.open(file)
    tables = browser.run(
        "return [...document.querySelectorAll('table')].map(table =>"
        " [table.rows[0].innerText, table.scrollWidth - table.clientWidth])"
    )
    assert [hidden for _, hidden in tables] == [0, 0]
    assert all(word in tables[0][0] for word in ("Score", "Content", "Usable", "Cost", "Latency"))
    assert "lost Controllable no option edge" in browser.run("return document.body.innerText")
