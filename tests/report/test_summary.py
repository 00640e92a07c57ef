import io
import re

import pytest
from markdown_it import MarkdownIt
from rich.console import Console

from graph_evaluator.records.scorecard import CheckResult, Finding, Scorecard
from graph_evaluator.report.summary import summary, terminal
from tests.builders.cases import cases
from tests.builders.scorecards import (
    card,
    findings,
    invalid,
    unanswered,
    unusable,
)
from tests.report.hostile import HOSTILE

GITHUB = MarkdownIt("gfm-like", {"linkify": False, "html": True})
CARDS = (
    card("steady", "b1", 0.61),
    card("steady", "b2", 0.64),
    card("shaky", "b1", 0.9),
    invalid("shaky", "b2", "CYCLE_DETECTED"),
    unusable("refused", "shaky", "b3"),
    unanswered("rate_limited", "steady", "b3", failure_code="429"),
)


def page(*cards: Scorecard) -> str:
    return summary(findings(*cards))


def section(markdown: str, title: str) -> str:
    return markdown.split(f"\n## {title}\n")[1].split("\n## ")[0]


@cases(
    "title, pattern",
    {
        "advice": ("Which model to take", r"- \*\*normal\*\*: Undecided: two candidates have fewer than six briefs"),
        "mode": ("By mode", r"\| normal \| SHAKY +\| \+0\.\d+ \("),
        "failures": ("What failed most, and what to do", r"`rate_limited` +\| +17% \(1/6\) \| STEADY 1 +\| .*dvc repro -f"),
        "note": ("What failed most, and what to do", "- SHAKY gave a usable graph in 33%"),
        "run": ("The run", r"6 cells, 5 answered, 3 usable; cost \$0.0500\."),
    },
)  # fmt: skip
def test_each_section_says_what_it_is_for(title, pattern):
    assert re.search(pattern, section(page(*CARDS), title))


def test_a_page_keeps_to_a_screen_whatever_the_run():
    models = [f"m{number:02}" for number in range(60)]
    codes = [invalid(model, "b9", f"CODE_{number}") for number, model in enumerate(models)]
    shown = page(*(card(model) for model in models), *codes)
    assert len(shown.splitlines()) < 120
    assert "and 30 more on the site" in section(shown, "Leaderboard")
    assert "and 50 more on the site" in section(shown, "What failed most, and what to do")


def test_graphs_that_nothing_could_check_and_unknown_costs_are_counted():
    check = CheckResult(name="grounding", outcome="not_applicable", message="Too short.")
    run = section(page(card(), card(brief="b2", est_cost_usd=None, fidelity=(check,))), "The run")
    assert "2 usable (1 unchecked); cost $0.0100 + 1 unknown." in run


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


def printed(*cards: Scorecard, width: int = 160) -> str:
    out = io.StringIO()
    Console(file=out, width=width, highlight=False).print(
        *terminal(findings(*cards), "results/site/index.html", width), sep="\n"
    )
    return out.getvalue()


@pytest.mark.parametrize("value", HOSTILE.values(), ids=HOSTILE.keys())
def test_a_hostile_id_is_plain_text(value):
    text = printed(card(value), invalid(value, "b2", value or "X"))
    assert "\x1b" not in text
    assert "\u202e" not in text
    text.encode("utf-8")


@pytest.mark.parametrize("width", [60, 80, 120])
def test_scores_and_ids_are_whole_in_a_terminal_of_any_width(width):
    cards = [card("gpt-6.1-terra-low", f"b{number}", 0.575, simulated=True) for number in range(9)]
    text = printed(*cards, invalid("b", "b1", "CONTROLLABLE_NO_OPTION_EDGE"), width=width)
    assert {"0.575", "CONTROLLABLE_NO_OPTION_EDGE"} <= set(text.split())
    assert max(map(len, text.splitlines())) <= width
    assert width < 80 or "GPT-6.1-TERRA-LOW" in text


def test_a_terminal_shows_the_failures_and_says_last_that_answers_are_missing():
    text = printed(card("[bold red]x[/bold red]"), unanswered("auth_failed", brief="b2"))
    assert "[bold red]x[/bold red]" in text
    assert "Check the key in api_key_env" in text
    assert "2 cells, 1 answered, 1 usable; cost $0.0100" in text
    assert text.splitlines()[-1].startswith("1 cell has no answer")


def test_what_reruns_change_is_said_before_the_models_where_there_are_two_samples():
    cards = [card("a", "b1", 0.5, 1, content=0.25), card("a", "b1", 0.75, 2, content=0.75)]
    text = page(*cards)
    said = "Two answers of one model to one brief differ by 0.250 in form and 0.500 in content"
    assert text.index("## Which model to take") < text.index(said) < text.index("**normal**")
    assert "Two answers" not in page(cards[0])
