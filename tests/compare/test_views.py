"""The comparison in the terminal, in Markdown, on the page and as JSON."""

import io
import re

import pytest
from markdown_it import MarkdownIt
from rich.console import Console

from graph_evaluator.compare.views import comparison_page, markdown, terminal
from graph_evaluator.compare.wording import describe
from tests.compare.cards import (
    BASE,
    card,
    cards,
    compared,
    manifest,
    side,
)

HOSTILE = "</td><script>alert(1)</script>`|\n[x](javascript:y) [red]@team"


def shown(result, full=True):
    stream = io.StringIO()
    console = Console(file=stream, width=100, highlight=False)
    for part in terminal(describe(result), 100, full=full):
        console.print(part)
    return stream.getvalue()


def commented(result):
    return markdown(describe(result))


def page(result, site=""):
    return comparison_page(result, site=site).decode()


FORMS = {"terminal": shown, "Markdown": commented, "page": page}
in_every_form = pytest.mark.parametrize("view", FORMS.values(), ids=FORMS)


def hostile():
    base = [
        card(score, brief=f"{HOSTILE}{index}", model=HOSTILE) for index, score in enumerate(BASE)
    ]
    head = [card(brief=each.brief_id, model=HOSTILE, codes=(HOSTILE,)) for each in base]
    return compared(side(base, HOSTILE), side(head, HOSTILE))


def test_ten_cells_that_moved_are_shown_and_the_terminal_leaves_the_rest_to_full():
    result = compared(cards([0.3] * 24), side(cards([0.5] * 24), "v21"))
    stream = io.StringIO()
    Console(file=stream, width=80).print(*terminal(describe(result), 80), sep="\n")
    brief, full = stream.getvalue(), shown(result)
    assert max(map(len, brief.splitlines())) <= 80
    assert "`graph-evaluator briefs code`" in brief
    assert ("What was compared" in brief, "What was compared" in full) == (False, True)
    assert ("b24" in brief, "b24" in full) == (False, True)
    for text in (brief, commented(result)):
        first, _ = re.split(r"\b14 more", text, maxsplit=1)
        assert ("b10" in first, "b11" in first) == (True, False)


def test_nothing_in_a_name_is_markup():
    text = commented(hostile())
    parsed = MarkdownIt("gfm-like", {"linkify": False}).parse(text)
    tokens = [inner for token in parsed for inner in (token, *(token.children or ()))]
    assert not [token for token in tokens if token.type in ("link_open", "image")]
    html = {
        token.content.strip() for token in tokens if token.type in ("html_block", "html_inline")
    }
    assert not [
        each
        for each in html
        if not re.fullmatch(r"</?details>\s*(<summary>[^<]*</summary>)?", each)
    ]
    assert "@team" not in re.sub(r"`[^`\n]*`", "", text)
    rows = [
        line.replace("\\|", "")
        for line in text.splitlines()
        if line.startswith("|") and "script" in line
    ]
    assert {line.count("|") for line in rows} == {5, 4}
    assert "<script>alert" not in page(hostile())
    assert "[red]" in shown(hostile())


@in_every_form
def test_nothing_in_a_name_is_hidden_or_reaches_the_terminal_as_a_command(view):
    name = "\x1b]0;owned\x07\x1b[31mred\u202egnp\r\x9b2J"
    base = [card(score, brief=f"{name}{index}", model=name) for index, score in enumerate(BASE)]
    head = [card(brief=each.brief_id, model=name, codes=(name,)) for each in base]
    found = compared(
        side(base, name), side(head, name, run=manifest(run_id=name, briefs={"b01": "2"}))
    )
    assert not set(view(found)) & set("\x1b\x07\u202e\r\x9b")
