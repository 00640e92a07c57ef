import io
import re

import pytest
from markdown_it import MarkdownIt
from rich.console import Console

from graph_evaluator.records.scorecard import Finding
from graph_evaluator.report.texts import summary, terminal
from tests.approval import check_approved
from tests.builders.scorecards import (
    card,
    findings,
    invalid,
    unanswered,
)
from tests.report.hostile import HOSTILE
from tests.report.rich_run import rich_run

GITHUB = MarkdownIt("gfm-like", {"linkify": False, "html": True})


def page(*cards):
    return summary(findings(*cards))


def section(markdown, title):
    return markdown.split(f"\n## {title}\n")[1].split("\n## ")[0]


def test_the_page_says_everything_in_its_place():
    check_approved("summary.md", summary(rich_run()[0]))


def test_a_page_keeps_to_a_screen_whatever_the_run():
    models = [f"m{number:02}" for number in range(60)]
    codes = [invalid(model, "b9", f"CODE_{number}") for number, model in enumerate(models)]
    shown = page(*(card(model) for model in models), *codes)
    assert len(shown.splitlines()) < 120
    assert "and 35 more on the site" in section(shown, "Leaderboard")
    assert "and 35 more on the site" in section(shown, "What failed and why")


@pytest.mark.parametrize("value", HOSTILE.values(), ids=HOSTILE.keys())
def test_hostile_ids_codes_and_labels_do_nothing(value):
    odd = Finding(code=value, message=value)
    cards = (
        card(value or "x", value, failure_code=value, warnings=(odd,)),
        unanswered("server_error", value or "x", "b2", failure_code=value),
    )
    found = summary(findings(*cards, configs=()))
    tokens = [token for block in GITHUB.parse(found) for token in (block, *(block.children or ()))]
    assert not {token.type for token in tokens} & {"link_open", "image", "html_inline"}
    html = "".join(token.content for token in tokens if token.type == "html_block")
    assert not re.findall(r"</?(\w+)", html)
    assert not set(found) & {"\x1b", "\u202e"}


def printed(*cards, width=160):
    out = io.StringIO()
    Console(file=out, width=width, highlight=False).print(
        *terminal(findings(*cards), "results/site/index.html", width), sep="\n"
    )
    return out.getvalue()


def test_the_terminal_says_what_matters_most_last():
    out = io.StringIO()
    texts = terminal(rich_run()[0], "results/site/index.html", 80)
    Console(file=out, width=80, highlight=False).print(*texts, sep="\n")
    check_approved("report.txt", out.getvalue())


@pytest.mark.parametrize("value", HOSTILE.values(), ids=HOSTILE.keys())
def test_a_hostile_id_is_plain_text(value):
    text = printed(card(value), invalid(value, "b2", value or "X"))
    assert "\x1b" not in text
    assert "\u202e" not in text
    text.encode("utf-8")
